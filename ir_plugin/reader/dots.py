"""Dots and comments in XML that stand for what an author leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_TAG = re.compile(rb"<(/?)([A-Za-z_][^\s<>/\"'.]*)(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*>")
_LAYER = re.compile(rb"<layer(?=[\s/>.\xe2])")
_DOTS = rb"(?:\.{3,}|\xe2\x80\xa6)"
_IN_TAG = re.compile(
    rb"(?<![\w:-])[\w:-]{1,256}\s{0,16}=\s{0,16}(?:%(dots)s|\"%(dots)s\"|'%(dots)s')"
    rb"|(\"[^\"]*\"|'[^']*')|%(dots)s" % {b"dots": _DOTS}
)
_IN_TEXT = re.compile(_DOTS)
_OTHERS = ((b"<!--", b"-->"), (b"<?", b"?>"), (b"<![CDATA[", b"]]>"))


class Elided:
    """Where dots stand: offsets by the number of the element around them; the offsets of all start tags."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self._offsets: dict[int, int] = {}

    def __contains__(self, element: int) -> bool:
        return element in self._offsets

    def get(self, element: int) -> int | None:
        """Return where dots stand in an element."""
        return self._offsets.get(element)

    def add(self, element: int, offset: int) -> None:
        """Note that dots stand in an element."""
        self._offsets.setdefault(element, offset)


class Text(NamedTuple):
    """A text of layers in which blanks stand for dots, and where those were."""

    data: bytes
    elided: Elided


class _Token(NamedTuple):
    begin: int
    end: int
    kind: str
    """`start`, `empty`, `end` or `other`."""


def without_dots(source: bytes) -> Text | None:
    """Return a text that begins with `<layer`, with blanks in place of dots; None for any other."""
    if not _begins_with_layer(source):
        return None
    data, elided, around = bytearray(source), Elided(), [-1]
    at = 0
    for token in _tokens(source):
        _blank(data, at, token.begin, elided, around[-1])
        at = token.end
        if token.kind == "other":
            _blank_other(data, token, elided, around[-1])
        elif token.kind == "end":
            del around[max(len(around) - 1, 1) :]
        else:
            _blank_in_tag(data, token)
            elided.starts.append(token.begin)
            around += [len(elided.starts) - 1] if token.kind == "start" else []
    _blank(data, at, len(source), elided, around[-1])
    return Text(bytes(data), elided)


def _begins_with_layer(source: bytes) -> bool:
    """Return whether the first tag is `<layer`, with nothing but dots and comments before it."""
    at = 0
    for token in _tokens(source):
        if _IN_TEXT.sub(b"", source[at : token.begin]).strip():
            return False
        if token.kind != "other":
            return _LAYER.match(source, token.begin) is not None
        at = token.end
    return False


def _tokens(source: bytes) -> Iterator[_Token]:
    """Yield tags, comments, instructions and CDATA; ends where one of them is not closed."""
    at = source.find(b"<")
    while at >= 0:
        other = next((ends for ends in _OTHERS if source.startswith(ends[0], at)), None)
        if other is not None:
            end = source.find(other[1], at + len(other[0])) + len(other[1])
            kind = "other"
            if end < len(other[1]):
                return
        else:
            tag = _TAG.match(source, at)
            if tag is None:
                return
            end, kind = tag.end(), "end" if tag[1] else "empty" if source[tag.end() - 2] == 0x2F else "start"
        yield _Token(at, end, kind)
        at = source.find(b"<", end)


def _blank(data: bytearray, begin: int, end: int, elided: Elided, element: int) -> None:
    """Replace dots in text."""
    for dots in _IN_TEXT.finditer(bytes(data[begin:end])):
        data[begin + dots.start() : begin + dots.end()] = b" " * len(dots[0])
        elided.add(element, begin + dots.start())


def _blank_other(data: bytearray, token: _Token, elided: Elided, element: int) -> None:
    """Replace an XML declaration, and note a comment of dots."""
    text = bytes(data[token.begin : token.end])
    if text.startswith(b"<?xml"):
        data[token.begin : token.end] = b" " * len(text)
    elif text.startswith(b"<!--") and _IN_TEXT.search(text):
        elided.add(element, token.begin)


def _blank_in_tag(data: bytearray, token: _Token) -> None:
    """Replace dots in a tag, also where they are the value of an attribute of a layer."""
    is_layer = _LAYER.match(data, token.begin) is not None
    for dots in _IN_TAG.finditer(bytes(data[token.begin : token.end])):
        is_value = dots[1] is not None or (not is_layer and dots[0][-1:] in b"\"'")
        if not is_value:
            data[token.begin + dots.start() : token.begin + dots.end()] = b" " * len(dots[0])
