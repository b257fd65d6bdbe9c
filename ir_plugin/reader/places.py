"""Where the elements of an XML text stand: lines, columns and byte ranges, found when they are first asked for."""

from __future__ import annotations

import codecs
import re
from array import array
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple
from xml.parsers import expat

import numpy as np
import numpy.typing as npt
from lxml import etree

from ir_plugin.diagnostics import Span

_TAG = re.compile(rb"<[^\s/>]+")
_ATTRIBUTE = re.compile(rb"\s*([^\s=/>\"']+)\s*=\s*(\"[^\"]*\"|'[^']*')")
_END = re.compile(rb"\s*/?>")
_ENCODING = re.compile(rb"<\?xml[^>]{0,200}?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
_WIDE = (
    (b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"), (b"<\0\0\0", "utf-32-le"), (b"\0\0\0<", "utf-32-be"),
    (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"),
)  # fmt: skip
_BOM = b"\xef\xbb\xbf"
_LONG = 4096


class Range(NamedTuple):
    """Bytes of the text, from `begin` up to `end`."""

    begin: int
    end: int


class Tag(NamedTuple):
    """A start tag: all of it, and the values of its attributes without the quotes, and their names."""

    whole: Range
    attributes: dict[str, Range]
    names: dict[str, Range]

    @property
    def name_end(self) -> int:
        """The place behind the last attribute, where another one may be written."""
        return max((found.end + 1 for found in self.attributes.values()), default=0)


def as_utf8(data: bytes) -> bytes:
    """Return the text in UTF-8; what is no text in the encoding it declares is replaced, for showing only."""
    for mark, encoding in _WIDE:
        if data.startswith(mark):
            return data.decode(encoding, "replace").encode("utf-8", "replace")
    found = _ENCODING.match(data.removeprefix(_BOM))
    try:
        name = codecs.lookup(found[1].decode()).name if found else "utf-8"
        return data if name in ("utf-8", "ascii") else data.decode(name, "replace").encode("utf-8", "replace")
    except (LookupError, UnicodeError):
        return data


class Places:
    """The places of a text's lines and, once it is parsed, of its elements."""

    def __init__(self, data: bytes, file: str) -> None:
        self.file = file
        self._original = data
        self._starts: array[int] | None = None
        self._ordinals: dict[etree._Element, int] = {}
        self._tags: dict[int, Tag] = {}
        self._line: tuple[int, str] = 0, ""
        self._long_line: tuple[int, npt.NDArray[Any] | None] = -1, None

    @cached_property
    def data(self) -> bytes:
        """The text in UTF-8."""
        return as_utf8(self._original)

    @cached_property
    def _breaks(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(np.frombuffer(self.data, np.uint8) == 10)

    def _line_range(self, number: int) -> Range:
        breaks = self._breaks
        first = len(_BOM) if self.data.startswith(_BOM) else 0
        begin = int(breaks[number - 2]) + 1 if number > 1 else first
        return Range(begin, int(breaks[number - 1]) if number <= len(breaks) else len(self.data))

    def line(self, number: int) -> str:
        """Return one line of the source, counted from 1."""
        if not 0 < number <= len(self._breaks) + 1:
            return ""
        if self._line[0] != number:
            begin, end = self._line_range(number)
            self._line = number, self.data[begin:end].decode("utf-8", "replace").rstrip("\r")
        return self._line[1]

    def at(self, offset: int, width: int = 1) -> Span:
        """Return the place of a byte."""
        number = int(np.searchsorted(self._breaks, offset)) + 1
        begin, end = self._line_range(number)
        return Span(self.file, number, self._characters(begin, end, offset) + 1, max(width, 1), self.line(number))

    def _characters(self, begin: int, end: int, offset: int) -> int:
        """Return how many characters of a line stand before a byte, in time that does not depend on long lines."""
        if end - begin <= _LONG:
            return len(self.data[begin:offset].decode("utf-8", "replace"))
        if self._long_line[0] != begin:
            line = np.frombuffer(self.data, np.uint8)[begin:end]
            leads = None if line.max() < 0x80 else np.cumsum((line & 0xC0) != 0x80, dtype=np.int64)
            self._long_line = begin, leads
        leads = self._long_line[1]
        return offset - begin if leads is None or offset == begin else int(leads[offset - begin - 1])

    def note(self, root: etree._Element) -> None:
        """Find the start tags of the elements of a parsed text, in document order."""
        if self._starts is None:
            self._starts = _element_starts(self.data)
            self._ordinals = {found: number for number, found in enumerate(root.iter())}

    def tag(self, element: etree._Element) -> Tag | None:
        """Return the start tag of an element; None where the place is not known."""
        number = self._ordinals.get(element, -1)
        if self._starts is None or not 0 <= number < len(self._starts):
            return None
        start = self._starts[number]
        if start not in self._tags:
            self._tags[start] = _read_tag(self.data, start)
        return self._tags[start]

    def text(self, element: etree._Element) -> Range | None:
        """Return the range of an element's text, without the blanks around it; None where there is none."""
        tag = self.tag(element)
        if tag is None or self.data[tag.whole.end - 2 : tag.whole.end] == b"/>":
            return None
        inner = self.data[tag.whole.end : self.data.find(b"<", tag.whole.end)]
        begin = tag.whole.end + len(inner) - len(inner.lstrip())
        return Range(begin, begin + len(inner.strip())) if inner.strip() else None

    def tail(self, element: etree._Element) -> Range | None:
        """Return the range of the text behind an element, without the blanks around it; None where there is none."""
        last, open_tags = element, 1
        while len(last):
            last, open_tags = last[-1], open_tags + 1
        tag = self.tag(last)
        if tag is None:
            return None
        at = tag.whole.end
        for _ in range(open_tags - (self.data[at - 2 : at] == b"/>")):
            at = self.data.find(b">", self.data.find(b"</", at)) + 1
        inner = self.data[at : self.data.find(b"<", at)]
        begin = at + len(inner) - len(inner.lstrip())
        return Range(begin, begin + len(inner.strip())) if inner.strip() else None

    def span(self, element: etree._Element, attribute: str = "", text: bool = False, name: bool = False) -> Span:
        """Return the place of an element's tag, of the value or name of one of its attributes, or of its text."""
        tag = self.tag(element)
        if tag is None:
            line = element.sourceline or 0
            return Span(self.file, line, 1, 1, self.line(line))
        attributes = tag.names if name else tag.attributes
        found = self.text(element) if text else attributes.get(attribute)
        if found is not None:
            return self._of_range(found)
        return self.at(tag.whole.begin, len(str(element.tag).rpartition("}")[2]) + 1)

    def tail_span(self, element: etree._Element) -> Span:
        """Return the place of the text behind an element, or else of its tag."""
        found = self.tail(element)
        return self.span(element) if found is None else self._of_range(found)

    def _of_range(self, found: Range) -> Span:
        shown = self.data[found.begin : found.end].partition(b"\n")[0]
        return self.at(found.begin, len(shown.decode("utf-8", "replace")))


def _read_tag(data: bytes, start: int) -> Tag:
    name = _TAG.match(data, start)
    at = name.end() if name else start
    attributes: dict[str, Range] = {}
    names: dict[str, Range] = {}
    while found := _ATTRIBUTE.match(data, at):
        key = found[1].decode("utf-8", "replace")
        attributes[key] = Range(found.start(2) + 1, found.end(2) - 1)
        names[key] = Range(found.start(1), found.end(1))
        at = found.end()
    end = _END.match(data, at)
    return Tag(Range(start, end.end() if end else at), attributes, names)


def _element_starts(data: bytes) -> array[int]:
    """Return the byte offset of every start tag, in document order."""
    starts = array("q")
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda *_: starts.append(parser.CurrentByteIndex)
    with suppress(expat.ExpatError):
        parser.Parse(data, True)
    return starts
