"""Texts as pieces of a SentencePiece model, and pieces as texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.text.best_path import UNKNOWN_PENALTY, BestPath
from ir_plugin.operations.text.byte_characters import byte_tokens, character_length
from ir_plugin.operations.text.charsmap import BLANK, copied
from ir_plugin.operations.text.sentencepiece_model import Algorithm, PieceType, SentencePieceModel
from ir_plugin.operations.text.token_table import TokenTable

Pieces = list[tuple[bytes, int]]
Divide = Callable[[bytes], Pieces]

_LARGEST, _SMALLEST = float(np.finfo(np.float32).max), float(np.finfo(np.float32).tiny)


class Encoder:
    """A model that encodes texts."""

    def __init__(self, model: SentencePieceModel) -> None:
        self.model = model
        self._divide = _divides(model)

    def encode(self, text: bytes) -> list[int]:
        """Return the ids of a text; neighbouring unknown pieces are one, or the pieces of their bytes."""
        model, ids = self.model, list[int]()
        for piece, id in self._divide(model.normalizer.normalized(text)):
            if model.types[id] is PieceType.CONTROL:
                raise EvaluationError(f"the text holds the control piece {piece!r}")
            if id == model.unknown and model.byte_fallback:
                ids += [model.id_of(b"<0x%02X>" % byte) for byte in piece]
            elif id != model.unknown or ids[-1:] != [id]:
                ids.append(id)
        return ids


def _divides(model: SentencePieceModel) -> Divide:
    """Return what divides normalized texts into pieces."""
    if model.algorithm is Algorithm.UNIGRAM:
        return _best_path(model).pieces
    if model.algorithm is Algorithm.BPE:
        return lambda text: _Merging(model, text).pieces()
    if model.algorithm is Algorithm.CHAR:
        return lambda text: [(symbol, model.id_of(symbol)) for symbol, _ in _symbols(model, text)]
    return lambda text: [(word, model.id_of(word)) for word in _words(text)]


def _best_path(model: SentencePieceModel) -> BestPath:
    """Return the pieces with their scores, in which symbols of the user win."""
    scores = [score for score, type in zip(model.scores, model.types, strict=True) if type is PieceType.NORMAL]
    highest = np.float32(max([_SMALLEST, *scores]))
    unknown_score = float(np.float32(min(scores, default=_LARGEST)) - UNKNOWN_PENALTY)
    by_id = list(model.scores)
    for symbol, id in model.symbols.ids.items():
        by_id[id] = float(np.float32(len(symbol)) * highest) - 0.1
    used = {piece: id for piece, id in model.ids.items() if model.types[id] is not PieceType.UNUSED}
    return BestPath(TokenTable(used), by_id, model.unknown, unknown_score, rounds_sums=False)


def _symbols(model: SentencePieceModel, text: bytes) -> Iterator[tuple[bytes, bool]]:
    """Yield the symbols of the user and the characters of a text, with whether they are symbols of the user."""
    position = 0
    while position < len(text):
        match = model.symbols.longest(text, position) if model.symbols.ids else None
        length = match[0] if match else character_length(text[position])
        yield text[position : position + length], match is not None
        position += length


def _words(text: bytes) -> list[bytes]:
    """Return the words of a text, each with the blank before it."""
    first, *others = text.split(BLANK)
    return [word for word in [first, *[BLANK + part for part in others]] if word]


class _Merging:
    """The symbols of one text, of which adjacent ones are merged into the piece with the highest score."""

    def __init__(self, model: SentencePieceModel, text: bytes) -> None:
        self._model = model
        symbols = list(_symbols(model, text))
        self._symbols, self._frozen = [symbol for symbol, _ in symbols], [is_frozen for _, is_frozen in symbols]
        count = len(symbols)
        self._before, self._after = list(range(-1, count - 1)), [*range(1, count), -1]
        self._queue: list[tuple[float, int, int, int]] = []
        self._origins: dict[bytes, tuple[bytes, bytes]] = {}

    def pieces(self) -> Pieces:
        """Return the pieces; an unused one is divided into those that it was merged from."""
        for right in range(1, len(self._symbols)):
            self._add(right - 1, right)
        symbols = self._symbols
        while self._queue:
            _, left, right, size = heappop(self._queue)
            if symbols[left] and symbols[right] and len(symbols[left]) + len(symbols[right]) == size:
                self._merge(left, right)
        return [piece for symbol in symbols if symbol for piece in self._resolved(symbol)]

    def _add(self, left: int, right: int) -> None:
        if left < 0 or right < 0 or self._frozen[left] or self._frozen[right]:
            return
        piece = self._symbols[left] + self._symbols[right]
        id = self._model.ids.get(piece)
        if id is None:
            return
        heappush(self._queue, (-self._model.scores[id], left, right, len(piece)))
        if self._model.types[id] is PieceType.UNUSED:
            self._origins[piece] = self._symbols[left], self._symbols[right]

    def _merge(self, left: int, right: int) -> None:
        after = self._after[right]
        self._symbols[left] += self._symbols[right]
        self._symbols[right] = b""
        self._after[left] = after
        if after >= 0:
            self._before[after] = left
        self._add(self._before[left], left)
        self._add(left, after)

    def _resolved(self, symbol: bytes) -> Iterator[tuple[bytes, int]]:
        id = self._model.id_of(symbol)
        parts = self._origins.get(symbol) if self._model.types[id] is PieceType.UNUSED else None
        if parts is None:
            yield symbol, id
        else:
            for part in parts:
                yield from self._resolved(part)


def decoded(model: SentencePieceModel, ids: Sequence[int]) -> bytes:
    """Return the text of ids: blanks are spaces, but those before the text, and pieces of bytes are characters."""
    text, data, at_start, is_stripped = b"", b"", True, False
    for id in require_ids(ids):
        if model.types[id] is PieceType.BYTE:
            data += byte_tokens()[model.pieces[id]]
            continue
        text, data = text + _characters(data), b""
        at_start = at_start and not is_stripped and not text
        piece, is_stripped = _surface(model, id, at_start)
        text += piece
    text += _characters(data)
    return model.denormalizer.normalized(text) if model.denormalizer else text


def _surface(model: SentencePieceModel, id: int, at_start: bool) -> tuple[bytes, bool]:
    """Return the text of a piece, and whether the one blank before the text was left out."""
    if model.types[id] is PieceType.CONTROL:
        return b"", False
    if model.types[id] is PieceType.UNKNOWN:
        return model.unknown_surface, False
    piece, is_stripped = model.pieces[id], False
    if at_start and (model.adds_prefix or model.removes_blanks) and piece.startswith(BLANK):
        piece, is_stripped = piece[len(BLANK) :], not model.removes_blanks
    return piece.replace(BLANK, b" "), is_stripped


def require_ids(ids: Sequence[int]) -> Sequence[int]:
    """Return ids; raises for a negative one."""
    if min(ids, default=0) < 0:
        raise EvaluationError(f"ids hold {min(ids)}; the id of a piece is not negative")
    return ids


def _characters(data: bytes) -> bytes:
    """Return bytes with U+FFFD for each that is part of no character."""
    output, position = bytearray(), 0
    while position < len(data):
        piece, length = copied(data, position)
        output += piece
        position += length
    return bytes(output)


def streamed(model: SentencePieceModel, ids: Sequence[int]) -> bytes:
    """Return the pieces of ids as they are, with those such as `<0x0A>` as bytes; 0xFF for one without a number."""
    pieces = [model.pieces[id] for id in require_ids(ids)]
    tokens = byte_tokens()
    is_byte = [len(piece) == 6 and piece.startswith(b"<0x") and piece.endswith(b">") for piece in pieces]
    return b"".join(
        [tokens.get(piece, b"\xff") if mark else piece for piece, mark in zip(pieces, is_byte, strict=True)]
    )
