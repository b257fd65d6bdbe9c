"""Vocabularies: numbers of whole texts, and texts of token ids."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.constant_tables import ConstantTables
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.spans import joined, texts_of
from ir_plugin.operations.text.layout import positions_of, require_texts, texts_like
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class VocabEncoder(ConstantTables, version="extension"):
    """The value of each text that the vocabulary has, `default` for others; the first of equal texts counts."""

    widen = False
    table_inputs = (3, 4, 5)

    def infer(
        self,
        begins: TensorInfo,
        ends: TensorInfo,
        chars: TensorInfo,
        vocabulary_begins: TensorInfo,
        vocabulary_ends: TensorInfo,
        vocabulary_chars: TensorInfo,
        values: TensorInfo,
        default: TensorInfo,
    ) -> TensorInfo:
        """Return values of the shape of the texts."""
        shape = require_texts(begins, ends, chars)
        require_texts(vocabulary_begins, vocabulary_ends, vocabulary_chars, "vocabulary_")
        require_type("values", values, "i32", "i64")
        return TensorInfo(merge_types(values, default, part="default"), shape)

    def build_tables(self, begins: Array, ends: Array, chars: Array) -> dict[bytes, int]:
        """Return the position of each text."""
        texts = texts_of(begins, ends, chars)
        return {text: index for index, text in reversed(list(enumerate(texts)))}

    def evaluate(self, begins: Array, ends: Array, chars: Array, *vocabulary: Array) -> Array:
        """Return the values."""
        positions = self.tables_of(begins, ends, chars, *vocabulary)
        values, default = vocabulary[3:]
        extended = np.append(values.reshape(-1), default.reshape(-1)[:1])
        indices = [positions.get(text, values.size) for text in texts_of(begins, ends, chars)]
        return extended[np.array(indices, np.int64)].reshape(begins.shape)


class VocabDecoder(ConstantTables, version="extension"):
    """The text of each token id of a row; empty for ids outside the vocabulary and for those to skip.

    The ids to skip are the last input, or without it `skip_tokens`.
    """

    widen = False
    table_inputs = (1, 2, 3)

    skip_tokens: tuple[int, ...]

    def infer(
        self,
        ids: TensorInfo,
        vocabulary_begins: TensorInfo,
        vocabulary_ends: TensorInfo,
        vocabulary_chars: TensorInfo,
        skipped: TensorInfo | None = None,
    ) -> tuple[TensorInfo, ...]:
        """Return a row of texts for each row of ids."""
        require_type("ids", ids, "i32")
        require_rank("ids", ids.shape, 2)
        require_texts(vocabulary_begins, vocabulary_ends, vocabulary_chars, "vocabulary_")
        if skipped is not None:
            require_type("skip_tokens", skipped, "i32")
        rows = Dimension() if ids.shape.dims is None else ids.shape[0]
        return (*positions_of(PartialShape([rows])), *texts_like(PartialShape([-1])))

    def build_tables(self, begins: Array, ends: Array, chars: Array) -> list[bytes]:
        """Return the texts."""
        return texts_of(begins, ends, chars)

    def evaluate(self, ids: Array, *vocabulary: Array) -> tuple[Array, ...]:
        """Return the rows of texts."""
        texts = self.tables_of(ids, *vocabulary)
        skipped = vocabulary[3].reshape(-1).tolist() if len(vocabulary) > 3 else self.skip_tokens
        left_out, count = set(skipped), len(texts)
        decoded = [texts[id] if 0 <= id < count and id not in left_out else b"" for id in ids.reshape(-1).tolist()]
        rows, width = ids.shape
        if not width:
            decoded, width = [b""] * rows, 1
        firsts = np.arange(rows, dtype=np.int32) * width
        return (firsts, firsts + np.int32(width), *joined(decoded))
