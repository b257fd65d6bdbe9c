"""What builds a node, as findings and errors name it: a line of Python, or what `BUILT_FOR` says."""

from __future__ import annotations

import linecache
import os
import sys
from contextvars import ContextVar
from itertools import islice
from pathlib import Path
from types import CodeType
from typing import Protocol

from ir_plugin.diagnostics import Span

_PACKAGE = str(Path(__file__).parents[1]) + os.sep
_COMMANDS = tuple(f"{_PACKAGE}{folder}{os.sep}" for folder in ("cli", "serving"))
_END_OF_LINE = 2**31


class Origin(Protocol):
    """What a node was read from, or built by."""

    def span(self, attribute: str = "") -> Span:
        """Return the span of the layer, or of one of its attributes."""

    def port(self, direction: str, index: int, dimension: int | None = None, attribute: str = "") -> Span:
        """Return the span of a port (`input` or `output`), or of one of its dimensions or attributes."""

    def note(self) -> str:
        """Return the origin's text in references to the layer, empty for a layer of an IR."""


BUILT_FOR: ContextVar[Origin | None] = ContextVar("BUILT_FOR", default=None)
"""What nodes are built for, such as a node of a file in another format; None where a line of Python builds them."""


def current_origin() -> Origin | None:
    """Return what a new node is built for, or the innermost call from outside this package; None in its commands."""
    origin = BUILT_FOR.get()
    if origin is not None:
        return origin
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_back is None or frame.f_code.co_filename.startswith(_COMMANDS):
            return None
        frame = frame.f_back
    return PythonOrigin(frame.f_code, frame.f_lasti)


class PythonOrigin:
    """The call that builds a node; its line is computed when it is asked for, as decoding it takes time."""

    __slots__ = ("_code", "_instruction")

    def __init__(self, code: CodeType, instruction: int) -> None:
        self._code = code
        self._instruction = instruction

    def span(self, attribute: str = "") -> Span:
        """Return the span of the call; attributes have none of their own."""
        del attribute
        file = self._code.co_filename
        line, end_line, begin, end = self._position()
        text = linecache.getline(file, line).rstrip("\r\n")
        if begin < 0 or not text:
            return Span(file, line, 0, 0, text)
        encoded = text.encode("utf-8", "replace")
        last = end if end_line == line else len(encoded)
        column, stop = (len(encoded[:offset].decode("utf-8", "replace")) for offset in (begin, last))
        return Span(file, line, column + 1, max(stop - column, 1), text)

    def port(self, direction: str, index: int, dimension: int | None = None, attribute: str = "") -> Span:
        """Return the span of the call; ports have none of their own."""
        del direction, index, dimension
        return self.span(attribute)

    def note(self) -> str:
        """Return the file and line of the call."""
        return f"built at {self}"

    def _position(self) -> tuple[int, int, int, int]:
        """Return the first and last line, and the byte offsets of the call within them, -1 if unknown."""
        first = self._code.co_firstlineno
        if not hasattr(self._code, "co_positions"):
            starts = [line for begin, _, line in self._code.co_lines() if begin <= self._instruction and line]
            return (starts[-1] if starts else first), first, -1, -1
        position = next(islice(self._code.co_positions(), self._instruction // 2, None), (None,) * 4)
        line, end_line, begin, end = position
        if line is None:
            return first, first, -1, -1
        return line, end_line or line, -1 if begin is None else begin, _END_OF_LINE if end is None else end

    def __str__(self) -> str:
        return f"{self._code.co_filename}:{self._position()[0]}"
