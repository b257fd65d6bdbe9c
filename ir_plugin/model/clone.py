"""Independent copies of models."""

from __future__ import annotations

import copy
from typing import Any

from ir_plugin.model.graph import Model, SubGraph, connect
from ir_plugin.model.node import Node
from ir_plugin.model.ports import Input, Output


def clone(model: Model) -> Model:
    """Return a copy of a model, bodies included; constants are shared, as they never change."""
    copies = {node: _clone_node(node) for node in model.nodes}
    for node, twin in copies.items():
        for port, target in zip(node.inputs, twin.inputs, strict=True):
            if port.source is not None:
                connect(copies[port.source.node].outputs[port.source.index], target)
    copied_model = Model(model.name, copies.values(), model.version)
    copied_model.rt_info = _copied_info(model.rt_info)
    copied_model.weights = model.weights
    return copied_model


def _clone_node(node: Node) -> Node:
    copied_node = Node(node.id, node.name, node.type, node.version, _clone_operation(node))
    copied_node.attributes = dict(node.attributes)
    copied_node.rt_info = _copied_info(node.rt_info)
    copied_node.origin, copied_node.path = node.origin, node.path
    for port in node.inputs:
        copied_node.inputs.append(Input(copied_node, port.index, port.port_id, port.declared))
    for output in node.outputs:
        copied_output = Output(copied_node, output.index, output.port_id, output.declared)
        copied_output.take_names(output)
        copied_output.rt_info = _copied_info(output.rt_info)
        copied_output.known = output.known
        copied_node.outputs.append(copied_output)
    return copied_node


def _clone_operation(node: Node) -> object:
    operation = node.operation
    if operation is None or operation.type == "Const":
        return operation
    copied = copy.copy(operation)
    copied.subgraphs = {
        name: SubGraph(clone(subgraph.body), list(subgraph.inputs), list(subgraph.outputs), list(subgraph.back_edges))
        for name, subgraph in operation.subgraphs.items()
    }
    return copied


def _copied_info(info: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(info) if info else {}
