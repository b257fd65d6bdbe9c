"""ArgMax and ArgMin: the first, or the last, position of the largest or smallest element along an axis."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, i64, output, shape_of
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops


def _position(data: Output, axis: int, mode: str) -> Output:
    return output(ops.topk(data, i64(1), axis, mode, "value", "i64", stable=True).outputs[1])


def _last_position(data: Output, axis: int, mode: str) -> Output:
    """Return the position counted from the end in the reversed data."""
    last, least = 2**63 - 1, -(2**63)
    backward = ops.slice(data, i64([last]), i64([least]), i64([-1]), i64([axis]))
    length = ops.gather(shape_of(data), i64([axis]), i64(0))
    return output(ops.subtract(ops.subtract(length, i64([1])), _position(output(backward), axis, mode)))


def _register(type: str, mode: str) -> None:
    @translates(type, 1)
    def translate(node: OnnxNode) -> Value:
        axis = node.attributes.int("axis")
        find = _last_position if node.attributes.flag("select_last_index", 0) else _position
        positions = find(node.input(0), axis, mode)
        return positions if node.attributes.flag("keepdims") else ops.squeeze(positions, i64([axis]))


_register("ArgMax", "max")
_register("ArgMin", "min")
