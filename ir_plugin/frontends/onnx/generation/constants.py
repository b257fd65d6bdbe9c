"""Constant, ConstantOfShape, Range and EyeLike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.frontends.onnx.common import Value, as_scalar, cast, i64, shape_of, type_of
from ir_plugin.frontends.onnx.constants import array_of, constant_of, constant_of_tensor, dense_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.frontends.onnx.types import element_type_of
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.strings import string_array


@translates("Constant", 1)
def constant(node: OnnxNode) -> Node:
    """Return the constant of the only attribute."""
    names = [name for name in node.attributes.names() if name.startswith(("value", "sparse_value"))]
    if len(names) != 1:
        raise OnnxReadError(f"it needs exactly one value; it has {', '.join(names) or 'none'}")
    attributes, name = node.attributes, names[0]
    if name == "value":
        return constant_of_tensor(attributes.tensor(name), node.scope.source.files)
    if name == "sparse_value":
        return constant_of(*dense_of(attributes.read(name, "sparse_tensor"), node.scope.source.files))
    readers: dict[str, Callable[[], Array]] = {
        "value_int": lambda: np.array(attributes.int(name), np.int64),
        "value_ints": lambda: np.array(attributes.ints(name), np.int64),
        "value_float": lambda: np.array(attributes.float(name), np.float32),
        "value_floats": lambda: np.array(attributes.floats(name), np.float32),
        "value_string": lambda: string_array([attributes.text(name)], ()),
        "value_strings": lambda: string_array(attributes.texts(name), (len(attributes.texts(name)),)),
    }
    if name not in readers:
        raise OnnxReadError(f"the attribute {name!r} is none of value, sparse_value, {', '.join(readers)}")
    return constant_of(readers[name]())


@translates("ConstantOfShape", 9)
def constant_of_shape(node: OnnxNode) -> Node:
    """Return one value, the zero of f32 by default, in a shape."""
    if "value" not in node.attributes:
        return ops.broadcast(constant_of(np.zeros((), np.float32)), node.input(0))
    tensor = node.attributes.tensor("value")
    array = array_of(tensor, node.scope.source.files)
    if array.size != 1:
        raise OnnxReadError(f"the attribute 'value' has {array.size} elements; it must have one")
    return ops.broadcast(constant_of(array.reshape(()), element_type_of(tensor.data_type)), node.input(0))


@translates("Range", 11)
def range(node: OnnxNode) -> Node:
    """Return Range-4 of the type of the inputs."""
    start, limit, delta = (as_scalar(node.input(index)) for index in (0, 1, 2))
    return ops.range(start, limit, delta, type_of(node.input(0)).name)


@translates("EyeLike", 9)
def eye_like(node: OnnxNode) -> Value:
    """Return ones on a diagonal of the shape of the input."""
    if node.rank(0) not in (None, 2):
        raise OnnxReadError(f"the input has the rank {node.rank(0)}; it must be 2")
    lengths = shape_of(node.input(0))
    rows, columns = (ops.gather(lengths, i64(axis), i64(0)) for axis in (0, 1))
    target = node.attributes.element_type("dtype", node.type_of(0))
    supported = target if (target.is_integer and target.bits in (8, 32, 64)) or target.is_floating else ElementType.i64
    return cast(ops.eye(rows, columns, i64(node.attributes.int("k")), supported.name), target)
