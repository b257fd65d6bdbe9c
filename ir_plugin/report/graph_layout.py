"""Places for the boxes of a graph: rows by the distance from the inputs, ordered by what they read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

BETWEEN = 40.0
"""From row to row."""
GAP = 24.0
"""From box to box of a row."""
_SWEEPS = 4
_MOST_BENDS = 20_000

Point = tuple[float, float]
Size = tuple[float, float]
Edge = tuple[int, int]
Neighbours = Mapping[int, Sequence[int]]


@dataclass(frozen=True)
class Arrangement:
    """The centres of boxes, and the points that an edge passes between its boxes; from (0, 0) on."""

    places: Mapping[int, Point]
    bends: Mapping[Edge, Sequence[Point]]
    size: Size


def arrange(sizes: Mapping[int, Size], edges: Iterable[Edge]) -> Arrangement:
    """Return where boxes of these sizes go; an edge over several rows gets a place of its own in each of them."""
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
    places = {node: (across[node] - left, down[node]) for node in across}
    width = max((places[node][0] + widths[node] / 2 for node in sizes), default=0.0)
    bends = {edge: [places[bend] for bend in chain] for edge, chain in chains.items()}
    return Arrangement({node: places[node] for node in sizes}, bends, (width, height))


def _ranks(nodes: Sequence[int], links: Sequence[Edge]) -> dict[int, int]:
    """Return for each node the length of the longest way to it; nodes of a cycle are put below what is known.

    A node that reads nothing stands right above its first reader.
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
    """Return for edges over several rows a negative number for each row between; none where they are too many."""
    spans = {edge: rank[edge[1]] - rank[edge[0]] - 1 for edge in links}
    if sum(max(span, 0) for span in spans.values()) > _MOST_BENDS:
        return {}
    found: dict[Edge, list[int]] = {}
    used = 0
    for edge, span in spans.items():
        if span > 0:
            found[edge] = [-used - step for step in range(1, span + 1)]
            used += span
    return found


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
    """Put the nodes of a row where their neighbours are, without overlaps."""
    wish = {}
    for node in row:
        others = near.get(node, ())
        wish[node] = sum(across[other] for other in others) / len(others) if others else across[node]
    row.sort(key=lambda node: wish[node])
    free = float("-inf")
    for node in row:
        half = widths.get(node, 0.0) / 2
        across[node] = max(wish[node], free + half)
        free = across[node] + half + GAP
    shift = sum(across[node] - wish[node] for node in row) / len(row)
    for node in row:
        across[node] -= shift


def _down(rows: Mapping[int, Sequence[int]], sizes: Mapping[int, Size]) -> tuple[dict[int, float], float]:
    """Return the middle of each node's row, and where the last row ends."""
    down: dict[int, float] = {}
    top = -BETWEEN
    for number in sorted(rows):
        top += BETWEEN
        height = max((sizes[node][1] for node in rows[number] if node in sizes), default=0.0)
        down |= dict.fromkeys(rows[number], top + height / 2)
        top += height
    return down, max(top, 0.0)
