"""The XML of a model: parsed within limits, with a lazily computed source map."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, TypeAlias

from lxml import etree

from ir_plugin.diagnostics import Finding, Span
from ir_plugin.diagnostics.limits import DEFAULT_LIMITS, MAX_ATTRIBUTES, MAX_DEPTH
from ir_plugin.errors import ReadError
from ir_plugin.reader.foreign import NO_MODEL, foreign
from ir_plugin.reader.missing import help_for_path
from ir_plugin.reader.rewriting import Rewriting
from ir_plugin.reader.source_map import SourceMap, as_utf8
from ir_plugin.reader.xml_faults import Fault, explained
from ir_plugin.tensors import files

Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO"

_XML = "http://www.w3.org/XML/1998/namespace"
_DOCTYPE = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
_WHERE = re.compile(r", line \d+, column \d+$")
_CONFLICT = "<<<<<<<"
"""How Git marks the first of two versions that it cannot merge."""
_NO_EXPORTER = "no exporter writes such a file: convert the source model again"
_LONG_TAG = re.compile(rb"<[^<]{3000}")
"""A tag that may have more attributes than `MAX_ATTRIBUTES`, each of at least five bytes."""
_BEFORE_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)


def read_bytes(source: Source, limit: int = DEFAULT_LIMITS.bytes) -> tuple[bytes, str]:
    """Return the bytes of a model's XML, at most `limit`, and its path (`<bytes>` if there is none)."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), "<bytes>"
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        with open_model(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > limit:
                message = f"the file has {size} bytes; the limit is {limit}"
                raise refused("IR004", message, str(path), help="raise --limit-bytes if the model is really so large")
            return _content(file, str(path)), str(path)
    if not callable(getattr(source, "read", None)):
        message = f"a model is read from a path, bytes or a binary file, not from {type(source).__name__}"
        raise refused("IR001", message, "<object>")
    data = source.read()
    if not isinstance(data, bytes):
        raise refused("IR001", "the file object gives text; open it in binary mode", "<file>")
    return data, str(getattr(source, "name", "<file>"))


def _content(file: BinaryIO, path: str) -> bytes:
    try:
        return file.read()
    except OSError as fault:
        message = f"the file cannot be read: {fault.strerror}"
        raise refused("IR001", message, path, help=help_for_path(path)) from None


def open_model(path: str | os.PathLike[str]) -> BinaryIO:
    """Return the file of a model opened for reading; folders, pipes and devices are refused without waiting."""
    try:
        return files.open_regular(path)
    except OSError as fault:
        message = f"the file cannot be read: {fault.strerror or fault}"
        raise refused("IR001", message, str(path), help=help_for_path(path)) from None


def refused(code: str, message: str, file: str, span: Span | None = None, help: str = "") -> ReadError:
    """Return the error for a file that cannot be read."""
    finding = Finding.of(code, message, span=span or Span(file), help=help)
    location = f"{file}:{span.line}" if span is not None and span.line else file
    return ReadError(f"{location}: {message}" + (f"; {help}" if help else ""), [finding])


def written(element: etree._Element, attribute: str = "") -> str:
    """Return the name of an element or attribute with its prefix, as written in the file."""
    name = attribute or str(element.tag)
    if not name.startswith("{"):
        return name
    namespace, _, local = name[1:].partition("}")
    prefix = next((prefix for prefix, uri in element.nsmap.items() if prefix and uri == namespace), "")
    return f"{prefix or ('xml' if namespace == _XML else '')}:{local}".lstrip(":")


def new_parser() -> etree.XMLParser:
    """Return a parser that loads nothing and keeps what an IR consists of."""
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        remove_blank_text=True,
        huge_tree=False,
        collect_ids=False,
    )


