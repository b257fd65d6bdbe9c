"""The operations that hold a SentencePiece model in a constant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.constant_tables import ConstantTables
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.spans import joined, texts_of
from ir_plugin.operations.text.layout import POSITIONS, require_bytes, require_count, require_texts, texts_like
from ir_plugin.operations.text.regular_expressions import compiled
from ir_plugin.operations.text.sentencepiece_encoding import Encoder, decoded, streamed
from ir_plugin.operations.text.sentencepiece_model import SentencePieceModel
from ir_plugin.tensors import Array, Dimension, ElementType, PartialShape, TensorInfo
from ir_plugin.tensors.strings import from_bytes, to_bytes

Encode = Callable[[bytes], "list[int]"]


class SentencepieceTokenizer(ConstantTables, version="extension"):
    """The ids of texts by a SentencePiece model, as positions [row, column], ids, and the shape of dense ids.

    The inputs are the model, the texts, and perhaps special tokens with their ids, between which texts are encoded each
    by itself. `reverse` turns the ids of each text round. OpenVINO draws pieces at random where `nbest_size` is neither
    0 nor 1, which is refused.
    """

    widen = False

    nbest_size: int
    alpha: float
    add_bos: bool
    add_eos: bool
    reverse: bool

    def positions_of_tables(self, count: int) -> Sequence[int]:
        """Return the model and the special tokens."""
        return [0, *range(count - 4, count)] if count > 4 else [0]

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return i64 positions, i32 ids, and i64 lengths."""
        require_count(inputs, 2, 4, 6, 8)
        require_bytes("model", inputs[0])
        if len(inputs) in (2, 6):
            require_type("texts", inputs[1], "string")
        else:
            require_texts(inputs[1], inputs[2], inputs[3])
        if len(inputs) > 4:
            require_texts(inputs[-4], inputs[-3], inputs[-2], "special_tokens_")
            require_type("special_token_ids", inputs[-1], "i32")
        if self.nbest_size not in (0, 1):
            raise ShapeError("nbest_size", f"nbest_size is {self.nbest_size}; it must be 0 or 1")
        return TensorInfo(ElementType.i64, [-1, 2]), POSITIONS, TensorInfo(ElementType.i64, [2])

    def build_tables(self, blob: Array, *tokens: Array) -> Encode:
        """Return what encodes a text."""
        encoder = Encoder(SentencePieceModel(blob.tobytes()))
        model = encoder.model
        if not tokens:
            return self._with_ends(encoder.encode, model, self.add_eos, self.reverse)
        ids = dict(zip(texts_of(tokens[0], tokens[1], tokens[2]), tokens[3].reshape(-1).tolist(), strict=True))
        between = self._with_ends(encoder.encode, model, False, False)
        end = [model.control_id_of(model.eos)] if self.add_eos else []
        expression = compiled("|".join(map(_pattern, ids)))

        def encode(text: bytes) -> list[int]:
            parts = [ids[part] if is_token else between(part) for part, is_token in _parts(expression, text)]
            flat = [id for part in parts for id in ([part] if isinstance(part, int) else part)] + end
            return flat[::-1] if self.reverse else flat

        return encode

    def _with_ends(self, encode: Encode, model: SentencePieceModel, add_eos: bool, reverse: bool) -> Encode:
        """Return what encodes a text with the pieces for its begin and its end."""
        first = [model.id_of(model.bos)] if self.add_bos else []
        last = [model.id_of(model.eos)] if add_eos else []
        if model.unknown in first + last:
            raise EvaluationError(f"the SentencePiece model lacks {model.bos!r} or {model.eos!r}, which is to be added")
        return lambda text: (first + encode(text) + last)[:: -1 if reverse else 1]

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the positions, the ids and the lengths."""
        encode = self.tables_of(*inputs)
        if len(inputs) in (2, 6):
            texts = [to_bytes(text) for text in inputs[1].reshape(-1).tolist()]
        else:
            texts = texts_of(inputs[1], inputs[2], inputs[3])
        rows = [encode(text) for text in texts]
        positions = [(row, column) for row, ids in enumerate(rows) for column in range(len(ids))]
        shape = [len(rows), max(map(len, rows), default=0)]
        ids = np.array([id for row in rows for id in row], np.int32)
        return np.array(positions, np.int64).reshape(-1, 2), ids, np.array(shape, np.int64)


def _pattern(token: bytes) -> str:
    """Return the regular expression of a special token; one of letters has to begin or to end a word."""
    text = from_bytes(token)
    quoted = "".join(["\\" + character if character in ".^$*+?()[]{}|\\" else character for character in text])
    return (
        rf"\b{quoted}|{quoted}\b" if all(character.isascii() and character.isalpha() for character in text) else quoted
    )


def _parts(expression: Any, text: bytes) -> Iterator[tuple[bytes, bool]]:
    """Yield the special tokens of a text and what lies between them, with whether it is a special token."""
    source, position = from_bytes(text), 0
    while (match := expression.search(source, position)) is not None and match.end() > match.start():
        if match.start() > position:
            yield to_bytes(source[position : match.start()]), False
        yield to_bytes(match[0]), True
        position = match.end()
    if position < len(source):
        yield to_bytes(source[position:]), False


class SentencepieceDetokenizer(ConstantTables, version="extension"):
    """The text of each row of ids by a SentencePiece model; ids beyond its pieces are left out."""

    widen = False
    table_inputs = (0,)

    def infer(self, model: TensorInfo, ids: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return a text for each row."""
        require_bytes("model", model)
        require_type("ids", ids, "i32")
        require_rank("ids", ids.shape, 2)
        return texts_like(PartialShape([Dimension() if ids.shape.dims is None else ids.shape[0]]))

    def build_tables(self, blob: Array) -> SentencePieceModel:
        """Return the model."""
        return SentencePieceModel(blob.tobytes())

    def text_of(self, model: SentencePieceModel, ids: Sequence[int]) -> bytes:
        """Return the text of ids."""
        return decoded(model, ids)

    def evaluate(self, blob: Array, ids: Array) -> tuple[Array, ...]:
        """Return the texts."""
        model: SentencePieceModel = self.tables_of(blob, ids)
        count = len(model.pieces)
        return joined([self.text_of(model, [id for id in row if id < count]) for row in ids.tolist()])


class SentencepieceStreamDetokenizer(SentencepieceDetokenizer, version="extension"):
    """As SentencepieceDetokenizer, but the pieces of a row are joined unchanged, and byte pieces as bytes."""

    def text_of(self, model: SentencePieceModel, ids: Sequence[int]) -> bytes:
        """Return the pieces of ids."""
        return streamed(model, ids)
