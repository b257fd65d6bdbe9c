"""Progress in a single line for notebook cells, whose output supports only carriage returns."""

from __future__ import annotations

import os
import sys
import time

_SECONDS = 0.2


def in_notebook() -> bool:
    """Return whether a notebook's kernel started this process, as for `!ir-plugin …`."""
    return bool(os.environ.get("JPY_PARENT_PID"))


class OneLine:
    """A progress line on standard error that overwrites itself and ends with the elapsed time."""

    def __init__(self, what: str, total: int | None) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._start = self._shown = time.monotonic()
        self._width = 0

    def advance(self, *_: object) -> None:
        """Count a finished part."""
        self._done += 1
        self._show(self._count())

    def compiling(self, done: int, count: int) -> None:
        """Show the progress of a compilation."""
        self._show(f"compiling: {done} of {count}")

    def close(self) -> None:
        """Write the final line if any was shown."""
        if self._width:
            self._write(f"{self._count()}, {time.monotonic() - self._start:.1f} s", "\n")

    def _count(self) -> str:
        total = "" if self._total is None else f" of {self._total}"
        return f"{self._what}: {self._done}{total}" if self._done else self._what

    def _show(self, text: str) -> None:
        now = time.monotonic()
        if now - self._shown >= _SECONDS:
            self._shown = now
            self._write(text)

    def _write(self, text: str, end: str = "") -> None:
        sys.stderr.write(f"\r{text.ljust(self._width)}{end}")
        sys.stderr.flush()
        self._width = max(self._width, len(text))
