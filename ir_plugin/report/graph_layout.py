"""Layered layout of a graph: boxes in rows by their distance from the inputs, ordered by their neighbours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

ROW_GAP = 40.0
"""The distance between rows."""
GAP = 24.0
"""The distance between the boxes of a row."""
_SWEEPS = 4
_MAX_BENDS = 20_000

Point = tuple[float, float]
Size = tuple[float, float]
Edge = tuple[int, int]
Neighbours = Mapping[int, Sequence[int]]


@dataclass(frozen=True)
class Arrangement:
    """The centres of boxes and the bends of edges; the drawing begins at (0, 0)."""

    centers: Mapping[int, Point]
    bends: Mapping[Edge, Sequence[Point]]
    size: Size


def arrange(sizes: Mapping[int, Size], edges: Iterable[Edge]) -> Arrangement:
    """Return an arrangement of boxes of these sizes; an edge over several rows has a bend in each of them."""
    links = list(dict.fromkeys(edge for edge in edges if edge[0] != edge[1]))
    rank = _ranks(list(sizes), links)
    chains = _chains(links, rank)
    rows: dict[int, list[int]] = defaultdict(list)
    for node in sizes:
        rows[rank[node]].append(node)
    for (source, _), chain in chains.items():
        for step, bend in enumerate(chain):
            rows[rank[source] + 1 + step].append(bend)
    segments = [pair for edge in links for pair in pairwise((edge[0], *chains.get(edge, ()), edge[1]))]
    widths = {node: size[0] for node, size in sizes.items()}
    across = _across(rows, segments, widths)
    down, height = _down(rows, sizes)
    left = min((across[node] - widths[node] / 2 for node in sizes), default=0.0)
    centers = {node: (across[node] - left, down[node]) for node in across}
    width = max((centers[node][0] + widths[node] / 2 for node in sizes), default=0.0)
    bends = {edge: [centers[bend] for bend in chain] for edge, chain in chains.items()}
    return Arrangement({node: centers[node] for node in sizes}, bends, (width, height))


def _ranks(nodes: Sequence[int], links: Sequence[Edge]) -> dict[int, int]:
    """Return the length of the longest path to each node; nodes of a cycle keep the rank reached so far.

    A node without inputs is right above its first reader.
    """
    sources, readers = _neighbours(links)
    waiting = {node: len(sources[node]) for node in nodes}
    rank = dict.fromkeys(nodes, 0)
    ready = [node for node in nodes if not waiting[node]]
    first = list(ready)
    for node in ready:
        for reader in readers[node]:
            rank[reader] = max(rank[reader], rank[node] + 1)
            waiting[reader] -= 1
            if not waiting[reader]:
                ready.append(reader)
    for node in first:
        rank[node] = max(min((rank[reader] for reader in readers[node]), default=1) - 1, 0)
    return rank


def _chains(links: Sequence[Edge], rank: Mapping[int, int]) -> dict[Edge, list[int]]:
    """Return the bends, as negative numbers, of the edges over several rows; none if there are too many."""
    spans = {edge: rank[edge[1]] - rank[edge[0]] - 1 for edge in links}
    if sum(max(span, 0) for span in spans.values()) > _MAX_BENDS:
        return {}
    chains: dict[Edge, list[int]] = {}
    used = 0
    for edge, span in spans.items():
        if span > 0:
            chains[edge] = [-used - step for step in range(1, span + 1)]
            used += span
    return chains


def _neighbours(links: Iterable[Edge]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    sources: dict[int, list[int]] = defaultdict(list)
    readers: dict[int, list[int]] = defaultdict(list)
    for source, target in links:
        sources[target].append(source)
        readers[source].append(target)
    return sources, readers


def _across(rows: Mapping[int, list[int]], segments: Iterable[Edge], widths: Mapping[int, float]) -> dict[int, float]:
    sources, readers = _neighbours(segments)
    across: dict[int, float] = {}
    for row in rows.values():
        at = 0.0
        for node in row:
            across[node] = at + widths.get(node, 0.0) / 2
            at += widths.get(node, 0.0) + GAP
    for sweep in range(_SWEEPS):
        near = sources if sweep % 2 == 0 else readers
        for number in sorted(rows, reverse=sweep % 2 == 1):
            _order(rows[number], near, across, widths)
    return across


def _order(row: list[int], near: Neighbours, across: dict[int, float], widths: Mapping[int, float]) -> None:
    """Move the nodes of a row towards their neighbours, without overlaps."""
    target = {}
    for node in row:
        neighbours = near.get(node, ())
        target[node] = (
            sum(across[neighbour] for neighbour in neighbours) / len(neighbours) if neighbours else across[node]
        )
    row.sort(key=lambda node: target[node])
    right_edge = float("-inf")
    for node in row:
        half = widths.get(node, 0.0) / 2
        across[node] = max(target[node], right_edge + half)
        right_edge = across[node] + half + GAP
    shift = sum(across[node] - target[node] for node in row) / len(row)
    for node in row:
        across[node] -= shift


def _down(rows: Mapping[int, Sequence[int]], sizes: Mapping[int, Size]) -> tuple[dict[int, float], float]:
    """Return the middle of each node's row, and the total height."""
    down: dict[int, float] = {}
    top = -ROW_GAP
    for number in sorted(rows):
        top += ROW_GAP
        height = max((sizes[node][1] for node in rows[number] if node in sizes), default=0.0)
        down |= dict.fromkeys(rows[number], top + height / 2)
        top += height
    return down, max(top, 0.0)
