"""A graph as an SVG drawing: layers of nodes by their distance from the inputs, ordered by what they read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from html import escape

from ir_plugin.diagnostics.escape import safe
from ir_plugin.report.graph_data import GraphNode, GraphView
from ir_plugin.report.graph_text import visible

_WIDTH, _HEIGHT, _GAP, _RANK = 170, 38, 24, 78
_SWEEPS = 4

Point = tuple[float, float]


def svg_of(view: GraphView, everything: bool = False) -> str:
    """Return the drawing."""
    shown = visible(view, everything)
    kept = set(shown)
    edges = [edge for edge in view.edges if edge[0] in kept and edge[2] in kept]
    places = _places(shown, [(source, target) for source, _, target, _, _ in edges])
    width = max((x for x, _ in places.values()), default=0) + _WIDTH / 2 + _GAP
    height = max((y for _, y in places.values()), default=0) + _HEIGHT / 2 + _GAP
    lines = [_line(places[source], places[target], label) for source, _, target, _, label in edges]
    boxes = [_box(view.nodes[position], places[position]) for position in shown]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join([*lines, *boxes]) + "\n</svg>\n"
    )


def _places(shown: Sequence[int], edges: Sequence[tuple[int, int]]) -> dict[int, Point]:
    """Return the centres of the nodes."""
    sources: dict[int, list[int]] = defaultdict(list)
    readers: dict[int, list[int]] = defaultdict(list)
    for source, target in edges:
        sources[target].append(source)
        readers[source].append(target)
    rank = _ranks(shown, sources, readers)
    rows: dict[int, list[int]] = defaultdict(list)
    for node in shown:
        rows[rank[node]].append(node)
    column = {node: float(place) for row in rows.values() for place, node in enumerate(row)}
    for sweep in range(_SWEEPS):
        near = sources if sweep % 2 == 0 else readers
        for number in sorted(rows, reverse=sweep % 2 == 1):
            _order(rows[number], near, column)
    least = min(column.values(), default=0.0)
    step = _WIDTH + _GAP
    return {
        node: (_GAP + _WIDTH / 2 + (column[node] - least) * step, _GAP + _HEIGHT / 2 + rank[node] * _RANK)
        for node in shown
    }


def _ranks(shown: Sequence[int], sources: dict[int, list[int]], readers: dict[int, list[int]]) -> dict[int, int]:
    """Return for each node the length of the longest way to it; nodes of a cycle are put below what is known."""
    waiting = {node: len(sources[node]) for node in shown}
    rank = dict.fromkeys(shown, 0)
    ready = [node for node in shown if not waiting[node]]
    for node in ready:
        for reader in readers[node]:
            rank[reader] = max(rank[reader], rank[node] + 1)
            waiting[reader] -= 1
            if not waiting[reader]:
                ready.append(reader)
    return rank


def _order(row: list[int], near: dict[int, list[int]], column: dict[int, float]) -> None:
    """Put the nodes of a row where their neighbours are, at least one column apart."""
    wish = {
        node: sum(column[other] for other in near[node]) / len(near[node]) if near[node] else column[node]
        for node in row
    }
    row.sort(key=lambda node: wish[node])
    at = float("-inf")
    for node in row:
        at = max(wish[node], at + 1)
        column[node] = at
    shift = sum(column[node] - wish[node] for node in row) / len(row)
    for node in row:
        column[node] -= shift


def _line(start: Point, end: Point, label: str) -> str:
    (x1, y1), (x2, y2) = (start[0], start[1] + _HEIGHT / 2), (end[0], end[1] - _HEIGHT / 2)
    middle = (y1 + y2) / 2
    path = f"M{x1:g} {y1:g}C{x1:g} {middle:g} {x2:g} {middle:g} {x2:g} {y2:g}"
    shown = _text((x1 + x2) / 2 + 4, middle, label, 'font-size="9" fill="#666"')
    head = f'<path d="M{x2 - 3:g} {y2 - 6:g}L{x2 + 3:g} {y2 - 6:g}L{x2:g} {y2:g}Z" fill="#888"/>'
    return f'<path d="{path}" fill="none" stroke="#888"/>{head}{shown}'


def _box(node: GraphNode, place: Point) -> str:
    x, y = place
    stroke = 'stroke="#c62828" stroke-width="3"' if node.findings else 'stroke="#9aa4b2"'
    fill = "#eef3fb" if node.role == "op" else "#f3f4f6"
    box = (
        f'<rect x="{x - _WIDTH / 2:g}" y="{y - _HEIGHT / 2:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="7" '
        f'fill="{fill}" {stroke}/>'
    )
    centred = 'text-anchor="middle"'
    kind = _text(x, y - 3, safe(node.type, 24), f'{centred} font-size="12" font-weight="600"')
    name = _text(x, y + 12, safe(node.name, 28), f'{centred} font-size="10" fill="#555"')
    return f"<g><title>{escape(safe(node.name, 200))}</title>{box}{kind}{name}</g>"


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(safe(text, 80))}</text>'
