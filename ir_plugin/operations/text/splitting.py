"""Texts divided by regular expressions into pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.constant_tables import ConstantTables
from ir_plugin.operations.spans import offsets_of, pairs_of, texts_of
from ir_plugin.operations.text.layout import (
    FLAGS,
    positions_of,
    require_bytes,
    require_count,
    require_rows,
    require_texts,
    texts_like,
)
from ir_plugin.operations.text.regular_expressions import compiled
from ir_plugin.tensors import Array, PartialShape, TensorInfo
from ir_plugin.tensors.strings import from_bytes, to_bytes


class Piece(NamedTuple):
    """A part of a text from one character to before another, and whether it is a match, or a special token."""

    begin: int
    end: int
    is_match: bool


Split = Callable[[str], Sequence[Piece]]
SpanOf = Callable[[Any], "tuple[int, int]"]


def _span(match: Any) -> tuple[int, int]:
    span: tuple[int, int] = match.span()
    return span


def infer_pieces(inputs: Sequence[TensorInfo], has_flags: bool, gives_flags: bool) -> tuple[TensorInfo, ...]:
    """Return rows of pieces, with flags."""
    shape = require_rows(inputs[:5])
    if has_flags:
        require_type("skips", inputs[5], "boolean")
    return (*positions_of(shape), *texts_like(PartialShape([-1])), *([FLAGS] if gives_flags else []))


def divided(inputs: Sequence[Array], has_flags: bool, split: Split) -> tuple[Array, ...]:
    """Return rows of the pieces of texts, and the flags of the pieces; a text with a flag is one piece."""
    row_begins, row_ends, begins, ends, chars = inputs[:5]
    texts = texts_of(begins, ends, chars)
    flags = inputs[5].reshape(-1).tolist() if has_flags else [False] * len(texts)
    pieces = [
        [(first, first + len(text), flag)] if flag else _in_bytes(text, first, split)
        for text, first, flag in zip(texts, begins.reshape(-1).tolist(), flags, strict=True)
    ]
    rows = [
        [piece for parts in pieces[first:last] for piece in parts]
        for first, last in pairs_of(row_begins, row_ends, len(texts), "texts", "a row")
    ]
    new_begins, new_ends = offsets_of([len(row) for row in rows])
    table = np.array([piece for row in rows for piece in row], np.int64).reshape(-1, 3)
    offsets = table[:, :2].astype(np.int32)
    shape = row_begins.shape
    return new_begins.reshape(shape), new_ends.reshape(shape), *offsets.T, chars, table[:, 2].astype(np.bool_)


def _in_bytes(text: bytes, first: int, split: Split) -> list[tuple[int, int, bool]]:
    """Return the pieces of a text, whose bytes begin at an offset, by offsets of bytes."""
    characters = from_bytes(text)
    pieces = split(characters)
    if len(characters) == len(text):
        return [(first + begin, first + end, mark) for begin, end, mark in pieces]
    offsets = list(accumulate((len(to_bytes(character)) for character in characters), initial=first))
    return [(offsets[begin], offsets[end], mark) for begin, end, mark in pieces]


def parts_of(expression: Any, text: str, span_of: SpanOf = _span) -> Iterator[Piece]:
    """Yield the spans of a text's matches and the text between matches; an empty match ends the search."""
    position = 0
    while position < len(text):
        match = expression.search(text, position)
        if match is None or match.end() == match.start():
            break
        if match.start() > position:
            yield Piece(position, match.start(), False)
        yield Piece(*span_of(match), True)
        position = match.end()
    if position < len(text):
        yield Piece(position, len(text), False)


