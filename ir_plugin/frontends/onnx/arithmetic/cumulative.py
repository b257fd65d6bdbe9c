"""CumSum and CumProd."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import as_scalar, extension
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops


@translates("CumSum", 11)
def cum_sum(node: OnnxNode) -> Node:
    """Return CumSum-3."""
    axis = as_scalar(node.input(1))
    return ops.cum_sum(node.input(0), axis, node.attributes.flag("exclusive"), node.attributes.flag("reverse"))


@translates("CumProd", 26)
def cum_prod(node: OnnxNode) -> Node:
    """Return CumProd of the extension."""
    flags = {name: node.attributes.flag(name) for name in ("exclusive", "reverse")}
    return extension("CumProd", [node.input(0), node.input(1)], **flags)
