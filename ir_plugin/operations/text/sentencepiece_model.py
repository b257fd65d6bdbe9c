"""The pieces of a SentencePiece model, and what it says of texts, from the file's message of protobuf."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TypeVar

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.text.byte_characters import byte_tokens
from ir_plugin.operations.text.charsmap import DoubleArray, LongestRule, Normalizer, no_rule
from ir_plugin.operations.text.protobuf import Message
from ir_plugin.operations.text.token_table import TokenTable


class PieceType(IntEnum):
    """What a piece is."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


class Algorithm(IntEnum):
    """How a model divides texts."""

    UNIGRAM = 1
    BPE = 2
    WORD = 3
    CHAR = 4


_IN_TEXTS = (PieceType.NORMAL, PieceType.USER_DEFINED, PieceType.UNUSED)
"""The types of the pieces that texts are divided into."""
Choice = TypeVar("Choice", bound=IntEnum)


class SentencePieceModel:
    """The pieces by their ids, with scores and types, the normalization of texts, and the fields of training."""

    def __init__(self, blob: bytes) -> None:
        message = Message(blob)
        pieces = [Message(data) for data in message.all_bytes(1)]
        self.pieces = [piece.text(1) for piece in pieces]
        self.scores = [piece.number(2) for piece in pieces]
        self.types = [_choice(PieceType, piece.integer(3, 1)) for piece in pieces]
        trainer = message.message(2)
        self.algorithm = _choice(Algorithm, trainer.integer(3, 1))
        self.byte_fallback = trainer.flag(35)
        self.bos, self.eos = trainer.text(46) or b"<s>", trainer.text(47) or b"</s>"
        self.unknown_surface = trainer.text(44, " \N{DOUBLE QUESTION MARK} ".encode()).partition(b"\0")[0]
        self.ids, self._reserved = self._by_type(_IN_TEXTS), self._by_type(set(PieceType) - set(_IN_TEXTS))
        self.unknown = self._checked_unknown()
        self.symbols = TokenTable(self._by_type([PieceType.USER_DEFINED]))
        rules = message.message(3)
        self.adds_prefix, self.removes_blanks = rules.flag(3, True), rules.flag(4, True)
        self.normalizer = _normalizer(rules, trainer.flag(24), self.symbols)
        denormalizer = message.message(5)
        self.denormalizer = _normalizer(denormalizer, False, None) if denormalizer.text(2) else None

    def id_of(self, piece: bytes) -> int:
        """Return the id of a piece, the unknown one's for others."""
        id = self._reserved.get(piece)
        return self.ids.get(piece, self.unknown) if id is None else id

    def control_id_of(self, piece: bytes) -> int:
        """Return the id of a control piece, -1 if there is none."""
        id = self.id_of(piece)
        return id if self.types[id] is PieceType.CONTROL else -1

    def _by_type(self, types: Iterable[PieceType]) -> dict[bytes, int]:
        chosen = set(types)
        return {piece: id for id, piece in enumerate(self.pieces) if self.types[id] in chosen}

    def _checked_unknown(self) -> int:
        """Return the id of the unknown piece; raises for pieces that SentencePiece refuses."""
        if b"" in self.pieces:
            raise EvaluationError("the SentencePiece model has an empty piece")
        if len(self.ids) + len(self._reserved) != len(self.pieces):
            raise EvaluationError("the SentencePiece model has a piece twice")
        unknown = [id for id, type in enumerate(self.types) if type is PieceType.UNKNOWN]
        if len(unknown) != 1:
            raise EvaluationError(f"the SentencePiece model has {len(unknown)} unknown pieces; it must have one")
        byte_pieces = {piece for piece, type in zip(self.pieces, self.types, strict=True) if type is PieceType.BYTE}
        if byte_pieces != (byte_tokens().keys() if self.byte_fallback else set()):
            raise EvaluationError(
                f"the SentencePiece model has {len(byte_pieces)} pieces for bytes; "
                "it must have all 256 with byte_fallback, none without"
            )
        return unknown[0]


def _choice(choices: type[Choice], number: int) -> Choice:
    """Return a choice by its number, the first one for numbers that mean nothing."""
    return choices(number) if number in list(choices) else next(iter(choices))


def _normalizer(rules: Message, suffix: bool, symbols: TokenTable | None) -> Normalizer:
    """Return the normalization that a message describes, which leaves the symbols as they are."""
    table = rules.text(2)
    return Normalizer(
        DoubleArray(table).longest if table else no_rule,
        add_dummy_prefix=rules.flag(3, True),
        remove_extra_whitespaces=rules.flag(4, True),
        escape_whitespaces=rules.flag(5, True),
        suffix=suffix,
        symbols=_copying(symbols) if symbols is not None and symbols.ids else no_rule,
    )


def _copying(symbols: TokenTable) -> LongestRule:
    """Return a rule that copies the longest symbol at a position."""

    def longest(text: bytes, start: int) -> tuple[bytes, int] | None:
        match = symbols.longest(text, start)
        return None if match is None else (text[start : start + match[0]], match[0])

    return longest
