"""The source map of an XML text: lines, columns and byte ranges of its elements, computed on demand."""

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
from ir_plugin.reader.rewriting import Rewriting

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
    """A range of bytes from `begin` up to `end`."""

    begin: int
    end: int


class Tag(NamedTuple):
    """The byte ranges of a start tag, of its attributes' values without quotes, and of their names."""

    whole: Range
    attributes: dict[str, Range]
    names: dict[str, Range]

    @property
    def name_end(self) -> int:
        """The offset after the last attribute, where another can be inserted."""
        return max((value.end + 1 for value in self.attributes.values()), default=0)


def as_utf8(data: bytes) -> bytes:
    """Return the text in UTF-8 for display, with undecodable bytes replaced."""
    for mark, encoding in _WIDE:
        if data.startswith(mark):
            return data.decode(encoding, "replace").encode("utf-8", "replace")
    declaration = _ENCODING.match(data.removeprefix(_BOM))
    try:
        name = codecs.lookup(declaration[1].decode()).name if declaration else "utf-8"
        return data if name in ("utf-8", "ascii") else data.decode(name, "replace").encode("utf-8", "replace")
    except (LookupError, UnicodeError):
        return data


class SourceMap:
    """The positions of a text's lines and, after `note`, of its elements."""

    def __init__(self, data: bytes, file: str, rewriting: Rewriting | None = None) -> None:
        self.file = file
        self._original = data
        self._rewriting = rewriting
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
    def _shown(self) -> bytes:
        """The text that findings show: before it was rewritten."""
        return self.data if self._rewriting is None else self._rewriting.original

    @cached_property
    def _breaks(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(np.frombuffer(self._shown, np.uint8) == 10)

    def _line_range(self, number: int) -> Range:
        breaks = self._breaks
        first = len(_BOM) if self._shown.startswith(_BOM) else 0
        begin = int(breaks[number - 2]) + 1 if number > 1 else first
        return Range(begin, int(breaks[number - 1]) if number <= len(breaks) else len(self._shown))

    def line(self, number: int) -> str:
        """Return a line of the source; the first is line 1."""
        if not 0 < number <= len(self._breaks) + 1:
            return ""
        if self._line[0] != number:
            begin, end = self._line_range(number)
            self._line = number, self._shown[begin:end].decode("utf-8", "replace").rstrip("\r")
        return self._line[1]

    def at(self, offset: int, width: int = 1) -> Span:
        """Return the span of `width` characters at a byte offset."""
        offset = offset if self._rewriting is None else self._rewriting.offset_in_original(offset)
        number = int(np.searchsorted(self._breaks, offset)) + 1
        begin, end = self._line_range(number)
        return Span(self.file, number, self._characters(begin, end, offset) + 1, max(width, 1), self.line(number))

    def _characters(self, begin: int, end: int, offset: int) -> int:
        """Return the number of characters of a line before an offset, in constant time for long lines."""
        if end - begin <= _LONG:
            return len(self._shown[begin:offset].decode("utf-8", "replace"))
        if self._long_line[0] != begin:
            line = np.frombuffer(self._shown, np.uint8)[begin:end]
            leads = None if line.max() < 0x80 else np.cumsum((line & 0xC0) != 0x80, dtype=np.int64)
            self._long_line = begin, leads
        leads = self._long_line[1]
        return offset - begin if leads is None or offset == begin else int(leads[offset - begin - 1])

    def note(self, root: etree._Element) -> None:
        """Locate the start tags of all elements of a parsed text, in document order."""
        if self._starts is None:
            self._starts = _element_starts(self.data)
            self._ordinals = {element: number for number, element in enumerate(root.iter())}

    def tag(self, element: etree._Element) -> Tag | None:
        """Return the start tag of an element, or None if its position is unknown."""
        number = self._ordinals.get(element, -1)
        if self._starts is None or not 0 <= number < len(self._starts):
            return None
        start = self._starts[number]
        if start not in self._tags:
            self._tags[start] = read_tag(self.data, start)
        return self._tags[start]

    def text(self, element: etree._Element) -> Range | None:
        """Return the range of an element's text without surrounding blanks, or None if it is empty."""
        tag = self.tag(element)
        if tag is None or self.data[tag.whole.end - 2 : tag.whole.end] == b"/>":
            return None
        inner = self.data[tag.whole.end : self.data.find(b"<", tag.whole.end)]
        begin = tag.whole.end + len(inner) - len(inner.lstrip())
        return Range(begin, begin + len(inner.strip())) if inner.strip() else None

    def tail(self, element: etree._Element) -> Range | None:
        """Return the range of the text after an element's end tag, without surrounding blanks; None if it is empty."""
        last, open_tags = element, 1
        while len(last):
            last, open_tags = last[-1], open_tags + 1
        tag = self.tag(last)
        if tag is None:
            return None
        end = tag.whole.end
        for _ in range(open_tags - (self.data[end - 2 : end] == b"/>")):
            end = self.data.find(b">", self.data.find(b"</", end)) + 1
        inner = self.data[end : self.data.find(b"<", end)]
        begin = end + len(inner) - len(inner.lstrip())
        return Range(begin, begin + len(inner.strip())) if inner.strip() else None

    def span(self, element: etree._Element, attribute: str = "", text: bool = False, name: bool = False) -> Span:
        """Return the span of an element's tag, of the value or name of one of its attributes, or of its text."""
        tag = self.tag(element)
        if tag is None:
            line = element.sourceline or 0
            return Span(self.file, line, 1, 1, self.line(line))
        attributes = tag.names if name else tag.attributes
        range = self.text(element) if text else attributes.get(attribute)
        if range is not None:
            return self._of_range(range)
        return self.at(tag.whole.begin, len(str(element.tag).rpartition("}")[2]) + 1)

    def tail_span(self, element: etree._Element) -> Span:
        """Return the span of the text after an element's end tag, or of its start tag if there is none."""
        range = self.tail(element)
        return self.span(element) if range is None else self._of_range(range)

    def _of_range(self, range: Range) -> Span:
        first_line = self.data[range.begin : range.end].partition(b"\n")[0]
        return self.at(range.begin, len(first_line.decode("utf-8", "replace")))


def read_tag(data: bytes, start: int) -> Tag:
    """Return the start tag at an offset."""
    name = _TAG.match(data, start)
    at = name.end() if name else start
    attributes: dict[str, Range] = {}
    names: dict[str, Range] = {}
    while match := _ATTRIBUTE.match(data, at):
        key = match[1].decode("utf-8", "replace")
        attributes[key] = Range(match.start(2) + 1, match.end(2) - 1)
        names[key] = Range(match.start(1), match.end(1))
        at = match.end()
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
