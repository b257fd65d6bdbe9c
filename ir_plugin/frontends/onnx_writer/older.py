"""Operators that older opsets lack, or have for fewer types, composed of those that they have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ir_plugin.frontends.onnx_writer.compositions import before
from ir_plugin.frontends.onnx_writer.graph import GraphBuilder
from ir_plugin.frontends.onnx_writer.layer import Layer, f32


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


@before(18, "Resize")
def resize(layer: Layer, data: str, *operands: str, axes: Sequence[int] | None = None, **attributes: Any) -> str:
    """Return Resize of all axes; the oldest opsets have lists without elements for absent inputs."""
    names = list(operands)
    if axes is not None and not names[0]:
        shape = layer.emit("Shape", data)
        whole = shape, layer.emit("Expand", layer.constant(1.0, f32), layer.emit("Shape", shape))
        for position, lengths in ((1, whole[1]), (2, whole[0])):
            if position < len(names) and names[position]:
                names[position] = layer.emit("ScatterElements", lengths, layer.list_of(*axes), names[position])
        axes = None
    if layer.opset < 13:
        nothing = layer.constant([], f32)
        names = [name or nothing for name in names]
    return layer.node_output("Resize", data, *names, axes=axes, **attributes)


@before(14, "Reshape")
def reshape(layer: Layer, data: str, pattern: str, allowzero: int | None = None) -> str:
    """Return Reshape, of which these opsets copy a length of 0 from the data, or a tensor without elements."""
    if not allowzero:
        return layer.node_output("Reshape", data, pattern)
    lowest = layer.reduce("ReduceMin", layer.emit("Abs", pattern), [0], keep=False)
    element_type = layer.type_of(data)
    branches = {
        "then_branch": _branch(
            layer, lambda inner: inner.cast(inner.emit("ConstantOfShape", pattern, result=f32), element_type)
        ),
        "else_branch": _branch(layer, lambda inner: inner.node_output("Reshape", data, pattern)),
    }
    name = layer.fresh("If")
    layer.add("If", [layer.emit("Equal", lowest, layer.constant(0))], [name], [element_type], **branches)
    return name


def _branch(layer: Layer, write: Callable[[Layer], str]) -> Any:
    """Return a graph without inputs, whose nodes a function adds and of which it returns the output."""
    from onnx import GraphProto

    inner = Layer(GraphBuilder(layer.graph.document), layer.node, layer.inputs)
    inner.graph.prefix = layer.graph.prefix
    value = write(inner)
    output = inner.graph.value_proto(value, inner.type_of(value))
    return GraphProto(name=value, node=inner.graph.nodes, output=[output])


@before(14, "HardSwish")
def hard_swish(layer: Layer, value: str) -> str:
    """Return the product with HardSigmoid."""
    return layer.emit("Mul", value, layer.emit("HardSigmoid", value, alpha=1 / 6, beta=0.5))
