"""If."""

from __future__ import annotations

from ir_plugin.frontends.onnx.bodies import Body
from ir_plugin.frontends.onnx.common import as_scalar
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.infrastructure.ports import Inputs, last_values, sub_graph_node
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, Output, SubGraph
from ir_plugin.model.rewiring import rewire


@translates("If", 1)
def if_(node: OnnxNode) -> Node | list[Output]:
    """Return If-8 of both graphs, or the values of one where the condition is known: the other is not read."""
    condition = node.constant(0)
    if condition is not None and condition.size == 1:
        return _inlined(node.body("then_branch" if condition.item() else "else_branch", []))
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


def _inlined(body: Body) -> list[Output]:
    """Return the results of a body whose nodes read the values around it."""
    rewire([(port, outer) for outer, inner in body.captured for port in list(inner.outputs[0].readers)])
    values = []
    for result in body.results:
        (port,) = result.inputs
        source = port.source
        if source is None:
            raise OnnxReadError(f"the output {result.name!r} of the branch has no value")
        source.readers.remove(port)
        values.append(source)
    return values
