"""Texts joined along an axis, and divided at a delimiter, as ONNX's domain ai.onnx.contrib has them."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import normalize_axis, scalar_of
from ir_plugin.operations.spans import joined, texts_of
from ir_plugin.operations.text.layout import CHARS, POSITIONS, require_bytes, require_texts, texts_like
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo
from ir_plugin.tensors.containers import vector_of


class ContribStringJoin(Operation, version="extension"):
    """The texts along an axis joined, with a separator between them."""

    widen = False
    needs_values = (4,)

    def infer(
        self, begins: TensorInfo, ends: TensorInfo, chars: TensorInfo, separator: TensorInfo, axis: TensorInfo
    ) -> tuple[TensorInfo, ...]:
        """Return texts without the axis; a scalar or a vector gives one text."""
        shape = require_texts(begins, ends, chars)
        require_bytes("separator", separator)
        require_type("axis", axis, "i32", "i64")
        if shape.dims is None:
            return texts_like(shape)
        number = scalar_of("axis", axis)
        if len(shape) < 2 or number is None:
            return texts_like(PartialShape([-1] * max(len(shape) - 1, 0)))
        dims = list(shape)
        del dims[normalize_axis("axis", number, len(shape))]
        return texts_like(PartialShape(dims))

    def evaluate(self, begins: Array, ends: Array, chars: Array, separator: Array, axis: Array) -> tuple[Array, ...]:
        """Return the texts."""
        texts: Array = vector_of(texts_of(begins, ends, chars)).reshape(begins.shape)
        if not texts.ndim:
            return joined([texts.item()], ())
        number = int(axis.reshape(-1)[0])
        if not -texts.ndim <= number < texts.ndim:
            raise EvaluationError(f"axis is {number}; the texts have the shape {list(texts.shape)}")
        rows = np.moveaxis(texts, number, -1)
        shape = rows.shape[:-1]
        flat = rows.reshape(int(np.prod(shape)), rows.shape[-1]).tolist()
        return joined([separator.tobytes().join(row) for row in flat], shape)


class ContribStringSplit(Operation, version="extension"):
    """The parts of texts between delimiters, as positions, parts, and the shape of dense texts.

    With `skip_empty` empty parts are left out, but counted. An empty delimiter divides a text into its bytes.
    """

    widen = False

    def infer(
        self, begins: TensorInfo, ends: TensorInfo, chars: TensorInfo, delimiter: TensorInfo, skip_empty: TensorInfo
    ) -> tuple[TensorInfo, ...]:
        """Return i64 positions, texts, and i64 lengths."""
        shape = require_texts(begins, ends, chars)
        require_bytes("delimiter", delimiter)
        require_type("skip_empty", skip_empty, "boolean", "u8", "i8")
        rank = -1 if shape.dims is None else len(shape) + 1
        positions, lengths = TensorInfo(ElementType.i64, [-1, rank]), TensorInfo(ElementType.i64, [rank])
        return positions, POSITIONS, POSITIONS, CHARS, lengths

    def evaluate(
        self, begins: Array, ends: Array, chars: Array, delimiter: Array, skip_empty: Array
    ) -> tuple[Array, ...]:
        """Return the positions, the parts and the lengths."""
        mark, skips = delimiter.tobytes(), bool(skip_empty.reshape(-1)[0])
        parts = [_parts(text, mark) for text in texts_of(begins, ends, chars)]
        positions: list[tuple[int, ...]] = []
        values: list[bytes] = []
        for position, row in zip(np.ndindex(begins.shape), parts, strict=True):
            for index, part in enumerate(row):
                if part or not skips:
                    positions.append((*position, index))
                    values.append(part)
        lengths = [*begins.shape, max(map(len, parts), default=0)]
        table = np.array(positions, np.int64).reshape(-1, begins.ndim + 1)
        return (table, *joined(values), np.array(lengths, np.int64))


def _parts(text: bytes, delimiter: bytes) -> list[bytes]:
    return text.split(delimiter) if delimiter else [text[index : index + 1] for index in range(len(text))]
