"""Copies of models: what changes in one of them does not change in the other."""

from __future__ import annotations

import copy
from typing import Any

from ir_plugin.model.graph import Model, SubGraph, connect
from ir_plugin.model.node import Node
from ir_plugin.model.ports import Input, Output


def clone(model: Model) -> Model:
    """Return a copy of a graph, bodies included; constants are shared, as they never change."""
    made = {node: _clone_node(node) for node in model.nodes}
    for node, twin in made.items():
        for port, other in zip(node.inputs, twin.inputs, strict=True):
            if port.source is not None:
                connect(made[port.source.node].outputs[port.source.index], other)
    found = Model(model.name, made.values(), model.version)
    found.rt_info = _copied(model.rt_info)
    found.weights = model.weights
    return found


def _clone_node(node: Node) -> Node:
    twin = Node(node.id, node.name, node.type, node.version, _clone_operation(node))
    twin.attributes = dict(node.attributes)
    twin.rt_info = _copied(node.rt_info)
    twin.origin, twin.path = node.origin, node.path
    for port in node.inputs:
        twin.inputs.append(Input(twin, port.index, port.port_id, port.declared))
    for output in node.outputs:
        other = Output(twin, output.index, output.port_id, output.declared)
        other.take_names(output)
        other.rt_info = _copied(output.rt_info)
        other.known = output.known
        twin.outputs.append(other)
    return twin


def _clone_operation(node: Node) -> object:
    operation = node.operation
    if operation is None or operation.type == "Const":
        return operation
    found = copy.copy(operation)
    found.subgraphs = {
        name: SubGraph(clone(known.body), list(known.inputs), list(known.outputs), list(known.back_edges))
        for name, known in operation.subgraphs.items()
    }
    return found


def _copied(info: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(info) if info else {}
