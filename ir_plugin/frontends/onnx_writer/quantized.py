"""Weights of few bits that are scaled when they are read, as DequantizeLinear."""

from __future__ import annotations

from typing import Any, NamedTuple

from ir_plugin.frontends.onnx_writer.graph import schema_of
from ir_plugin.frontends.onnx_writer.layer import Layer
from ir_plugin.frontends.onnx_writer.values import held, type_text
from ir_plugin.model import Node, Output
from ir_plugin.operations.arithmetic.binary import Subtract
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import ElementType


class Quantized(NamedTuple):
    """A product of converted weights, minus zero points if there are any, and scales."""

    weights: Output
    zero_points: Output | None
    scales: Output


class Layout(NamedTuple):
    """How scales spread over weights: the shape in which ONNX takes them, and the attributes that say it."""

    shape: tuple[int, ...]
    attributes: dict[str, int]


def dequantized(layer: Layer) -> str | None:
    """Return DequantizeLinear of constant weights for a product that is one, None for any other product."""
    quantized = _quantized(layer.node)
    if quantized is None:
        return None
    weights, scales = (_const_of(output) for output in (quantized.weights, quantized.scales))
    layout = _layout(weights.shape, scales.shape)
    if layout is None or not _takes(layer.opset, weights.element_type, scales.element_type, layout):
        return None
    parts = [quantized.scales, *([] if quantized.zero_points is None else [quantized.zero_points])]
    shaped = [_shaped(layer, output, layout.shape) for output in parts]
    return layer.emit(
        "DequantizeLinear",
        layer.scope.value_of(quantized.weights),
        *shaped,
        result=scales.element_type,
        **layout.attributes,
    )


def _quantized(product: Node) -> Quantized | None:
    """Return the weights, zero points and scales of a product, None if it has other operands."""
    first, second = (port.source for port in product.inputs)
    if first is None or second is None:
        return None
    operand, scales = (first, second) if _is_constant(second) else (second, first)
    values: Output | None = operand
    zero_points = None
    if _is_a(operand.node, Subtract):
        values, points = (port.source for port in operand.node.inputs)
        zero_points = _unconverted(points)
        if zero_points is None:
            return None
    weights = _unconverted(values)
    if weights is None or not _is_constant(scales) or weights.element_type.bits > 8:
        return None
    if zero_points is not None and (
        _const_of(zero_points).shape != _const_of(scales).shape or zero_points.element_type is not weights.element_type
    ):
        return None
    return Quantized(weights, zero_points, scales)


def _is_a(node: Node, definition: Any) -> bool:
    return node.operation is not None and node.operation.is_a(definition)


def _is_constant(output: Output) -> bool:
    return _is_a(output.node, Const)


def _const_of(output: Output) -> Const:
    operation: Const = output.node.operation
    return operation


def _unconverted(output: Output | None) -> Output | None:
    """Return the constant that a Convert gives in floats."""
    if output is None or not _is_a(output.node, Convert) or not output.element_type.is_floating:
        return None
    source: Output | None = output.node.inputs[0].source
    return source if source is not None and _is_constant(source) else None


def _layout(weights: tuple[int, ...], scales: tuple[int, ...]) -> Layout | None:
    """Return how scales spread over weights: one for all, one for each index of an axis, or one for each block."""
    scales = (1,) * (len(weights) - len(scales)) + tuple(scales)
    if len(scales) != len(weights) or 0 in weights:
        return None
    own = [axis for axis, length in enumerate(scales) if length != 1]
    if not own:
        return Layout((), {})
    if len(own) == 1 and scales[own[0]] == weights[own[0]]:
        return Layout((scales[own[0]],), {"axis": own[0]})
    shared = [axis for axis, length in enumerate(scales) if length != weights[axis]]
    if len(shared) != 1 or scales[shared[0]] != 1:
        return None
    return Layout(scales, {"axis": shared[0], "block_size": weights[shared[0]]})


def _takes(opset: int, weights: ElementType, scales: ElementType, layout: Layout) -> bool:
    """Return whether DequantizeLinear of an opset takes weights and scales of these types in this layout."""
    schema = schema_of("DequantizeLinear", opset)
    if held(weights, opset) is not weights or not layout.attributes.keys() <= schema.attributes.keys():
        return False
    allowed = {constraint.type_param_str: constraint.allowed_type_strs for constraint in schema.type_constraints}
    pairs = zip(schema.inputs, (weights, scales), strict=False)
    return all(type_text(item) in allowed.get(formal.type_str, [formal.type_str]) for formal, item in pairs)


def _shaped(layer: Layer, output: Output, shape: tuple[int, ...]) -> str:
    """Return a constant in a shape."""
    value: str = layer.scope.value_of(output)
    return value if _const_of(output).shape == shape else layer.reshape(value, *shape)
