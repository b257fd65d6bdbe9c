"""Byte pair encoding: adjacent symbols are merged, the pair of the lowest rank first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush
from itertools import count, pairwise

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.text.token_table import TokenTable

Merges = dict[tuple[int, int], tuple[int, int]]
"""The rank and the id of the result of each pair of ids."""


class BytePairs:
    """A vocabulary with its merges, which encodes texts."""

    def __init__(
        self,
        vocabulary: Mapping[bytes, int],
        merges: Sequence[tuple[bytes, bytes]],
        unknown: int | None,
        end_suffix: bytes,
        byte_fallback: bool,
        capacity: int,
    ) -> None:
        self._merges = merges_of(vocabulary, merges)
        results = {left + right for left, right in merges}
        self._symbols = TokenTable({token: id for token, id in vocabulary.items() if token not in results})
        self._unknown, self._end_suffix, self._byte_fallback = unknown, end_suffix, byte_fallback
        self.encode = lru_cache(maxsize=max(capacity, 0))(self._encode)

    def _encode(self, text: bytes) -> list[int]:
        """Return the ids of a text."""
        return merged(self._initial(text + self._end_suffix), self._merges)

    def _initial(self, text: bytes) -> list[int]:
        """Return the ids of the longest symbols from the left; a byte without one is unknown, or vanishes."""
        ids, position = [], 0
        while position < len(text):
            match = self._symbols.longest(text, position)
            length, id = match or (1, self._unknown)
            if match is None and self._byte_fallback:
                id = self._symbols.ids.get(b"<0x%02X>" % text[position], self._unknown)
            if id is not None:
                ids.append(id)
            position += length
        return ids


def merges_of(vocabulary: Mapping[bytes, int], merges: Sequence[tuple[bytes, bytes]]) -> Merges:
    """Return the merges by ids; raises for one of texts that the vocabulary lacks."""
    by_ids: Merges = {}
    for rank, (left, right) in enumerate(merges):
        ids = [vocabulary.get(text) for text in (left, right, left + right)]
        first, second, result = ids
        if first is None or second is None or result is None:
            missing = (left, right, left + right)[ids.index(None)]
            raise EvaluationError(f"merge {rank} needs {missing!r}, which is not in the vocabulary")
        by_ids[first, second] = rank, result
    return by_ids


def merged(ids: list[int], merges: Merges) -> list[int]:
    """Return symbols merged; of pairs with equal ranks the one that came into being first is merged."""
    if len(ids) < 2:
        return ids
    before, after = list(range(-1, len(ids) - 1)), [*range(1, len(ids)), -1]
    alive, ages = [True] * len(ids), count()
    pairs = enumerate(pairwise(ids))
    queue = [(merges[pair][0], next(ages), left, pair, merges[pair][1]) for left, pair in pairs if pair in merges]
    heapify(queue)
    while queue:
        _, _, left, pair, result = heappop(queue)
        right = after[left]
        if not alive[left] or right < 0 or (ids[left], ids[right]) != pair:
            continue
        ids[left], alive[right] = result, False
        after[left] = after[right]
        if after[left] >= 0:
            before[after[left]] = left
        for first in (before[left], left):
            second = after[first] if first >= 0 else -1
            merge = merges.get((ids[first], ids[second])) if second >= 0 else None
            if merge is not None:
                heappush(queue, (merge[0], next(ages), first, (ids[first], ids[second]), merge[1]))
    return [id for id, is_alive in zip(ids, alive, strict=True) if is_alive]
