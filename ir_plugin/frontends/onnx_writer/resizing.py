"""Resize, grids of any number of axes, and decoders of images, as ONNX defines them."""

from __future__ import annotations

from typing import Any

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.image import grid_sample
from ir_plugin.frontends.onnx_writer.layer import Layer, i64
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.frontends.onnx_writer.scales import exact_scales, rounding_of
from ir_plugin.operations.image.grid_sample_nd import GridSampleND
from ir_plugin.operations.image.image_decoder import ImageDecoder
from ir_plugin.operations.image.resize import Resize
from ir_plugin.tensors import ElementType


@writes(Resize)
def resize(layer: Layer) -> str:
    """Return Resize."""
    operation = layer.operation
    by_sizes = operation.shape_calculation_mode == "sizes"
    is_cropped = operation.coordinate_transformation_mode == "tf_crop_and_resize"
    if is_cropped and not layer.has(3):
        raise NotExpressibleError("tf_crop_and_resize needs the part to read")
    roi = layer.inputs[3] if is_cropped else ""
    axes = layer.integers(2)
    target = layer.cast(layer.inputs[1], i64) if by_sizes else exact_scales(layer, 1, axes)
    data = layer.inputs[0]
    if not layer.type_of(data).is_floating and operation.mode != "nearest":
        data = layer.cast(data, ElementType.f32)
    return layer.emit("Resize", data, roi, *(["", target] if by_sizes else [target]), **_attributes(layer))


def _attributes(layer: Layer) -> dict[str, Any]:
    """Return the attributes that are not at their defaults, some of which older opsets lack."""
    operation = layer.operation
    mode, transformation = operation.mode, operation.coordinate_transformation_mode
    if transformation == "half_pixel_symmetric" and layer.opset < 19:
        raise NotExpressibleError(f"ONNX's Resize of opset {layer.opset} has no half_pixel_symmetric")
    if transformation == "tf_half_pixel_for_nn":
        raise NotExpressibleError("ONNX's Resize has no such coordinates any more")
    axes = layer.integers(2)
    is_all = axes == list(range(layer.rank()))
    policy = operation.keep_aspect_ratio_policy
    return {
        "mode": mode,
        "coordinate_transformation_mode": transformation,
        "nearest_mode": rounding_of(layer, 1) if mode == "nearest" else None,
        "antialias": 1 if operation.antialias else None,
        "cubic_coeff_a": float(operation.cube_coeff) if mode == "cubic" else None,
        "exclude_outside": 1 if operation.exclude_outside else None,
        "extrapolation_value": float(operation.extrapolation_value) or None,
        "keep_aspect_ratio_policy": None if policy == "stretch" else policy,
        "axes": None if is_all else axes,
    }


@writes(GridSampleND, widens=True)
def grid_sample_nd(layer: Layer) -> str:
    """Return GridSample of any number of axes."""
    if layer.opset < 20:
        raise NotExpressibleError(f"ONNX's GridSample of opset {layer.opset} has two axes")
    return str(grid_sample(layer))


@writes(ImageDecoder)
def image_decoder(layer: Layer) -> str:
    """Return ImageDecoder."""
    formats = {"rgb": "RGB", "bgr": "BGR", "grayscale": "Grayscale"}
    return layer.emit("ImageDecoder", layer.inputs[0], pixel_format=formats[layer.operation.pixel_format])
