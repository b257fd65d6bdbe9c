"""Unigram language models: the tokens of a text with the highest sum of scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.operations.text.byte_characters import character_length
from ir_plugin.operations.text.token_table import TokenTable
from ir_plugin.tensors import Array

UNKNOWN_PENALTY = np.float32(10)


class BestPath:
    """Tokens with scores in f32, which encode texts."""

    def __init__(self, tokens: TokenTable, scores: Array, unknown: int) -> None:
        self._tokens, self._unknown = tokens, unknown
        self._scores: list[np.float32] = list(scores.astype(np.float32))
        self._unknown_score = np.float32(min(self._scores, default=0)) - UNKNOWN_PENALTY

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
        length = len(text)
        best: list[np.float32 | None] = [np.float32(0), *[None] * length]
        starts, ids = [0] * (length + 1), [self._unknown] * (length + 1)
        start = 0
        while start < length:
            size = min(character_length(text[start]), length - start)
            arcs = [(own, id, self._scores[id]) for own, id in self._tokens.matches(text, start)]
            if all(own != size for own, _, _ in arcs):
                arcs.append((size, self._unknown, self._unknown_score))
            base = best[start] or np.float32(0)
            for own, id, score in arcs:
                total, current = base + score, best[start + own]
                if current is None or total > current:
                    best[start + own], starts[start + own], ids[start + own] = total, start, id
            start += size
        return starts, ids
