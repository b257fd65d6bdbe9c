"""Small edits of an XML text that leave every other byte as it is."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from lxml import etree

from ir_plugin.reader.document import Document
from ir_plugin.reader.places import Range


class Edit(NamedTuple):
    """Bytes from `begin` up to `end`, and what stands in their place."""

    begin: int
    end: int
    text: bytes


class Editor:
    """Collects the edits of a document; each attribute, text and list of dimensions is edited once."""

    def __init__(self, document: Document) -> None:
        document.places.note(document.root)
        self._places = document.places
        self._edits: dict[int, Edit] = {}

    def __len__(self) -> int:
        return len(self._edits)

    def result(self) -> bytes:
        """Return the edited text."""
        pieces, at = [], 0
        for edit in sorted(self._edits.values()):
            pieces += [self._places.data[at : edit.begin], edit.text]
            at = edit.end
        return b"".join([*pieces, self._places.data[at:]])

    def set_attribute(self, element: etree._Element, name: str, value: str) -> None:
        """Change the value of an attribute, or write the attribute behind the others."""
        tag = self._places.tag(element)
        if tag is None:
            return
        found = tag.attributes.get(name)
        if found is not None:
            quote = self._places.data[found.end : found.end + 1].decode()
            self._replace(found, escape(value, quote=False).replace(quote, "&quot;" if quote == '"' else "&apos;"))
            return
        end = tag.name_end or tag.whole.begin + len(str(element.tag).encode()) + 1
        shown = escape(value, quote=False).replace('"', "&quot;")
        self._replace(Range(end, end), f' {name}="{shown}"')

    def rename_attribute(self, element: etree._Element, old: str, new: str) -> None:
        """Change the name of an attribute."""
        tag = self._places.tag(element)
        if tag is not None and old in tag.names:
            self._replace(tag.names[old], new)

    def set_dims(self, port: etree._Element, dims: list[int]) -> None:
        """Change the dimensions of a port: their texts where the number stays, or else the whole list."""
        elements = port.findall("dim")
        ranges = [self._places.text(element) for element in elements]
        if len(elements) == len(dims):
            for found, dim in zip(ranges, dims, strict=True):
                if found is not None and self._places.data[found.begin : found.end].decode("utf-8", "replace") != str(
                    dim
                ):
                    self._replace(found, str(dim))
            return
        tags = [self._places.tag(element) for element in elements]
        if not elements or None in tags or None in ranges:
            return
        first, last = tags[0], ranges[-1]
        if first is not None and last is not None:
            end = self._places.data.index(b">", last.end) + 1
            between = self._places.data[self._end_of(ranges[0]) : self._start_of(tags[1])] if len(tags) > 1 else b""
            lines = between.decode("utf-8", "replace").join(f"<dim>{dim}</dim>" for dim in dims)
            self._replace(Range(first.whole.begin, end), lines)

    def _end_of(self, found: Range | None) -> int:
        return 0 if found is None else self._places.data.index(b">", found.end) + 1

    @staticmethod
    def _start_of(tag: object) -> int:
        whole = getattr(tag, "whole", None)
        return int(whole.begin) if whole is not None else 0

    def _replace(self, place: Range, text: str) -> None:
        self._edits.setdefault(place.begin, Edit(place.begin, place.end, text.encode()))
