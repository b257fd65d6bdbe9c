"""Work counted in lines of Python, which no clock and no load of a machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def counted_lines() -> Iterator[Callable[[], int]]:
    """Count the lines that this thread executes, and yield what returns the count."""
    lines, before = 0, sys.gettrace()

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    sys.settrace(trace)
    try:
        yield lambda: lines
    finally:
        sys.settrace(before)
