"""Edits of an XML text that preserve every other byte."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from lxml import etree

from ir_plugin.reader.document import Document
from ir_plugin.reader.source_map import Range


class Edit(NamedTuple):
    """The replacement of the bytes from `begin` up to `end`."""

    begin: int
    end: int
    text: bytes


class Editor:
    """Collects the edits of a document; the first edit of each attribute, text or list of dimensions wins."""

    def __init__(self, document: Document) -> None:
        document.source_map.note(document.root)
        self._source_map = document.source_map
        self._edits: dict[int, Edit] = {}

    def __len__(self) -> int:
        return len(self._edits)

    def result(self) -> bytes:
        """Return the edited text."""
        pieces, at = [], 0
        for edit in sorted(self._edits.values()):
            pieces += [self._source_map.data[at : edit.begin], edit.text]
            at = edit.end
        return b"".join([*pieces, self._source_map.data[at:]])

    def set_attribute(self, element: etree._Element, name: str, value: str) -> None:
        """Change the value of an attribute, or append the attribute."""
        tag = self._source_map.tag(element)
        if tag is None:
            return
        value_range = tag.attributes.get(name)
        if value_range is not None:
            quote = self._source_map.data[value_range.end : value_range.end + 1].decode()
            self._replace(
                value_range, escape(value, quote=False).replace(quote, "&quot;" if quote == '"' else "&apos;")
            )
            return
        end = tag.name_end or tag.whole.begin + len(str(element.tag).encode()) + 1
        escaped = escape(value, quote=False).replace('"', "&quot;")
        self._replace(Range(end, end), f' {name}="{escaped}"')

    def rename_attribute(self, element: etree._Element, old: str, new: str) -> None:
        """Change the name of an attribute."""
        tag = self._source_map.tag(element)
        if tag is not None and old in tag.names:
            self._replace(tag.names[old], new)

    def set_dims(self, port: etree._Element, dims: list[int]) -> None:
        """Change the dimensions of a port: single texts if the rank stays the same, else the whole list."""
        elements = port.findall("dim")
        ranges = [self._source_map.text(element) for element in elements]
        if len(elements) == len(dims):
            for range, dim in zip(ranges, dims, strict=True):
                if range is not None and self._source_map.data[range.begin : range.end].decode(
                    "utf-8", "replace"
                ) != str(dim):
                    self._replace(range, str(dim))
            return
        tags = [self._source_map.tag(element) for element in elements]
        if not elements or None in tags or None in ranges:
            return
        first, last = tags[0], ranges[-1]
        if first is not None and last is not None:
            end = self._source_map.data.index(b">", last.end) + 1
            between = self._source_map.data[self._end_of(ranges[0]) : self._start_of(tags[1])] if len(tags) > 1 else b""
            lines = between.decode("utf-8", "replace").join(f"<dim>{dim}</dim>" for dim in dims)
            self._replace(Range(first.whole.begin, end), lines)

    def _end_of(self, range: Range | None) -> int:
        return 0 if range is None else self._source_map.data.index(b">", range.end) + 1

    @staticmethod
    def _start_of(tag: object) -> int:
        whole = getattr(tag, "whole", None)
        return int(whole.begin) if whole is not None else 0

    def _replace(self, range: Range, text: str) -> None:
        self._edits.setdefault(range.begin, Edit(range.begin, range.end, text.encode()))
