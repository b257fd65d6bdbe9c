"""Unigram language models: the tokens of a text with the highest sum of scores."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from ir_plugin.operations.text.byte_characters import character_length
from ir_plugin.operations.text.token_table import TokenTable

UNKNOWN_PENALTY = np.float32(10)


class BestPath:
    """Tokens with scores, which encode texts.

    The sums of paths are f32; one that is compared with them is rounded before with `rounds_sums`.
    """

    def __init__(
        self, tokens: TokenTable, scores: Sequence[float], unknown: int, unknown_score: float, rounds_sums: bool
    ) -> None:
        self._tokens, self._scores = tokens, scores
        self._unknown, self._unknown_score, self._rounds_sums = unknown, unknown_score, rounds_sums

    def pieces(self, text: bytes) -> list[tuple[bytes, int]]:
        """Return the pieces of a text with their ids; neighbouring unknown ones are one."""
        starts, ids = self._paths(text)
        pieces: list[tuple[bytes, int]] = []
        end = len(text)
        while end > 0:
            start, id = starts[end], ids[end]
            piece = text[start:end]
            if pieces and id == self._unknown == pieces[-1][1]:
                pieces[-1] = piece + pieces[-1][0], id
            else:
                pieces.append((piece, id))
            end = start
        return pieces[::-1]

    def encode(self, text: bytes) -> list[int]:
        """Return the ids of a text."""
        return [id for _, id in self.pieces(text)]

    def _paths(self, text: bytes) -> tuple[Sequence[int], Sequence[int]]:
        """Return where the last token of the best path to each position begins, and its id."""
        length, rounded = len(text), array("f", [0])
        best = array("f", [0]) * (length + 1)
        starts, ids = [-1] * (length + 1), [self._unknown] * (length + 1)
        start, scores, rounds_sums = 0, self._scores, self._rounds_sums
        while start < length:
            size, base, is_known = min(character_length(text[start]), length - start), best[start], False
            for own, id in self._tokens.matches(text, start):
                total, end = base + scores[id], start + own
                is_known = is_known or own == size
                if rounds_sums:
                    rounded[0] = total
                    total = rounded[0]
                if starts[end] < 0 or total > best[end]:
                    best[end], starts[end], ids[end] = total, start, id
            end = start + size
            if not is_known:
                rounded[0] = base + self._unknown_score
                if starts[end] < 0 or rounded[0] > best[end]:
                    best[end], starts[end], ids[end] = rounded[0], start, self._unknown
            start = end
        return starts, ids
