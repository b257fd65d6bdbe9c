"""Einsum and Det."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import extension
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops


@translates("Einsum", 12)
def einsum(node: OnnxNode) -> Node:
    """Return Einsum-7."""
    return ops.einsum(node.present(), node.attributes.text("equation").replace(" ", ""))


@translates("Det", 11)
def det(node: OnnxNode) -> Node:
    """Return the extension's Det."""
    return extension("Det", [node.input(0)])
