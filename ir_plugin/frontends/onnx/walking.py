"""Walks through the nodes of ONNX graphs and of the graphs in their attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def graphs_of(attribute: Any) -> list[Any]:
    """Return the graphs of an attribute, none for other types."""
    return [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]


def all_nodes(nodes: Iterable[Any]) -> Iterator[Any]:
    """Yield nodes and those of the graphs in their attributes."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        for attribute in node.attribute:
            for graph in graphs_of(attribute):
                waiting += graph.node


def names_read(node: Any) -> Iterator[str]:
    """Yield the names that a node and the graphs in its attributes read."""
    for inner in all_nodes([node]):
        yield from inner.input
        for attribute in inner.attribute:
            for graph in graphs_of(attribute):
                yield from (value.name for value in graph.output)
