"""A graph as an SVG drawing; a layer with bodies is a frame around the drawings of its bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from ir_plugin.diagnostics.escape import safe
from ir_plugin.report.graph_data import GraphNode, GraphView
from ir_plugin.report.graph_layout import GAP, Arrangement, Point, arrange
from ir_plugin.report.graph_text import visible

_WIDTH, _HEIGHT, _TITLE = 170.0, 38.0, 18.0


@dataclass(frozen=True)
class _Box:
    """The size of a node, and its bodies with their titles."""

    width: float
    height: float
    bodies: tuple[tuple[str, _Drawing], ...] = ()


@dataclass(frozen=True)
class _Drawing:
    """A graph and the arrangement of its nodes."""

    view: GraphView
    boxes: Mapping[int, _Box]
    arrangement: Arrangement

    @property
    def width(self) -> float:
        return self.arrangement.size[0]

    @property
    def height(self) -> float:
        return self.arrangement.size[1]


def svg_of(views: Sequence[GraphView], everything: bool = False) -> str:
    """Return the drawing of a model and its bodies."""
    drawing = _drawing(views, 0, everything)
    width, height = drawing.width + 2 * GAP, drawing.height + 2 * GAP
    lines = _elements(drawing, GAP, GAP)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(lines) + "\n</svg>\n"
    )


def _drawing(views: Sequence[GraphView], number: int, everything: bool) -> _Drawing:
    view = views[number]
    boxes = {position: _box(views, view.nodes[position], everything) for position in visible(view, everything)}
    edges = [(source, target) for source, _, target, _, _ in view.edges if source in boxes and target in boxes]
    return _Drawing(view, boxes, arrange({node: (box.width, box.height) for node, box in boxes.items()}, edges))


def _box(views: Sequence[GraphView], node: GraphNode, everything: bool) -> _Box:
    if not node.bodies:
        return _Box(_WIDTH, _HEIGHT)
    bodies = tuple((views[body].label, _drawing(views, body, everything)) for body in node.bodies)
    width = sum(max(body.width, _WIDTH) + GAP for _, body in bodies) + GAP
    return _Box(width, _HEIGHT + _TITLE + max(body.height for _, body in bodies) + GAP, bodies)


def _elements(drawing: _Drawing, left: float, top: float) -> list[str]:
    """Return the elements of a drawing at an offset: lines, boxes above them, and a label for each output."""
    view, arrangement = drawing.view, drawing.arrangement
    centers = {node: (x + left, y + top) for node, (x, y) in arrangement.centers.items()}
    lines: list[str] = []
    labels: dict[tuple[int, int], str] = {}
    for source, port, target, _, label in view.edges:
        if source in centers and target in centers:
            (x1, y1), (x2, y2) = centers[source], centers[target]
            start, end = (x1, y1 + drawing.boxes[source].height / 2), (x2, y2 - drawing.boxes[target].height / 2)
            between = [(x + left, y + top) for x, y in arrangement.bends.get((source, target), ())]
            lines.append(_line([start, *between, end]))
            labels.setdefault((source, port), _label(start, between[0] if between else end, label))
    for node, (x, y) in centers.items():
        lines += _node(view.nodes[node], drawing.boxes[node], x, y)
    return [*lines, *labels.values()]


def _line(points: Sequence[Point]) -> str:
    path = f"M{points[0][0]:g} {points[0][1]:g}"
    for (x1, y1), (x2, y2) in pairwise(points):
        middle = (y1 + y2) / 2
        path += f"C{x1:g} {middle:g} {x2:g} {middle:g} {x2:g} {y2:g}"
    x, y = points[-1]
    head = f'<path d="M{x - 3:g} {y - 6:g}L{x + 3:g} {y - 6:g}L{x:g} {y:g}Z" fill="#888"/>'
    return f'<path d="{path}" fill="none" stroke="#888"/>{head}'


def _label(start: Point, end: Point, label: str) -> str:
    halo = 'font-size="9" fill="#555" stroke="#fff" stroke-width="3" paint-order="stroke"'
    return _text((start[0] + end[0]) / 2 + 4, (start[1] + end[1]) / 2 + 3, label, halo)


def _node(node: GraphNode, box: _Box, x: float, y: float) -> list[str]:
    top, left = y - box.height / 2, x - box.width / 2
    stroke = 'stroke="#c62828" stroke-width="3"' if node.findings else 'stroke="#9aa4b2"'
    fill = "#fbfcfe" if box.bodies else "#eef3fb" if node.role == "op" else "#f3f4f6"
    size = f'width="{box.width:g}" height="{box.height:g}" rx="7"'
    frame = f'<rect x="{left:g}" y="{top:g}" {size} fill="{fill}" {stroke}/>'
    kind = _text(x, top + 16, safe(node.type, 24), 'text-anchor="middle" font-size="12" font-weight="600"')
    name = _text(x, top + 31, safe(node.name, 28), 'text-anchor="middle" font-size="10" fill="#555"')
    elements = [f"<g><title>{escape(safe(node.name, 200))}</title>{frame}{kind}{name}</g>"]
    at = left + GAP
    for title, body in box.bodies:
        room = max(body.width, _WIDTH)
        elements.append(_text(at, top + _HEIGHT + 10, safe(title, 40), 'font-size="10" fill="#0969da"'))
        elements += _elements(body, at + (room - body.width) / 2, top + _HEIGHT + _TITLE)
        at += room + GAP
    return elements


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(safe(text, 80))}</text>'
