"""Rows of token ids cut to a length, and joined with special tokens."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.spans import offsets_of, pairs_of
from ir_plugin.operations.text.layout import RANKLESS, positions_of, require_bytes, require_count, require_positions
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo

SIDES = ("left", "right")
MODES = ("only_first", "only_second", "longest_first")


class Truncate(Operation, version="extension"):
    """Rows of one ragged tensor, or pairs of rows of two, cut to a number of elements.

    The inputs are begins, ends and data once or twice, `max_length`, and as bytes `side`, at which elements
    are left out, and `mode`, which says of two rows the one that is cut.
    """

    widen = False

    m_num_inputs: int

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return the ragged tensors."""
        require_count(inputs, 6, 9)
        *ragged, max_length, side, mode = inputs
        for first in range(0, len(ragged), 3):
            require_positions(("begins", "ends"), ragged[first], ragged[first + 1])
        require_type("max_length", max_length, "i32")
        require_bytes("side", side)
        require_bytes("mode", mode)
        return tuple(ragged)

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the ragged tensors with other begins or ends."""
        *ragged, max_length, side, mode = inputs
        most, at, which = int(max_length.reshape(-1)[0]), _word("side", side, SIDES), _word("mode", mode, MODES)
        if most < 0:
            raise EvaluationError(f"max_length is {most}; a row cannot have so many elements")
        lengths = [ragged[first + 1] - ragged[first] for first in range(0, len(ragged), 3)]
        shares = (
            [np.minimum(lengths[0], most)] if len(lengths) == 1 else _kept_of_two(lengths[0], lengths[1], most, which)
        )
        for number, length in enumerate(shares):
            begins, ends = ragged[3 * number], ragged[3 * number + 1]
            if at == "left":
                ragged[3 * number] = ends - length
            else:
                ragged[3 * number + 1] = begins + length
        return tuple(ragged)


def _word(part: str, array: Array, words: tuple[str, ...]) -> str:
    word = array.tobytes().decode("utf-8", "replace")
    if word not in words:
        raise EvaluationError(f"{part} is {word!r}; it must be {', '.join(words[:-1])} or {words[-1]}")
    return word


def _kept_of_two(first: Array, second: Array, most: int, mode: str) -> list[Array]:
    """Return how many elements are left of the rows of two ragged tensors."""
    if first.shape != second.shape:
        raise EvaluationError(f"the first rows have the shape {first.shape}, the second {second.shape}")
    fits = first + second <= most
    if mode == "only_first":
        shares = [np.minimum(first, most), second]
    elif mode == "only_second":
        shares = [first, np.minimum(second, most)]
    else:
        half, larger = most // 2, (most + 1) // 2
        is_first, is_second = (first >= larger) & (second <= half), (first < larger) & (second > half)
        halves = np.where(first >= second, larger, half), np.where(first >= second, half, larger)
        shares = [
            np.where(is_first, most - second, np.where(is_second, first, halves[0])),
            np.where(is_first, second, np.where(is_second, most - first, halves[1])),
        ]
    return [np.where(fits, length, left) for length, left in zip((first, second), shares, strict=True)]


class CombineSegments(Operation, version="extension"):
    """The rows of several ragged tensors joined, and of the same shape the number of the segment of each element.

    The inputs are begins, ends and data of each segment and the vector of their numbers; a segment
    whose begins are a scalar belongs to every row.
    """

    widen = False

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return the joined rows, and the rows of segment numbers."""
        if len(inputs) < 4 or len(inputs) % 3 != 1:
            raise ShapeError("", f"the layer has {len(inputs)} inputs; it must have three for each segment and one")
        *segments, numbers = inputs
        require_type("ids", numbers, "i32")
        rows = PartialShape([])
        for first in range(0, len(segments), 3):
            shape = _rows_of(segments[first], segments[first + 1])
            merged = _common(rows, shape)
            if merged is None:
                raise ShapeError("begins", f"begins of a segment has the shape {shape}, that of others {rows}")
            rows = merged
        element_type = merge_types(*segments[2::3])
        elements, ids = TensorInfo(element_type, [-1]), TensorInfo(ElementType.i32, [-1])
        positions = positions_of(rows) if rows.dims is not None else (RANKLESS, RANKLESS)
        return *positions, elements, *positions, ids

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the joined rows and the numbers of their segments."""
        *segments, numbers = inputs
        shape = max((begins.shape for begins in segments[::3]), key=lambda shape: (int(np.prod(shape)), len(shape)))
        rows = int(np.prod(shape))
        parts, owners = [], []
        triples = [(segments[at], segments[at + 1], segments[at + 2]) for at in range(0, len(segments), 3)]
        spans = [pairs_of(begins, ends, data.size, "elements", "a row") for begins, ends, data in triples]
        for row in range(rows):
            for number, pairs in enumerate(spans):
                begin, end = pairs[0 if len(pairs) == 1 else row]
                parts.append(segments[3 * number + 2][begin:end])
                owners.append(np.full(end - begin, numbers[number], np.int32))
        lengths = np.array([len(part) for part in parts], np.int64).reshape(rows, len(spans)).sum(1)
        begins, ends = (offsets.reshape(shape) for offsets in offsets_of(lengths.tolist()))
        data = np.concatenate([segments[2][:0], *parts])
        return begins, ends, data, begins, ends, np.concatenate([np.zeros(0, np.int32), *owners])


def _rows_of(begins: TensorInfo, ends: TensorInfo) -> PartialShape:
    """Return the shape of a segment's rows; a single row may begin at a scalar and end at a vector of one number."""
    may_be_single = not begins.shape.dims and ends.shape.merge(PartialShape([1])) is not None
    end = TensorInfo(ends.element_type, begins.shape) if may_be_single else ends
    return require_positions(("begins", "ends"), begins, end)


def _common(rows: PartialShape, shape: PartialShape) -> PartialShape | None:
    """Return the shape of rows of which one tensor may be a single row; None where they do not fit."""
    if rows.dims is None or shape.dims is None:
        return PartialShape(None)
    return rows if not len(shape) else shape if not len(rows) else rows.merge(shape)
