"""Vocabularies of tokens as bytes, and the tokens that a text has at a position."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping


class TokenTable:
    """Tokens with their ids, which are looked up by the lengths that tokens with one first byte have."""

    def __init__(self, ids: Mapping[bytes, int]) -> None:
        self.ids = dict(ids)
        lengths: defaultdict[int, set[int]] = defaultdict(set)
        for token in ids:
            if token:
                lengths[token[0]].add(len(token))
        self._descending = {first: sorted(own, reverse=True) for first, own in lengths.items()}

    def matches(self, text: bytes, start: int) -> Iterator[tuple[int, int]]:
        """Yield the length and the id of each token that stands at a position, the longest first."""
        ids, end = self.ids, len(text)
        for length in self._descending.get(text[start], ()):
            if start + length <= end:
                id = ids.get(text[start : start + length])
                if id is not None:
                    yield length, id

    def longest(self, text: bytes, start: int) -> tuple[int, int] | None:
        """Return the length and the id of the longest token at a position, or None."""
        return next(self.matches(text, start), None)
