"""QuantizeLinear and DequantizeLinear, of ONNX and of onnxruntime."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, cast, i64, normalized, output, type_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.quantization.fake_quantize import fake_quantized
from ir_plugin.frontends.onnx.quantization.scales import RANGES, Grid, centered, is_single, quantized, shaped, spread
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.frontends.onnx.type.cast import converted_to
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType

_WIDE = (ElementType.f32, ElementType.f64)
_AXES = 13
"""The version in which scales along an axis came."""


@translates("QuantizeLinear", 10)
@translates("QuantizeLinear", 1, domain="com.microsoft")
def quantize_linear(node: OnnxNode) -> Value:
    """Return data / scale rounded to even plus the zero point; for small floats rounded to the type."""
    scale, zero_point = node.input(1), node.optional(2)
    target = _quantized_type(node)
    grid = _grid(node)
    named = node.attributes.int("precision", 0)
    precision = node.attributes.element_type("precision") if named else type_of(scale)
    if not precision.is_floating:
        precision = ElementType.f32
    scaled = ops.divide(cast(node.input(0), precision), cast(spread(scale, node.input(0), grid), precision))
    point = None if zero_point is None else spread(zero_point, node.input(0), grid)
    if target.name in RANGES:
        return quantized(scaled if precision in _WIDE else cast(scaled, ElementType.f32), point, target)
    if target is ElementType.f4e2m1 and point is not None:
        scaled = ops.add(scaled, cast(point, precision))
    return converted_to(output(scaled), target, saturate=node.attributes.flag("saturate", 1))


@translates("DequantizeLinear", 10)
@translates("DequantizeLinear", 1, domain="com.microsoft")
def dequantize_linear(node: OnnxNode) -> Value:
    """Return (data - zero point) * scale by Convert, Subtract and Multiply, as weights of OpenVINO are written.

    Data that QuantizeLinear quantized with the same constants are FakeQuantize-1.
    """
    data, scale, zero_point = node.input(0), node.input(1), node.optional(2)
    grid = _grid(node)
    chosen = node.attributes.int("output_dtype", 0)
    target = node.attributes.element_type("output_dtype") if chosen else type_of(scale)
    wide = type_of(scale) if type_of(scale) in _WIDE or type_of(scale) is target else ElementType.f32
    if wide.bits < 32 and type_of(data).bits > 8:
        wide = ElementType.f32
    if _is_cut(data, scale, grid):
        return cast(_of_blocks(data, scale, zero_point, grid, wide), target)
    point, factor = None if zero_point is None else spread(zero_point, data, grid), spread(scale, data, grid)
    pair = None if grid.block else fake_quantized(data, factor, point)
    if pair is not None:
        return cast(pair, target)
    return cast(ops.multiply(centered(data, point, wide), cast(factor, wide)), target)


def _is_cut(data: Output, scale: Output, grid: Grid) -> bool:
    """Return whether data are constant and consist of whole blocks."""
    if not grid.block or is_single(scale) or data.node.type != "Const":
        return False
    length = data.tensor_info.shape[normalized(grid.axis, len(data.tensor_info.shape))]
    return bool(length.is_static and length.get_length() % grid.block == 0)


def _of_blocks(data: Output, scale: Output, zero_point: Output | None, grid: Grid, wide: ElementType) -> Output:
    """Return constants with the blocks as a separate axis, as in OpenVINO's compressed weights."""
    shape = [dim.get_length() for dim in data.tensor_info.shape]
    axis = normalized(grid.axis, len(shape))
    parts = [*shape[:axis], shape[axis] // grid.block, grid.block, *shape[axis + 1 :]]
    ones = [*parts[: axis + 1], 1, *parts[axis + 2 :]]
    point = None if zero_point is None else shaped(zero_point, ones)
    numbers = ops.multiply(centered(shaped(data, parts), point, wide), cast(shaped(scale, ones), wide))
    return output(ops.reshape(numbers, i64(shape), special_zero=False))


def _grid(node: OnnxNode) -> Grid:
    is_whole = not node.domain and node.since < _AXES
    return Grid(node.attributes.int("axis", 1), node.attributes.int("block_size", 0), is_whole)


def _quantized_type(node: OnnxNode) -> ElementType:
    """Return the type of the result: the zero point's type, else `output_dtype`, else u8."""
    chosen = node.attributes.int("output_dtype", 0)
    named = node.attributes.element_type("output_dtype") if chosen else None
    if not node.has(2):
        return named or ElementType.u8
    target = node.type_of(2)
    if named is not None and named is not target:
        raise OnnxReadError(f"output_dtype is {named}; the zero point has the type {target}")
    return target
