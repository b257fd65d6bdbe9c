"""Gather, GatherElements and GatherND, all of which refuse an index out of range."""

from __future__ import annotations

from ir_plugin import opset16 as ops
from ir_plugin.frontends.onnx.common import i64
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.opsets.nodes import built, definition_of


@translates("Gather", 1)
def gather(node: OnnxNode) -> Node:
    """Return Gather-8 that refuses an index out of range; one in [-d, -1] counts from the end in every version."""
    inputs = [node.input(0), node.input(1), i64(node.attributes.int("axis"))]
    return built(definition_of("Gather", "opset8"), inputs, {"batch_dims": 0, "out_of_range": "error"}, None)


@translates("GatherElements", 11)
def gather_elements(node: OnnxNode) -> Node:
    """Return GatherElements-6."""
    return ops.gather_elements(node.input(0), node.input(1), node.attributes.int("axis"))


@translates("GatherND", 11)
def gather_nd(node: OnnxNode) -> Node:
    """Return GatherND-8; before version 12 there are no batch dimensions."""
    return ops.gather_nd(node.input(0), node.input(1), node.attributes.int("batch_dims", 0))
