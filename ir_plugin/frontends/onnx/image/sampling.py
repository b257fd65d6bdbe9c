"""GridSample, AffineGrid and Col2Im."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, cast, cast_like, extension, i64, output, scalar
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType

_MODES = {"linear": "bilinear", "bilinear": "bilinear", "nearest": "nearest", "cubic": "bicubic", "bicubic": "bicubic"}
_PADDINGS = ("zeros", "border", "reflection")


@translates("GridSample", 16)
def grid_sample(node: OnnxNode) -> Node:
    """Return GridSample-9, or for other than two spatial axes the extension's."""
    mode, padding = node.attributes.text("mode"), node.attributes.text("padding_mode")
    if mode not in _MODES:
        raise OnnxReadError(f"the attribute 'mode' is {mode!r}; it must be linear, nearest or cubic")
    if padding not in _PADDINGS:
        raise OnnxReadError(f"the attribute 'padding_mode' is {padding!r}; it must be one of {', '.join(_PADDINGS)}")
    attributes = {"align_corners": node.attributes.flag("align_corners"), "mode": _MODES[mode], "padding_mode": padding}
    data, grid = node.input(0), node.input(1)
    if 4 in (node.rank(0), node.rank(1)) or node.rank(0) is node.rank(1) is None:
        return ops.grid_sample(data, grid, attributes)
    return extension("GridSampleND", [data, grid], **attributes)


@translates("AffineGrid", 20)
def affine_grid(node: OnnxNode) -> Node:
    """Return the positions of a regular grid moved by a matrix for each image."""
    theta = node.input(0)
    rank = node.input(1).tensor_info.shape[0].get_length() if node.rank(1) == 1 else 0
    if rank not in (4, 5):
        raise OnnxReadError(f"size has {rank} elements; it must have 4 or 5")
    spatial = [ops.gather(cast(node.input(1), ElementType.i64), i64(axis), i64(0)) for axis in range(2, rank)]
    shape = ops.concat([ops.unsqueeze(length, i64([0])) for length in spatial], 0)
    aligned = node.attributes.flag("align_corners")
    columns: list[Value] = []
    for axis in reversed(range(len(spatial))):
        points = _points(spatial[axis], aligned, theta)
        raised = ops.reshape(points, i64([-1, *[1] * (len(spatial) - 1 - axis)]), special_zero=False)
        columns.append(ops.unsqueeze(ops.broadcast(raised, shape), i64([-1])))
    columns.append(ops.add(ops.multiply(columns[0], scalar(0, theta)), scalar(1, theta)))
    homogeneous = ops.reshape(ops.concat(columns, -1), i64([-1, len(columns)]), special_zero=False)
    moved = ops.matmul(homogeneous, theta, transpose_a=False, transpose_b=True)
    target = ops.concat([i64([0]), shape, i64([len(spatial)])], 0)
    return ops.reshape(moved, target, special_zero=True)


def _points(length: Value, aligned: bool, like: Value) -> Value:
    """Return evenly spaced positions in [-1, 1]: the ends, or the middles of as many parts."""
    numbers = cast_like(ops.range(i64(0), length, i64(1), "i64"), like)
    count = cast_like(length, like)
    one, two = scalar(1, like), scalar(2, like)
    if aligned:
        steps = ops.maximum(ops.subtract(count, one), one)
        return ops.subtract(ops.divide(ops.multiply(numbers, two), steps), one)
    return ops.subtract(ops.divide(ops.add(ops.multiply(numbers, two), one), count), one)


@translates("Col2Im", 18)
def col2im(node: OnnxNode) -> Node:
    """Return Col2Im-15, or for other than two spatial axes the extension's."""
    axes = _count(node.input(1)) or _count(node.input(2))
    if axes is None:
        raise OnnxReadError("the number of spatial axes is unknown: neither image_shape nor block_shape has a length")
    strides, dilations = (node.attributes.ints(name, None) or [1] * axes for name in ("strides", "dilations"))
    pads = node.attributes.ints("pads", None) or [0] * (2 * axes)
    if len(pads) != 2 * axes:
        raise OnnxReadError(f"the attribute 'pads' is {pads}; it must have {2 * axes} values")
    inputs = [node.input(0), node.input(1), node.input(2)]
    if axes == 2:
        return ops.col2im(inputs[0], inputs[1], inputs[2], strides, dilations, pads[:2], pads[2:])
    return extension(
        "Col2ImND", inputs, strides=strides, dilations=dilations, pads_begin=pads[:axes], pads_end=pads[axes:]
    )


def _count(value: Output) -> int | None:
    shape = value.tensor_info.shape
    return shape[0].get_length() if shape.ndim == 1 and shape[0].is_static else None


@translates("ImageDecoder", 20)
def image_decoder(node: OnnxNode) -> Node:
    """Return the extension's ImageDecoder."""
    pixels = node.attributes.text("pixel_format")
    if pixels not in ("RGB", "BGR", "Grayscale"):
        raise OnnxReadError(f"the attribute 'pixel_format' is {pixels!r}; it must be RGB, BGR or Grayscale")
    return extension("ImageDecoder", [node.input(0)], pixel_format=pixels.lower())


@translates("NonMaxSuppression", 10)
def non_max_suppression(node: OnnxNode) -> Output:
    """Return the triplets of NonMaxSuppression-9; without a threshold every score passes."""
    defaults = (0, 0.0, float(np.finfo(np.float32).min))
    kinds = (ElementType.i64, ElementType.f32, ElementType.f32)
    count, overlap, threshold = (
        node.input(index) if node.has(index) else scalar(value, kind)
        for index, value, kind in zip((2, 3, 4), defaults, kinds, strict=True)
    )
    encoding = "center" if node.attributes.flag("center_point_box") else "corner"
    boxes, scores = node.input(0), node.input(1)
    return output(
        ops.non_max_suppression(
            boxes,
            scores,
            count,
            overlap,
            threshold,
            box_encoding=encoding,
            sort_result_descending=False,
            output_type="i64",
        )
    )
