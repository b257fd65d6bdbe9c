"""What many translators need: constants, casts, shapes, axes and broadcasting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.opsets.nodes import built, definition_of
from ir_plugin.tensors import ElementType
from ir_plugin.tensors.packing import to_type

Value: TypeAlias = "Node | Output"


def output(value: Value) -> Output:
    """Return the first output of a node, or an output itself."""
    return value.outputs[0] if isinstance(value, Node) else value


def type_of(value: Value) -> ElementType:
    """Return the element type of a value."""
    return output(value).tensor_info.element_type


def rank_of(value: Value) -> int | None:
    """Return the rank of a value, None if it is unknown."""
    return output(value).tensor_info.shape.ndim


def scalar(number: Any, like: Value | ElementType) -> Output:
    """Return a scalar constant of an element type, or of the type of a value; for strings, 0 is the empty text."""
    element_type = like if isinstance(like, ElementType) else type_of(like)
    if element_type.is_dynamic and not isinstance(like, ElementType):
        return output(ops.convert_like(constant_of(np.float32(number).reshape(())), like))
    if element_type is ElementType.string:
        return constant_of(np.array("" if number == 0 else str(number), object), element_type).outputs[0]
    return constant_of(to_type(np.array(number), element_type), element_type).outputs[0]


def i64(values: int | Sequence[int]) -> Output:
    """Return a constant of i64: a scalar for a number, a vector for a list."""
    return constant_of(np.array(values, np.int64)).outputs[0]


def cast(value: Value, element_type: ElementType) -> Output:
    """Return a value converted to an element type; unchanged if it has that type."""
    source = output(value)
    return source if type_of(source) is element_type else output(ops.convert(source, element_type.name))


def cast_like(value: Value, like: Value) -> Output:
    """Return a value converted to the type of another."""
    element_type = type_of(like)
    return output(ops.convert_like(value, like)) if element_type.is_dynamic else cast(value, element_type)


def shape_of(value: Value) -> Output:
    """Return the shape of a value in i64."""
    return output(ops.shape_of(value, output_type="i64"))


def rank_as_value(value: Value) -> Output:
    """Return the rank of a value as a scalar of i64, a constant where it is known."""
    rank = rank_of(value)
    if rank is not None:
        return i64(rank)
    return output(ops.squeeze(ops.shape_of(shape_of(value), output_type="i64"), i64([0])))


def extension(type: str, inputs: Sequence[Value], /, **attributes: Any) -> Node:
    """Return a node of an operation of the version `extension`: what OpenVINO's opsets cannot say."""
    return built(definition_of(type, "extension"), [output(item) for item in inputs], attributes, None)


def as_scalar(value: Value) -> Output:
    """Return a value of one element as a scalar, a constant where it is known."""
    source = output(value)
    if rank_of(source) == 0:
        return source
    constant = source.tensor_info.value
    if constant is not None and constant.size == 1:
        return constant_of(constant.reshape(()), type_of(source)).outputs[0]
    return output(ops.reshape(source, i64([]), special_zero=False))


def axes_of(node: OnnxNode, index: int, name: str = "axes") -> Output | None:
    """Return the axes of an operator: of an input in newer versions, of an attribute in older ones; None without."""
    if node.has(index):
        return cast(node.input(index), ElementType.i64)
    axes = node.attributes.ints(name, None)
    return None if axes is None else i64(axes)


def normalized(axis: int, rank: int, name: str = "axis", extra: int = 0) -> int:
    """Return an axis counted from the front; raises for one outside [-rank, rank - 1 + extra]."""
    if not -rank <= axis < rank + extra:
        raise OnnxReadError(f"{name} is {axis}; it must be in [{-rank}, {rank - 1 + extra}] for the rank {rank}")
    return axis + rank if axis < 0 else axis


def all_axes(value: Value) -> Output:
    """Return the axes 0, 1, … of a value as a vector of i64."""
    rank = rank_of(value)
    if rank is not None:
        return i64(list(range(rank)))
    return output(ops.range(i64(0), rank_as_value(value), i64(1), "i64"))


def legacy_broadcast(node: OnnxNode) -> tuple[Output, Output]:
    """Return the inputs of a binary operator of the first versions, whose second one begins at the axis `axis`."""
    left, right = node.input(0), node.input(1)
    if not node.attributes.flag("broadcast", 0) or "axis" not in node.attributes:
        return left, right
    left_rank, right_rank = node.known_rank(0), node.known_rank(1)
    trailing = left_rank - normalized(node.attributes.int("axis"), left_rank) - right_rank
    if trailing <= 0:
        return left, right
    return left, output(ops.unsqueeze(right, i64(list(range(right_rank, right_rank + trailing)))))