class RegexSplit(ConstantTables, version="extension"):
    """Rows of the pieces into which a regular expression divides texts.

    The inputs are rows of texts, then flags of the texts that stay whole, if there are any, the pattern, and in old
    files tokens that stay whole. `behaviour` says what becomes of matches, or with `invert` of the rest.
    There are at most `max_splits` + 1 pieces, if it is positive. Matches side by side are merged as by Hugging Face.

    OpenVINO's tokenizers differ: of matches side by side `mergedwithprevious` repeats what is before the first one, and
    `mergedwithnext` loses the first one. Example: `a--b` divided at `-` gives a-, - and b, or a, - and -b; the
    wheel gives a-, a-- and b, or a and -b.

    OpenVINO's tokenizers differ: texts that are all empty give one row, however many they are. Example: two empty texts
    give two empty rows; the wheel gives one.
    """

    widen = False

    behaviour: str
    invert: bool
    max_splits: int

    def positions_of_tables(self, count: int) -> Sequence[int]:
        """Return the positions of the pattern and of the tokens."""
        return range(5 + (count == 7), count)

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return rows of pieces, and the flags."""
        require_count(inputs, 6, 7, 9)
        has_flags = len(inputs) == 7
        require_bytes("pattern", inputs[6 if has_flags else 5])
        if len(inputs) == 9:
            require_texts(inputs[6], inputs[7], inputs[8], "skip_tokens_")
        if self.max_splits != -1 and self.max_splits < 1:
            raise ShapeError("max_splits", f"max_splits is {self.max_splits}; it must be positive, or -1")
        return infer_pieces(inputs, has_flags, has_flags)

    def build_tables(self, pattern: Array, *tokens: Array) -> Split:
        """Return what divides a text."""
        text = from_bytes(pattern.tobytes())
        wrapped = f"({text})+" if self.behaviour == "contiguous" and not text.endswith("+") else text
        expression = compiled(wrapped)
        whole = {from_bytes(token) for token in texts_of(tokens[0], tokens[1], tokens[2])} if tokens else set()

        def split(text: str) -> list[Piece]:
            if text in whole:
                return [Piece(0, len(text), False)]
            return [Piece(begin, end, False) for begin, end, _ in self._pieces(list(parts_of(expression, text)))]

        return split

    def _pieces(self, parts: list[Piece]) -> list[Piece]:
        marked = [Piece(begin, end, is_match != self.invert) for begin, end, is_match in parts]
        if self.behaviour == "remove":
            marked = [piece for piece in marked if not piece.is_match]
        elif self.behaviour == "mergedwithprevious":
            marked = _merged(marked)
        elif self.behaviour == "mergedwithnext":
            marked = _merged(marked[::-1])[::-1]
        most = self.max_splits
        if most > 0 and len(marked) > most + 1:
            return [*marked[:most], Piece(marked[most].begin, parts[-1].end, False)]
        return marked

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the rows."""
        has_flags = len(inputs) == 7
        outputs = divided(inputs, has_flags, self.tables_of(*inputs))
        return outputs if has_flags else outputs[:5]


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Return pieces with each match merged into the one before it in the list, unless that is a match as well."""
    merged: list[Piece] = []
    follows_match = False
    for begin, end, is_match in pieces:
        if is_match and not follows_match and merged:
            last = merged[-1]
            merged[-1] = Piece(min(last.begin, begin), max(last.end, end), False)
        else:
            merged.append(Piece(begin, end, is_match))
        follows_match = is_match
    return merged


class SpecialTokensSplit(ConstantTables, version="extension"):
    """Rows of the special tokens of texts and of what lies between them, with flags of the tokens.

    A token is the last group of the pattern that took part, or the whole match; what else matched is left out.
    """

    widen = False

    def positions_of_tables(self, count: int) -> Sequence[int]:
        """Return the position of the pattern."""
        return [count - 1]

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return rows of pieces, and the flags."""
        require_count(inputs, 6, 7)
        require_bytes("pattern", inputs[-1])
        return infer_pieces(inputs, len(inputs) > 6, True)

    def build_tables(self, pattern: Array) -> Split:
        """Return what divides a text."""
        expression = compiled(from_bytes(pattern.tobytes()))
        return lambda text: list(parts_of(expression, text, _span_of_token))

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the rows."""
        return divided(inputs, len(inputs) > 6, self.tables_of(*inputs))


def _span_of_token(match: Any) -> tuple[int, int]:
    """Return the span of the last group of a match that is not empty, or of the match."""
    spans = [span for span in match.regs[1:] if span[1] > span[0]]
    span: tuple[int, int] = spans[-1] if spans else match.span()
    return span
