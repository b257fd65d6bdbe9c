"""Walks through the nodes of ONNX graphs and of the graphs in their attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def graphs_of(attribute: Any) -> list[Any]:
    """Return the graphs of an attribute, none for other types."""
    return [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]


def all_nodes(nodes: Iterable[Any]) -> Iterator[Any]:
    """Yield nodes, including the nodes of graphs in their attributes."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        for attribute in node.attribute:
            for graph in graphs_of(attribute):
                waiting += graph.node


def all_tensors(proto: Any) -> Iterator[Any]:
    """Yield the tensors of a model: initializers and attributes, of graphs, their bodies and functions."""
    graphs = [proto.graph]
    attributes = []
    for node in all_nodes([*proto.graph.node, *(node for function in proto.functions for node in function.node)]):
        attributes += node.attribute
        graphs += [graph for attribute in node.attribute for graph in graphs_of(attribute)]
    for graph in graphs:
        yield from graph.initializer
        for sparse in graph.sparse_initializer:
            yield from (sparse.values, sparse.indices)
    for attribute in attributes:
        yield from (attribute.t, *attribute.tensors)


def names_read(node: Any) -> Iterator[str]:
    """Yield the names that a node and the graphs in its attributes read."""
    for inner in all_nodes([node]):
        yield from inner.input
        for attribute in inner.attribute:
            for graph in graphs_of(attribute):
                yield from (value.name for value in graph.output)
