"""The topological order of the nodes of an ONNX graph."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Any

from ir_plugin.frontends.onnx.walking import names_read


def producers_of(nodes: Iterable[Any]) -> dict[str, int]:
    """Return the position of the first node that computes each value."""
    producers: dict[str, int] = {}
    for index, node in enumerate(nodes):
        for name in filter(None, node.output):
            producers.setdefault(name, index)
    return producers


def in_order(nodes: Iterable[Any]) -> list[Any]:
    """Return nodes in topological order, as OpenVINO and onnxruntime read them; with a cycle, in the given order."""
    listed = list(nodes)
    producers = producers_of(listed)
    if all(producers.get(name, -1) < index for index, node in enumerate(listed) for name in node.input):
        return listed
    order, cycle = sorted_nodes(listed, producers)
    return listed if cycle else [listed[index] for index in order]


def sorted_nodes(nodes: Sequence[Any], producers: dict[str, int]) -> tuple[list[int], list[int]]:
    """Return node positions in a topological order close to the given one, and the positions of one cycle, if any."""
    needs = [{producers[name] for name in names_read(node) if name in producers} for node in nodes]
    readers: list[list[int]] = [[] for _ in nodes]
    for index, sources in enumerate(needs):
        for source in sources:
            readers[source].append(index)
    missing = [len(sources) for sources in needs]
    ready = [index for index, count in enumerate(missing) if not count]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for reader in readers[index]:
            missing[reader] -= 1
            if not missing[reader]:
                heapq.heappush(ready, reader)
    return order, _cycle(needs, set(range(len(nodes))) - set(order))


def _cycle(needs: Sequence[set[int]], rest: set[int]) -> list[int]:
    """Return one cycle among the nodes that no order has; each of them needs another of them."""
    if not rest:
        return []
    trail, seen = [min(rest)], {min(rest): 0}
    while True:
        following = min(needs[trail[-1]] & rest)
        if following in seen:
            return trail[seen[following] :][::-1]
        seen[following] = len(trail)
        trail.append(following)
