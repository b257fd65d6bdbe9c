"""Operators that older opsets lack, or have for fewer types, composed of those that they have."""

from __future__ import annotations

from typing import Any

from ir_plugin.frontends.onnx_writer.compositions import before
from ir_plugin.frontends.onnx_writer.layer import Layer
from ir_plugin.tensors import ElementType


@before(12, "GreaterOrEqual")
def greater_or_equal(layer: Layer, left: str, right: str) -> str:
    """Return whether elements are greater or equal; NaN is neither."""
    return layer.emit("Or", layer.emit("Greater", left, right), layer.emit("Equal", left, right))


@before(12, "LessOrEqual")
def less_or_equal(layer: Layer, left: str, right: str) -> str:
    """Return whether elements are less or equal; NaN is neither."""
    return layer.emit("Or", layer.emit("Less", left, right), layer.emit("Equal", left, right))


@before(12, "Max")
def maximum(layer: Layer, left: str, right: str) -> str:
    """Return the larger elements."""
    return _chosen(layer, "Max", "Greater", left, right)


@before(12, "Min")
def minimum(layer: Layer, left: str, right: str) -> str:
    """Return the smaller elements."""
    return _chosen(layer, "Min", "Less", left, right)


def _chosen(layer: Layer, op: str, comparison: str, left: str, right: str) -> str:
    """Return a choice between two operands, by Where for types that have no exact floats."""
    if layer.type_of(left).bits < 64 or layer.type_of(left).is_floating:
        return layer.node_output(op, left, right)
    return layer.emit("Where", layer.emit(comparison, left, right), left, right)


@before(12, "Clip")
def clip(layer: Layer, value: str, low: str, high: str) -> str:
    """Return values between limits."""
    if layer.type_of(value).bits < 64 or layer.type_of(value).is_floating:
        return layer.node_output("Clip", value, low, high)
    return layer.emit("Min", layer.emit("Max", value, low), high)


@before(13, "Resize")
def resize(layer: Layer, data: str, *operands: str, **attributes: Any) -> str:
    """Return Resize whose absent inputs are lists without elements."""
    nothing = layer.constant([], ElementType.f32)
    return layer.node_output("Resize", data, *(name or nothing for name in operands), **attributes)


@before(14, "HardSwish")
def hard_swish(layer: Layer, value: str) -> str:
    """Return the product with HardSigmoid."""
    return layer.emit("Mul", value, layer.emit("HardSigmoid", value, alpha=1 / 6, beta=0.5))
