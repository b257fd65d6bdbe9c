"""The XML of a model: parsed within limits, with the places of its elements found when they are asked for."""

from __future__ import annotations

import os
import re
from array import array
from pathlib import Path
from typing import BinaryIO, TypeAlias
from xml.parsers import expat

from lxml import etree

from ir_plugin.diagnostics import Finding, Span
from ir_plugin.errors import ReadError

MAX_BYTES = 2**31
"""The largest XML that is read."""
MAX_DEPTH = 256
"""The deepest nesting of elements that is read, which is also libxml2's limit."""

Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO"

_DOCTYPE = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
_BEFORE_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)


def read_bytes(source: Source) -> tuple[bytes, str]:
    """Return the bytes of a model's XML and the path it was read from (`<bytes>` where there is none)."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), "<bytes>"
    if isinstance(source, (str, os.PathLike)):
        path = Path(os.fspath(source))
        try:
            if path.stat().st_size > MAX_BYTES:
                raise refused("IR004", f"the file has more than {MAX_BYTES} bytes", str(path))
            return path.read_bytes(), str(path)
        except (OSError, ValueError) as fault:
            reason = getattr(fault, "strerror", None) or str(fault)
            raise refused("IR001", f"the file cannot be read: {reason}", str(path)) from None
    data = source.read()
    if not isinstance(data, bytes):
        raise refused("IR001", "the file object gives text; open it in binary mode", "<file>")
    return data, str(getattr(source, "name", "<file>"))


def refused(code: str, message: str, file: str, span: Span | None = None, help: str = "") -> ReadError:
    """Return the error for a file that cannot be read at all."""
    finding = Finding.of(code, message, span=span or Span(file), help=help)
    place = f"{file}:{span.line}" if span is not None and span.line else file
    return ReadError(f"{place}: {message}" + (f"; {help}" if help else ""), [finding])


class Document:
    """A parsed XML file."""

    def __init__(self, data: bytes, file: str) -> None:
        self.data = data
        self.file = file
        self._lines: list[bytes] | None = None
        self._starts: array[int] | None = None
        self._ordinals: dict[etree._Element, int] = {}
        self.root = self._parse()

    def _parse(self) -> etree._Element:
        if not self.data.strip():
            raise refused("IR005", "the file is empty", self.file)
        self._refuse_doctype()
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            remove_comments=True,
            remove_pis=True,
            huge_tree=False,
        )
        try:
            return etree.fromstring(self.data, parser)
        except etree.XMLSyntaxError as fault:
            raise self._not_well_formed(fault) from None
        except ValueError as fault:
            raise refused("IR002", f"the XML is not well-formed: {fault}", self.file) from None

    def _refuse_doctype(self) -> None:
        start = _BEFORE_ROOT.match(self.data)
        found = _DOCTYPE.match(self.data, start.end()) if start else None
        wide = self.data[:2] in (b"\xff\xfe", b"\xfe\xff") and b"<!DOCTYPE" in self.data.replace(b"\0", b"")
        if found or wide:
            span = self.span_at(found.start() if found else 0, 9)
            help = "remove the declaration; an IR needs neither a document type nor entities"
            raise refused("IR003", "the XML has a document type declaration", self.file, span, help)

    def _not_well_formed(self, fault: etree.XMLSyntaxError) -> ReadError:
        line, column = fault.lineno or 0, max(fault.position[1], 1)
        deep = "depth" in str(fault) or "Excessive" in str(fault)
        text = f"elements are nested more than {MAX_DEPTH} deep" if deep else f"the XML is not well-formed: {fault.msg}"
        huge = not deep and "huge" in str(fault).lower()
        span = Span(self.file, line, column, 1, self.line(line))
        return refused("IR004" if deep or huge else "IR002", text, self.file, span)

    def line(self, number: int) -> str:
        """Return one line of the source, counted from 1."""
        if self._lines is None:
            self._lines = self.data.splitlines()
        return self._lines[number - 1].decode("utf-8", "replace") if 0 < number <= len(self._lines) else ""

    def span_at(self, offset: int, width: int) -> Span:
        """Return the place of a byte offset."""
        start = self.data.rfind(b"\n", 0, offset) + 1
        line = self.data.count(b"\n", 0, offset) + 1
        column = len(self.data[start:offset].decode("utf-8", "replace")) + 1
        return Span(self.file, line, column, width, self.line(line))

    def span(self, element: etree._Element, attribute: str = "", text: bool = False) -> Span:
        """Return the place of an element's tag, of the value of one of its attributes, or of its text."""
        start = self._start_of(element)
        if start is None:
            line = element.sourceline or 0
            return Span(self.file, line, 1, 1, self.line(line))
        end = _end_of_tag(self.data, start)
        if text:
            inner = self.data[end : self.data.find(b"<", end)]
            lead = len(inner) - len(inner.lstrip())
            return self.span_at(end + lead, max(len(inner.strip().decode("utf-8", "replace")), 1))
        if attribute:
            pattern = rb"\s" + re.escape(attribute.encode()) + rb"\s*=\s*([\"'])(.*?)\1"
            found = re.compile(pattern, re.DOTALL).search(self.data, start, end)
            if found:
                return self.span_at(found.start(2), max(len(found[2].decode("utf-8", "replace")), 1))
        return self.span_at(start, len(_name(element)) + 1)

    def _start_of(self, element: etree._Element) -> int | None:
        if self._starts is None:
            self._starts = _element_starts(self.data)
            self._ordinals = {found: number for number, found in enumerate(self.root.iter())}
        number = self._ordinals.get(element, -1)
        return self._starts[number] if 0 <= number < len(self._starts) else None


def _name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _end_of_tag(data: bytes, start: int) -> int:
    """Return the offset behind the start tag at `start`; `>` may stand in an attribute's value."""
    quote = b""
    for found in re.compile(rb"[\"'>]").finditer(data, start):
        if quote:
            quote = b"" if found[0] == quote else quote
        elif found[0] == b">":
            return found.end()
        else:
            quote = found[0]
    return len(data)


def _element_starts(data: bytes) -> array[int]:
    """Return the byte offset of every start tag, in document order; nothing for another encoding than UTF-8."""
    starts = array("q")
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda *_: starts.append(parser.CurrentByteIndex)
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        return starts
    return starts if all(data[start : start + 1] == b"<" for start in starts[:1]) else array("q")
