"""Whether two models are the same: structure, attributes, names, shapes, constants and runtime information."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.model import Model, Node
from ir_plugin.tensors import Array


def require_same(first: Model, second: Model) -> None:
    assert first.name == second.name
    assert first.rt_info == second.rt_info
    require_same_graph(first, second)


def require_same_graph(first: Model, second: Model) -> None:
    """Compare from the results and sinks backwards, so that the order of layers does not count."""
    assert names(first.parameters) == names(second.parameters)
    assert names(first.results) == names(second.results)
    assert names(first.sinks) == names(second.sinks)
    twins: dict[Node, Node] = {}
    for left, right in zip(ends(first), ends(second), strict=True):
        visit(left, right, twins)
    assert len(twins) == len(second.ordered()) == len(first.ordered())


def names(nodes: list[Node]) -> list[str]:
    return [node.name for node in nodes]


def ends(model: Model) -> list[Node]:
    return [*model.results, *model.sinks, *model.parameters]


def visit(first: Node, second: Node, twins: dict[Node, Node]) -> None:
    waiting = [(first, second)]
    while waiting:
        left, right = waiting.pop()
        if left in twins:
            assert twins[left] is right
            continue
        twins[left] = right
        require_same_node(left, right)
        for mine, theirs in zip(left.inputs, right.inputs, strict=True):
            assert (mine.source is None) == (theirs.source is None)
            if mine.source is not None and theirs.source is not None:
                assert mine.source.index == theirs.source.index
                waiting.append((mine.source.node, theirs.source.node))


def require_same_node(first: Node, second: Node) -> None:
    assert first.name == second.name
    assert first.get_type_info() == second.get_type_info()
    assert attributes(first) == attributes(second)
    assert first.rt_info == second.rt_info
    for left, right in zip(first.outputs, second.outputs, strict=True):
        assert left.names == right.names
        assert left.rt_info == right.rt_info
        assert left.element_type is right.element_type
        assert left.partial_shape == right.partial_shape
    if first.get_type_name() == "Constant":
        require_same_bits(first.data, second.data)
    require_same_bodies(first, second)


def attributes(node: Node) -> dict[str, str]:
    return {name: repr(value) for name, value in node.get_attributes().items()}


def require_same_bits(first: Array, second: Array) -> None:
    assert (first.dtype, first.shape) == (second.dtype, second.shape)
    if first.dtype == np.object_:
        assert first.tolist() == second.tolist()
    else:
        assert first.tobytes() == second.tobytes()


def require_same_bodies(first: Node, second: Node) -> None:
    mine, theirs = bodies(first), bodies(second)
    assert mine.keys() == theirs.keys()
    for name, subgraph in mine.items():
        partner = theirs[name]
        assert set(subgraph.inputs) == set(partner.inputs)
        assert set(subgraph.outputs) == set(partner.outputs)
        assert subgraph.back_edges == partner.back_edges
        require_same_graph(subgraph.body, partner.body)


def bodies(node: Node) -> dict[str, Any]:
    return {} if node.operation is None else node.operation.subgraphs
