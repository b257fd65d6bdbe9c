"""TopK and Unique."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, as_scalar, i64
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops


@translates("TopK", 10)
def topk(node: OnnxNode) -> Node:
    """Return TopK-11; equal elements stay in their order."""
    count = as_scalar(node.input(1))
    mode = "max" if node.attributes.flag("largest", 1) else "min"
    return _topk(node, count, mode)


@translates("TopK", 1)
def topk_1(node: OnnxNode) -> Node:
    """As the newest, but with the number as an attribute, and for the largest only."""
    return _topk(node, i64(node.attributes.int("k")), "max")


def _topk(node: OnnxNode, count: Value, mode: str) -> Node:
    return ops.topk(node.input(0), count, node.attributes.int("axis"), mode, "value", "i64", stable=True)


@translates("Unique", 11)
def unique(node: OnnxNode) -> Node:
    """Return Unique-10, whose outputs are ONNX's."""
    axis = node.attributes.int("axis", None)
    return ops.unique(node.input(0), None if axis is None else i64(axis), node.attributes.flag("sorted"))
