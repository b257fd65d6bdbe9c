"""If."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import as_scalar
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.infrastructure.ports import Inputs, last_values, sub_graph_node
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, SubGraph


@translates("If", 1)
def if_(node: OnnxNode) -> Node:
    """Return If-8 of both graphs."""
    bodies = {name: node.body(f"{name}_branch", []) for name in ("then", "else")}
    numbers = [len(body.results) for body in bodies.values()]
    if numbers[0] != numbers[1]:
        raise OnnxReadError(f"then_branch has {numbers[0]} outputs, else_branch {numbers[1]}")
    inputs = Inputs([as_scalar(node.input(0))])
    subgraphs = {
        f"{name}_body": SubGraph(body.model, inputs.captured(body), last_values(0, numbers[0]), [])
        for name, body in bodies.items()
    }
    return sub_graph_node("If", "opset8", inputs, subgraphs)
