"""The line of Python that builds a node, as findings and errors name it."""

from __future__ import annotations

import linecache
import os
import sys
from itertools import islice
from pathlib import Path
from types import CodeType

from ir_plugin.diagnostics import Span

_PACKAGE = str(Path(__file__).parents[1]) + os.sep
_END_OF_LINE = 2**31


class PythonOrigin:
    """The call that builds a node; its line is computed when it is asked for, as decoding it takes time."""

    __slots__ = ("_code", "_instruction")

    def __init__(self, code: CodeType, instruction: int) -> None:
        self._code = code
        self._instruction = instruction

    @staticmethod
    def of_caller() -> PythonOrigin:
        """Return the origin of the innermost call from outside this package."""
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
            frame = frame.f_back
        return PythonOrigin(frame.f_code, frame.f_lasti)

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
