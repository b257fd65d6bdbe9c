"""Ragged tensors: rows of different lengths, as begins and ends in one vector of elements."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.memory import require
from ir_plugin.operations.shapes import require_rank, scalar_of
from ir_plugin.operations.spans import pairs_of, require_spans
from ir_plugin.operations.text.layout import positions_of, require_positions
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo


class RaggedTensorPack(Operation, version="extension"):
    """The elements of a ragged tensor, without its rows."""

    widen = False

    def infer(self, begins: TensorInfo, ends: TensorInfo, data: TensorInfo) -> TensorInfo:
        """Return the type and shape of the elements."""
        require_positions(("begins", "ends"), begins, ends)
        return data

    def evaluate(self, begins: Array, ends: Array, data: Array) -> Array:
        """Return the elements."""
        del begins, ends
        return data


class RaggedToDense(Operation, version="extension"):
    """Rows of `target` elements, cut at their ends or padded with `value`, and a mask that is true at elements.

    Pads follow the row, or with a false `pad_right`, which is an attribute or the last input, come before it.
    With `m_pad_max_length` every row is read for `target` elements whatever its length.
    """

    widen = False
    needs_values = (3,)

    pad_right: bool
    m_pad_max_length: bool

    def infer(
        self,
        begins: TensorInfo,
        ends: TensorInfo,
        data: TensorInfo,
        target: TensorInfo,
        value: TensorInfo,
        side: TensorInfo | None = None,
    ) -> tuple[TensorInfo, TensorInfo]:
        """Return the rows and the mask, of the shape [*begins, target, *element]."""
        rows = require_positions(("begins", "ends"), begins, ends)
        require_type("target", target, "integer")
        element_type = merge_types(data, value, part="value")
        if side is not None:
            require_type("pad_right", side, "boolean")
        if data.shape.dims is not None and not len(data.shape):
            raise ShapeError("data", "data has rank 0; it must have at least 1")
        if rows.dims is None or data.shape.dims is None:
            return TensorInfo(element_type, None), TensorInfo(ElementType.boolean, None)
        length = scalar_of("target", target)
        shape = PartialShape([*rows, -1 if length is None or length < 0 else length, *list(data.shape)[1:]])
        return TensorInfo(element_type, shape), TensorInfo(ElementType.boolean, shape)

    def evaluate(
        self, begins: Array, ends: Array, data: Array, target: Array, value: Array, side: Array | None = None
    ) -> tuple[Array, Array]:
        """Return the rows and the mask."""
        length = int(target.reshape(-1)[0])
        if length < 0:
            raise EvaluationError(f"target is {length}; a row cannot have so many elements")
        pad_right = self.pad_right if side is None else bool(side.reshape(-1)[0])
        rows = pairs_of(begins, begins + length if self.m_pad_max_length else ends, len(data), "elements", "a row")
        shape = (len(rows), length, *data.shape[1:])
        require("rows of shape", shape, data.dtype.itemsize)
        dense, mask = np.full(shape, value.reshape(-1)[0], data.dtype), np.zeros(shape, np.bool_)
        for row, (begin, end) in enumerate(rows):
            count = min(end - begin, length)
            columns = slice(0, count) if pad_right else slice(length - count, length)
            dense[row, columns] = data[begin : begin + count]
            mask[row, columns] = True
        whole = (*begins.shape, *shape[1:])
        return dense.reshape(whole), mask.reshape(whole)


class RaggedToSparse(Operation, version="extension"):
    """The row of each element and its position in the row, [n, 2] in the order of the rows."""

    def infer(self, begins: TensorInfo, ends: TensorInfo) -> TensorInfo:
        """Return i32 pairs."""
        require_positions(("begins", "ends"), begins, ends)
        return TensorInfo(ElementType.i32, [-1, 2])

    def evaluate(self, begins: Array, ends: Array) -> Array:
        """Return the pairs."""
        require_spans(begins, ends, int(ends.max(initial=0)), "elements", "a row")
        lengths = (ends - begins).reshape(-1)
        rows = np.repeat(np.arange(lengths.size), lengths)
        firsts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        return np.stack([rows, np.arange(rows.size) - firsts], 1).astype(np.int32)


class RaggedToRagged(Operation, version="extension"):
    """Begins and ends of the rows of elements, from the row of each in ascending order and the number of rows."""

    needs_values = (1,)

    def infer(self, rows: TensorInfo, first_dim: TensorInfo) -> tuple[TensorInfo, TensorInfo]:
        """Return vectors of the number of rows."""
        require_type("rows", rows, "i32")
        require_rank("rows", rows.shape, 1)
        require_type("first_dim", first_dim, "i32")
        count = None if first_dim.value is None or not first_dim.value.size else int(first_dim.value.reshape(-1)[0])
        return positions_of(PartialShape([-1 if count is None or count < 0 else count]))

    def evaluate(self, rows: Array, first_dim: Array) -> tuple[Array, Array]:
        """Return the offsets."""
        count = int(first_dim.reshape(-1)[0]) if first_dim.size else 0
        if rows.size and rows.min() < 0:
            raise EvaluationError(f"rows holds {rows.min()}; a row has no negative number")
        if (np.diff(rows) < 0).any():
            raise EvaluationError("rows are not in ascending order")
        require("offsets of rows", (max(count, 0), 2), 4)
        numbers = np.arange(count)
        return np.searchsorted(rows, numbers, "left"), np.searchsorted(rows, numbers, "right")


class FuzeRagged(Operation, version="extension"):
    """Begins and ends of rows in elements; the inputs delimit rows in parts, and parts in elements.

    OpenVINO's tokenizers differ: a row without parts has the elements of the next row, or lies where the memory behind
    the parts says. Example: of the rows [0, 1) and [1, 1) of the parts [0, 3) and [3, 5) the second one is empty; the
    wheel gives it the elements [3, 5), so that an empty text among others is detokenized to another's.
    """

    def infer(
        self, row_begins: TensorInfo, row_ends: TensorInfo, begins: TensorInfo, ends: TensorInfo
    ) -> tuple[TensorInfo, TensorInfo]:
        """Return offsets of the shape of the rows."""
        shape = require_positions(("row_begins", "row_ends"), row_begins, row_ends)
        require_positions(("begins", "ends"), begins, ends)
        return positions_of(shape)

    def evaluate(self, row_begins: Array, row_ends: Array, begins: Array, ends: Array) -> tuple[Array, Array]:
        """Return the offsets; a row without parts is empty and lies where its first part would."""
        require_spans(row_begins, row_ends, begins.size, "parts", "a row")
        last = int(ends.reshape(-1)[-1]) if ends.size else 0
        firsts, lasts = np.append(begins, last), np.append(ends, last)
        joined = lasts[np.maximum(row_ends - 1, 0)]
        empty = row_begins == row_ends
        return firsts[row_begins], np.where(empty, firsts[row_begins], joined)
