"""Resizing and sampling of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer, i64
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.frontends.onnx_writer.scales import exact_scales, rounding_of
from ir_plugin.operations.image.grid_sample import GridSample
from ir_plugin.operations.image.interpolate import Interpolate, Interpolate1
from ir_plugin.operations.image.resampling import Axis, Method, Resampling, Taps, nearest
from ir_plugin.tensors import ElementType

_LARGEST_MATRIX = 2**24
"""Elements of the largest matrix that a resizing along an axis is written as."""


@writes(Interpolate, widens=True)
def interpolate(layer: Layer) -> str:
    """Return Resize where its formula is the same; else the layer's own weights, or positions, for known lengths."""
    operation = layer.operation
    shape = layer.info().shape
    values = [layer.value(position) for position in range(1, len(layer.inputs))]
    is_known = shape.is_static and all(value is not None for value in values)
    if not is_known:
        return _resized_by_onnx(layer)
    return _resampled(layer, operation.resampling([dim.get_length() for dim in shape], *values))


def _resampled(layer: Layer, resampling: Resampling) -> str:
    """Return an image of known lengths padded and resized, those axes first that shrink most."""
    value, method = _padded(layer, layer.inputs[0], resampling.pads), resampling.method
    element_type = layer.type_of(value)
    if method.mode != "nearest" and not element_type.is_floating:
        if element_type.bits == 8 and method.mode.endswith("pillow"):
            raise NotExpressibleError("bytes are rounded after each axis")
        value = layer.cast(value, ElementType.f64)
    changed = [axis for axis in resampling.axes if axis.length != axis.target]
    axes = sorted(changed, key=lambda axis: axis.target / max(axis.length, 1))
    if any(axis.length == 0 or axis.target == 0 for axis in axes):
        raise NotExpressibleError("an image without elements is not ONNX's")
    if method.mode == "nearest":
        for axis in axes:
            value = layer.emit("Gather", value, layer.list_of(*nearest(axis, method).tolist()), axis=axis.index)
        return value
    if axes and _is_resize(method) and element_type.is_floating:
        return _resize(layer, value, axes, method)
    for axis, taps in zip(axes, method.taps(axes), strict=True):
        value = _weighted(layer, value, axis, taps)
    return value


def _padded(layer: Layer, value: str, pads: Any) -> str:
    """Return a value with zeros around it."""
    begin, end = zip(*pads, strict=True)
    return layer.emit("Pad", value, layer.list_of(*begin, *end)) if any((*begin, *end)) else value


def _is_resize(method: Method) -> bool:
    """Return whether ONNX's Resize has the same formula."""
    return method.mode in ("linear_onnx", "cubic") and method.coordinate_transformation_mode in (
        "half_pixel",
        "pytorch_half_pixel",
        "asymmetric",
        "align_corners",
    )


def _resize(layer: Layer, value: str, axes: list[Axis], method: Method) -> str:
    """Return Resize to known lengths, or by scales that do not follow from these."""
    axes = sorted(axes, key=lambda axis: axis.index)
    is_by_sizes = all(axis.scale == np.float32(np.float32(axis.target) / np.float32(axis.length)) for axis in axes)
    if not is_by_sizes:
        for axis, taps in zip(axes, method.taps(axes), strict=True):
            value = _weighted(layer, value, axis, taps)
        return value
    shape = [dim.get_length() for dim in layer.output_info().shape]
    return layer.emit(
        "Resize", value, "", "", layer.list_of(*shape), mode="cubic" if method.mode == "cubic" else "linear",
        coordinate_transformation_mode=method.coordinate_transformation_mode,
        cubic_coeff_a=float(method.cube_coeff) if method.mode == "cubic" else None,
    )  # fmt: skip


def _weighted(layer: Layer, value: str, axis: Axis, taps: Taps) -> str:
    """Return the product with a matrix of weights along an axis."""
    if axis.length * axis.target > _LARGEST_MATRIX:
        raise NotExpressibleError(f"axis {axis.index} is too long for a matrix of weights")
    matrix = np.zeros((axis.length, axis.target))
    for column, (positions, weights) in enumerate(zip(taps.positions, taps.weights, strict=True)):
        np.add.at(matrix[:, column], positions, weights)
    rank = len(layer.output_info().shape)
    order = [*(at for at in range(rank) if at != axis.index), axis.index]
    product = layer.emit("MatMul", layer.transpose(value, order), layer.constant(matrix, layer.type_of(value)))
    return layer.transpose(product, [order.index(at) for at in range(rank)])


def _resized_by_onnx(layer: Layer) -> str:
    """Return Resize of an image of open lengths."""
    operation = layer.operation
    if isinstance(operation, Interpolate1) or operation.antialias or any((*operation.pads_begin, *operation.pads_end)):
        raise NotExpressibleError("open lengths, with weights or pads of its own")
    mode = {"linear_onnx": "linear", "linear": "linear", "cubic": "cubic", "nearest": "nearest"}.get(operation.mode)
    transformation = operation.coordinate_transformation_mode
    if mode is None:
        raise NotExpressibleError(f"ONNX's Resize of opset {layer.opset} has no equal for open lengths")
    if transformation == "tf_half_pixel_for_nn" or (not layer.info().element_type.is_floating and mode != "nearest"):
        raise NotExpressibleError("ONNX's Resize has no equal for open lengths")
    has_two = operation.version == "opset4"
    last = 3 if has_two else 2
    axes = layer.integers(last) if layer.has(last) else list(range(layer.rank()))
    count = layer.shape(1)[0]
    if len(set(map(layer.axis, axes))) < len(axes) or (count.is_static and count != len(axes)):
        raise NotExpressibleError("axes that are named twice, or that have no size, are not ONNX's")
    axes = [layer.axis(axis) for axis in axes]
    scales = 2 if has_two else 1
    operands = _target(layer, axes, scales)
    return layer.emit(
        "Resize", layer.inputs[0], "", *operands, mode=mode,
        axes=None if axes == list(range(layer.rank())) else axes,
        coordinate_transformation_mode=transformation,
        nearest_mode=rounding_of(layer, scales) if mode == "nearest" else None,
        cubic_coeff_a=float(operation.cube_coeff) if mode == "cubic" else None,
    )  # fmt: skip


def _target(layer: Layer, axes: list[int], scales: int) -> list[str]:
    """Return the inputs of Resize from its scales on: an input with these, or none and sizes."""
    if layer.operation.shape_calculation_mode == "sizes":
        sizes = layer.cast(layer.inputs[1], i64)
        return ["", sizes if layer.shape(1) == [len(axes)] else layer.reshape(sizes, len(axes))]
    if layer.operation.coordinate_transformation_mode == "align_corners":
        raise NotExpressibleError("ONNX's align_corners by scales uses lengths that are not rounded")
    return [exact_scales(layer, scales, axes, keeps=True)]


@writes(GridSample, widens=True)
def grid_sample(layer: Layer) -> str:
    """Return GridSample."""
    operation = layer.operation
    if not layer.info().element_type.is_floating:
        raise NotExpressibleError("integers are rounded in a way of their own")
    modes = {"bilinear": "linear", "bicubic": "cubic", "nearest": "nearest"}
    if layer.opset < 20:
        modes = {name: name for name in modes}
    grid = layer.inputs[1]
    grid = layer.emit("Where", layer.emit("IsNaN", grid), layer.like(0, grid), grid)
    return layer.emit(
        "GridSample", layer.inputs[0], grid, mode=modes[operation.mode], padding_mode=operation.padding_mode,
        align_corners=int(operation.align_corners),
    )  # fmt: skip
