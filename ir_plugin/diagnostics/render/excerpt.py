"""A source line for display above carets: escaped, with tabs expanded, and cut around the position if too long."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, takewhile
from unicodedata import combining, east_asian_width

from ir_plugin.diagnostics.escape import escaped_character
from ir_plugin.diagnostics.position import Span

_COLUMNS = 120
_BEFORE = 50
_TAB = "    "


@dataclass(frozen=True)
class Excerpt:
    """A line for display, the columns before the carets, and the number of carets (0 if the position is unknown)."""

    line: str
    before: int
    carets: int


def excerpt(span: Span, columns: int = _COLUMNS) -> Excerpt:
    """Return the excerpt of a span's source line, at most `columns` wide, with bounded work for lines of any length."""
    end = _end(span.text)
    position = min(max(span.column - 1, 0), end)
    left = _shown(span.text[max(position - columns, 0) : position])
    right = _shown(span.text[position : min(position + columns, end)])
    budget = columns - min(sum(map(_columns, left)), columns * _BEFORE // _COLUMNS)
    after = _fitting(right, budget)
    before = _fitting(left[::-1], columns - sum(map(_columns, after)))[::-1]
    lead = "…" if len(before) < position else ""
    trail = "…" if end > position + len(after) else ""
    line = f"{lead}{''.join(before)}{''.join(after)}{trail}"
    carets = max(sum(map(_columns, after[: span.width])), 1) if span.column else 0
    return Excerpt(line.rstrip(), len(lead) + sum(map(_columns, before)), carets)


def _end(text: str) -> int:
    end = len(text)
    while end and text[end - 1] in "\r\n":
        end -= 1
    return end


def _shown(text: str) -> list[str]:
    return [_TAB if character == "\t" else escaped_character(character) for character in text]


def _columns(piece: str) -> int:
    if len(piece) > 1:
        return len(piece)
    return 0 if combining(piece) else 2 if east_asian_width(piece) in "WF" else 1


def _fitting(pieces: list[str], columns: int) -> list[str]:
    count = sum(1 for _ in takewhile(lambda width: width <= columns, accumulate(map(_columns, pieces))))
    return pieces[:count]
