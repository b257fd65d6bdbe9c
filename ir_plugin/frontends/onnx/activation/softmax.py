"""Softmax, LogSoftmax and Hardmax: along one axis, in older versions over all axes from one on."""

from __future__ import annotations

from collections.abc import Callable

from ir_plugin.frontends.onnx.common import Value, i64, normalized, scalar, shape_of
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops

Along = Callable[[Value, int], Node]


def _hardmax(data: Value, axis: int) -> Node:
    """Return 1 at the first of the largest elements along an axis, 0 elsewhere."""
    positions = ops.topk(data, i64(1), axis, "max", "value", "i64", stable=True).outputs[1]
    length = ops.gather(shape_of(data), i64(axis), i64(0))
    flat = ops.squeeze(positions, i64([axis]))
    return ops.one_hot(flat, length, scalar(1, data), scalar(0, data), axis)


def _flattened(node: OnnxNode, along: Along) -> Node:
    """Apply `along` to the data flattened into a matrix, whose rows hold all axes from `axis` on."""
    data = node.input(0)
    axis = node.attributes.int("axis", 1)
    rank = node.rank(0)
    if rank is not None and normalized(axis, rank) == rank - 1:
        return along(data, axis)
    lengths = shape_of(data)
    rows = ops.reduce_prod(ops.slice(lengths, i64([0]), i64([axis]), i64([1])), i64([0]), keep_dims=True)
    matrix = ops.reshape(data, ops.concat([rows, i64([-1])], 0), special_zero=False)
    return ops.reshape(along(matrix, 1), lengths, special_zero=False)


def _register(type: str, along: Along) -> None:
    @translates(type, 13)
    def translate(node: OnnxNode) -> Node:
        return along(node.input(0), node.attributes.int("axis"))

    @translates(type, 1)
    def translate_1(node: OnnxNode) -> Node:
        return _flattened(node, along)


_register("Softmax", ops.softmax)
_register("LogSoftmax", ops.log_softmax)
_register("Hardmax", _hardmax)
