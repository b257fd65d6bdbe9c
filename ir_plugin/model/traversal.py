"""The orders in which OpenVINO lists the nodes of a model."""

from __future__ import annotations

from ir_plugin.model.graph import Model
from ir_plugin.model.node import Node


def preorder(model: Model) -> list[Node]:
    """Return the nodes that contribute to a result, each before its producers.

    The roots are the parameters, the sinks and the results, each from the last to the first.
    """
    waiting = _roots(model)
    listed: dict[Node, None] = {}
    while waiting:
        node = waiting.pop()
        if node not in listed:
            listed[node] = None
            waiting += [port.source.node for port in node.inputs if port.source is not None]
    return list(listed)


def postorder(model: Model) -> list[Node]:
    """Return the nodes that contribute to a result, each after its producers; the graph has no cycle.

    The roots are the parameters, the sinks and the results, each from the last to the first.
    """
    waiting = _roots(model)
    listed: dict[Node, None] = {}
    while waiting:
        node = waiting[-1]
        sources = [port.source.node for port in reversed(node.inputs) if port.source is not None]
        missing = [] if node in listed else [source for source in sources if source not in listed]
        if missing:
            waiting += missing
        else:
            waiting.pop()
            listed[node] = None
    return list(listed)


def _roots(model: Model) -> list[Node]:
    return [*model.results, *model.sinks, *model.parameters]
