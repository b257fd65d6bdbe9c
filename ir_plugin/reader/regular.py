"""The text of an IR as OpenVINO writes it, split into layers and edges without a parser.

Each new text of a layer is read by a grammar without markup in values, or by the parser, so that `<layer ` begins
nothing but a layer. Texts of any other form, and files with findings, are left to the parser as a whole.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_DECLARATION = re.compile(r"""<\?xml version=["']1.0["'](?: encoding=["'](?:utf-8|UTF-8)["'])?\s*\?>\s*""")
_NET = re.compile(r'<net name="([^"&<>]*)" version="(1[01])">')
_LAYERS = re.compile(r"\s*<layers>\s*")
_BODY = re.compile(r"<(/?)(body|then_body|else_body)>")
_BODY_END = re.compile(r"\s*(?:<rt_info ?/>\s*)?")
_NUMBER = re.compile(r'"([0-9]{1,18})"')
_BETWEEN = tuple(map(re.compile, (r"\s*/>\s*<edge\s+from-layer=", r"\s+from-port=", r"\s+to-layer=", r"\s+to-port=")))
_LAST = re.compile(r"\s*/>\s*")
_HEADER = re.compile(
    r'id="(0|[1-9][0-9]{0,8})" name="([^"&<>]+)" type="([^"&<>]*)" version="([^"&<>]*)"'
    r'(?: output_names="([^"&<>]*)")?>',
    re.ASCII,
)
_BLANKS = " \t\r\n"
_LONGEST = 2**20
"""Characters of the longest layer that is read so, far below the parser's own limits."""

Ends = tuple[str, str, str, str]


class Header(NamedTuple):
    """The attributes of a layer."""

    id: str
    name: str
    type: str
    version: str
    output_names: str | None
    """The tensor names of a Result."""


class LayerText(NamedTuple):
    """A layer of a graph: its text after `<layer `, and its position among all layers of the document."""

    text: str
    position: int


class GraphText(NamedTuple):
    """The parts of a model or of a body."""

    layers: list[LayerText]
    edges: list[Ends]
    tail: str
    """What follows the edges."""


class RegularText(NamedTuple):
    """The parts of an IR."""

    name: str
    version: int
    graph: GraphText


def regular_text(data: bytes) -> RegularText | None:
    """Return the parts of an IR, None if it is not written in the form of OpenVINO."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    declaration = _DECLARATION.match(text)
    start = _NET.match(text, 0 if declaration is None else declaration.end())
    if start is None or not is_plain(start[1]):
        return None
    graph = _graph(text[start.end() :], 0)
    return None if graph is None else RegularText(start[1], int(start[2]), graph)


def split_bodies(layer: LayerText) -> tuple[str, dict[str, GraphText]] | None:
    """Return the text of a layer with empty bodies, and what is in each of them; None if one has another form."""
    text, depth, end = layer.text, 0, 0
    outside: list[str] = []
    bodies: dict[str, GraphText] = {}
    for tag in _BODY.finditer(text):
        is_end, name = bool(tag[1]), tag[2]
        depth += -1 if is_end else 1
        if depth == 1 and not is_end:
            outside.append(text[end : tag.end()])
            end = tag.end()
        elif depth == 0:
            graph = _graph(text[end : tag.start()], layer.position + 1 + text.count("<layer ", 0, end))
            if graph is None or not _BODY_END.fullmatch(graph.tail) or name in bodies:
                return None
            bodies[name], end = graph, tag.start()
    return "".join([*outside, text[end:]]), bodies


def _graph(text: str, position: int) -> GraphText | None:
    """Return the parts of a graph, whose first layer has a position in the document; None if it has another form."""
    start = _LAYERS.match(text)
    if start is None:
        return None
    layer_texts, _, ending = text[start.end() :].rpartition("</layers>")
    before, _, behind = ending.partition("<edges>")
    edge_texts, closing, tail = behind.partition("</edges>")
    layers, edges = _layers(layer_texts, position), _edges(edge_texts)
    if before.strip() or not closing or layers is None or edges is None:
        return None
    return GraphText(layers, edges, tail)


def _layers(text: str, first: int) -> list[LayerText] | None:
    before, *texts = text.split("<layer ")
    texts = [text.rstrip(_BLANKS) for text in texts]
    if before or max(map(len, texts), default=0) > _LONGEST:
        return None
    if all(text.endswith(("</layer>", "/>")) for text in texts):
        return [LayerText(text, position) for position, text in enumerate(texts, first)]
    return _nested(texts, first)


def _nested(texts: list[str], first: int) -> list[LayerText]:
    """Return the layers of a graph, each with the layers of its bodies."""
    layers: list[LayerText] = []
    depth = 0
    for position, text in enumerate(texts, first):
        if depth > 0:
            outer = layers[-1]
            layers[-1] = LayerText(f"{outer.text}<layer {text}", outer.position)
        else:
            layers.append(LayerText(text, position))
        depth += 1 - text.count("</layer>") - text.partition(">")[0].endswith("/")
    return layers


def _edges(text: str) -> list[Ends] | None:
    """Return the four numbers of each edge, None if anything else is written among them."""
    parts = _NUMBER.split(text)
    numbers, between = parts[1::2], parts[::2]
    if not numbers:
        return None if text.strip() else []
    last, between[0] = between.pop(), "/>" + between[0]
    if len(numbers) % 4 or not _LAST.fullmatch(last):
        return None
    for position, pattern in enumerate(_BETWEEN):
        if not all(map(pattern.fullmatch, set(between[position::4]))):
            return None
    return list(zip(numbers[0::4], numbers[1::4], numbers[2::4], numbers[3::4], strict=True))


def header_of(text: str) -> tuple[Header, str] | None:
    """Return the attributes of a layer and what follows its tag, None if they are not those that OpenVINO writes."""
    match = _HEADER.match(text)
    if match is None or not match[2].isprintable():
        return None
    return Header(*match.groups()), text[match.end() :]


def is_plain(text: str) -> bool:
    """Return whether an attribute is what is written between its quotes."""
    return text.isprintable() and "&" not in text and "<" not in text
