"""A text with insertions and replacements, and the offset in the original of each of its bytes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple


class Change(NamedTuple):
    """The replacement of the bytes from `begin` up to `end`; an insertion where both are equal."""

    begin: int
    end: int
    text: bytes


class Rewriting:
    """A changed text; findings show `original`, which is as long as the text that the changes are made in."""

    def __init__(self, text: bytes, changes: Iterable[Change], original: bytes) -> None:
        self.original = original
        pieces: list[bytes] = []
        self._starts: list[int] = []
        self._offsets: list[tuple[int, bool]] = []
        length = at = 0
        last = Change(len(original), len(original), b"")
        for begin, end, new in [*sorted(changes, key=lambda change: change[:2]), last]:
            for piece, offset, is_copy in ((text[at:begin], at, True), (new, begin, False)):
                self._starts.append(length)
                self._offsets.append((offset, is_copy))
                pieces.append(piece)
                length += len(piece)
            at = end
        self.data = b"".join(pieces)

    def offset_in_original(self, position: int) -> int:
        """Return the offset in the original of a byte of the changed text; of an insertion, where it stands."""
        index = bisect_right(self._starts, position) - 1
        offset, is_copy = self._offsets[index]
        return min(offset + (position - self._starts[index]) * is_copy, len(self.original))