class Document:
    """An XML file."""

    def __init__(self, data: bytes, file: str, rewriting: Rewriting | None = None) -> None:
        self.data = data
        self.file = file
        self.rewriting = rewriting
        """How the text came from the file's, which findings show; None for the file's own."""

    @staticmethod
    def of(rewriting: Rewriting, file: str) -> Document:
        """Return the document of a rewritten text."""
        return Document(rewriting.data, file, rewriting)

    @cached_property
    def root(self) -> etree._Element:
        """The root of the tree, parsed when it is first needed; raises `ReadError` if that is impossible."""
        return self._parse()

    @cached_property
    def layers(self) -> list[etree._Element]:
        """All layers of the document, including layers of bodies, in document order."""
        return list(self.root.iter("layer"))

    @cached_property
    def positions(self) -> dict[etree._Element, int]:
        """The positions of all layers among `layers`."""
        return {layer: position for position, layer in enumerate(self.layers)}

    @cached_property
    def source_map(self) -> SourceMap:
        """The positions of lines and elements."""
        return SourceMap(self.data, self.file, self.rewriting)

    def _parse(self) -> etree._Element:
        kind = foreign(self.data)
        if kind is not None:
            message = f"the file is {kind.name}, not the XML of an IR"
            raise refused("IR005", message, self.file, self._first_place(), self._beside() or kind.help)
        if not self.data.strip():
            raise refused("IR005", "the file is empty", self.file, help="write or copy the model again")
        self._refuse_doctype()
        try:
            root = etree.fromstring(self.data, new_parser())
        except etree.XMLSyntaxError as fault:
            raise self._not_well_formed(fault) from None
        except (ValueError, LookupError) as fault:
            raise refused("IR002", f"the XML is not well-formed: {fault}", self.file) from None
        if root.getroottree().docinfo.internalDTD is not None:
            raise self._doctype(Span(self.file, 1, 1, 1, ""))
        self._require_few_attributes(root)
        self._strip_default_namespaces(root)
        return root

    def _require_few_attributes(self, root: etree._Element) -> None:
        """Refuse an element with too many attributes: looking up each among all takes long."""
        if _LONG_TAG.search(self.data) is None and b"\0" not in self.data[:4]:
            return
        for element in root.xpath(f"//*[count(@*) > {MAX_ATTRIBUTES}]")[:1]:
            line = element.sourceline or 0
            span = Span(self.file, line, 1, 1, self.source_map.line(line))
            message = f"<{written(element)}> has {len(element.attrib)} attributes; the limit is {MAX_ATTRIBUTES}"
            raise refused("IR004", message, self.file, span, _NO_EXPORTER)

    def release(self) -> None:
        """Forget the tree, which is parsed again when a place in it is asked for."""
        for name in ("root", "layers", "positions", "source_map"):
            vars(self).pop(name, None)

    def _strip_default_namespaces(self, root: etree._Element) -> None:
        """Strip default namespaces from the elements' names, as OpenVINO does."""
        if b"xmlns" not in self.data and b"\0" not in self.data[:4]:
            return
        for element in root.iter():
            if element.prefix is None and str(element.tag).startswith("{"):
                element.tag = str(element.tag).rpartition("}")[2]
        etree.cleanup_namespaces(root)

    def _refuse_doctype(self) -> None:
        head = self.data[:4]
        text = as_utf8(self.data) if b"\0" in head or head[:2] in (b"\xff\xfe", b"\xfe\xff") else self.data
        start = _BEFORE_ROOT.match(text)
        doctype = _DOCTYPE.match(text, start.end()) if start else None
        if doctype:
            raise self._doctype(self.source_map.at(doctype.start(), 9))

    def _doctype(self, span: Span) -> ReadError:
        help = "remove the declaration; an IR needs neither a document type nor entities"
        return refused("IR003", "the XML has a document type declaration", self.file, span, help)

    def _not_well_formed(self, fault: etree.XMLSyntaxError) -> ReadError:
        line, column = fault.lineno or 0, max(fault.position[1], 1)
        if self.rewriting is not None and line == 1:
            column = self.rewriting.offset_in_original(column - 1) + 1
        reason = _WHERE.sub("", str(fault.msg)).strip()
        deep = "depth" in reason
        said = explained(reason, self._is_end(line, column))
        if self.source_map.line(line).startswith(_CONFLICT):
            said = Fault("a merge conflict of Git stands here", "keep one of the two versions, without the marks")
        text = f"the XML is not well-formed: {said.message}"
        if deep:
            text = f"elements are nested more than {MAX_DEPTH} deep"
        if "XML_PARSE_HUGE" in reason and not deep:
            text = "an attribute, a name or a text is longer than 10 million bytes"
        limit = deep or any(word in reason for word in ("XML_PARSE_HUGE", "too long", "Huge input", "amplification"))
        span = Span(self.file, line, column, 1, self.source_map.line(line))
        if not limit and not self.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
            return refused("IR002", text, self.file, self._first_place(), self._advice())
        code, help = ("IR004", _NO_EXPORTER) if limit else ("IR002", said.help)
        return refused(code, text, self.file, span, help)

    def _first_place(self) -> Span | None:
        """Return the first character; None in a file that is no text."""
        return None if b"\0" in self.data else Span(self.file, 1, 1, 1, self.source_map.line(1))

    def _is_end(self, line: int, column: int) -> bool:
        """Return whether a place is the end of the file."""
        lines = self.data.rstrip().split(b"\n")
        return line >= len(lines) and column >= len(lines[-1])

    def _advice(self) -> str:
        """Return the advice for a file that is not XML."""
        return self._beside() or NO_MODEL

    def _beside(self) -> str:
        """Return the advice to read the .xml beside a file of another suffix, if there is one."""
        path = Path(self.file)
        beside = path.with_suffix(".xml") if path.suffix.lower() != ".xml" and path.name else None
        return f"a model is read from its .xml: {beside}" if beside is not None and os.path.exists(beside) else ""

    def text_span(self, element: etree._Element, is_tail: bool = False) -> Span:
        """Return the span of an element's text, or with `is_tail` of the text after its end tag."""
        self.source_map.note(self.root)
        return self.source_map.tail_span(element) if is_tail else self.source_map.span(element, text=True)

    def span(self, element: etree._Element, attribute: str = "", text: bool = False, name: bool = False) -> Span:
        """Return the span of an element's tag, of the value or name of one of its attributes, or of its text."""
        self.source_map.note(self.root)
        return self.source_map.span(element, attribute, text, name)
