"""The lines that a fix changes, as short texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_LONGEST = 60


def changes(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the number of each changed line before the fix, and what changes in it: `<dim>8</dim> → <dim>4</dim>`."""
    if len(before) == len(after):
        for number, (old, new) in enumerate(zip(before, after, strict=True), 1):
            if old != new:
                yield number, _change(old, new)
        return
    for tag, first, last, begin, end in SequenceMatcher(None, before, after).get_opcodes():
        if tag != "equal":
            yield (
                first + 1,
                _change(" ".join(map(str.strip, before[first:last])), " ".join(map(str.strip, after[begin:end]))),
            )


def _change(old: str, new: str) -> str:
    old, new = old.strip(), new.strip()
    head = _boundary(old, _common(old, new))
    tail = _boundary(old[::-1], _common(old[head:][::-1], new[head:][::-1]))
    return f"{_shortened(old[head : len(old) - tail])} → {_shortened(new[head : len(new) - tail])}"


def _common(first: str, second: str) -> int:
    """Return the length of the common prefix of two texts."""
    return next(
        (at for at, (left, right) in enumerate(zip(first, second, strict=False)) if left != right),
        min(len(first), len(second)),
    )


def _boundary(text: str, count: int) -> int:
    """Return the length of the longest prefix of at most `count` characters that ends between words outside quotes."""
    ends = (end for end in range(count, 0, -1) if text[end - 1].isspace() and text.count('"', 0, end) % 2 == 0)
    return next(ends, 0)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
