"""SegmentMax: the largest elements of runs of slices. Specification: arithmetic/SegmentMax-16."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type, require_type
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import require_rank, scalar_of
from ir_plugin.tensors import Array, Dimension, ElementType, PartialShape, TensorInfo
from ir_plugin.tensors.packing import unpack


class SegmentMax(Operation, version=16):
    """The largest elements of the slices of `data` that share an id in `segment_ids`, which are sorted.

    There are `num_segments` segments, or one more than the largest id. An empty one holds zeros, or the lowest value
    of the type, as `fill_mode` says (the page calls the attribute `empty_segment_value`, files have `fill_mode`).
    Slices whose id is `num_segments` or more are left out.

    Differs from the page: `data` may be boolean.
    Example: [false, true] in one segment gives true.
    """

    needs_values = (1, 2)

    fill_mode: str

    def infer(self, data: TensorInfo, segment_ids: TensorInfo, num_segments: TensorInfo | None = None) -> TensorInfo:
        """Return the type of `data` and its shape with as many slices as there are segments."""
        note_type("data", data, "number")
        require_type("segment_ids", segment_ids, "i32", "i64")
        require_rank("segment_ids", segment_ids.shape, 1)
        if data.shape.ndim == 0:
            raise ShapeError("data", "data is a scalar; it must have at least one dimension")
        self._check_sorted(segment_ids)
        count = self._count(segment_ids, num_segments)
        if data.shape.dims is None:
            return data.with_shape(None)
        if segment_ids.shape.dims is not None and not segment_ids.shape[0].compatible(data.shape[0]):
            raise ShapeError(
                "segment_ids",
                f"segment_ids has {segment_ids.shape[0]} elements, data {data.shape} has {data.shape[0]} slices",
            )
        return data.with_shape(PartialShape([count]) + data.shape[1:])

    def _count(self, segment_ids: TensorInfo, num_segments: TensorInfo | None) -> Dimension:
        if num_segments is not None:
            require_type("num_segments", num_segments, "i32", "i64")
            require_rank("num_segments", num_segments.shape, 0)
            count = scalar_of("num_segments", num_segments)
            if count is not None and count < 0:
                raise ShapeError("num_segments", f"num_segments is {count}; it must not be negative")
            return Dimension() if count is None else Dimension(count)
        ids = segment_ids.value
        if ids is None:
            return Dimension()
        return Dimension(max(int(ids.max()) + 1, 0) if ids.size else 0)

    def _check_sorted(self, segment_ids: TensorInfo) -> None:
        ids = segment_ids.value
        if ids is None or ids.ndim != 1:
            return
        falls = np.flatnonzero(ids[1:] < ids[:-1])
        if falls.size:
            at = int(falls[0])
            raise ShapeError(
                "segment_ids", f"segment_ids[{at + 1}] is {ids[at + 1]}, after {ids[at]}; they must be sorted"
            )

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the segments."""
        return {1: Range.below(inputs.scalar(2) or inputs.length(0, 0), ascending=True)}

    def evaluate(self, data: Array, segment_ids: Array, num_segments: Array | None = None) -> Array:
        """Return the largest elements of each segment."""
        highest = int(segment_ids[-1]) if segment_ids.size else -1
        count = highest + 1 if num_segments is None else int(num_segments.reshape(-1)[0])
        self._check(data, segment_ids)
        result = np.full((count, *data.shape[1:]), self._fill(data.dtype), data.dtype)
        used = int(np.searchsorted(segment_ids, count))
        if used:
            data, segment_ids = data[:used], segment_ids[:used]
            starts = np.flatnonzero(np.concatenate([[True], segment_ids[1:] != segment_ids[:-1]]))
            result[segment_ids[starts]] = np.maximum.reduceat(data, starts, axis=0)
        return result

    def _fill(self, dtype: np.dtype[Any]) -> float:
        if self.fill_mode == "zero":
            return 0
        if dtype.kind in "iu":
            return int(np.iinfo(dtype).min)
        return _lowest(self.output_types[0] if self.output_types else ElementType.from_dtype(dtype))

    def _check(self, data: Array, segment_ids: Array) -> None:
        if segment_ids.size != data.shape[0]:
            raise EvaluationError(f"segment_ids has {segment_ids.size} elements, data has {data.shape[0]} slices")
        falls = np.flatnonzero(segment_ids[1:] < segment_ids[:-1])
        if falls.size:
            at = int(falls[0])
            raise EvaluationError(
                f"segment_ids[{at + 1}] is {segment_ids[at + 1]}, after {segment_ids[at]}; they must be sorted"
            )
        if segment_ids.size and int(segment_ids[0]) < 0:
            raise EvaluationError(f"segment_ids[0] is {segment_ids[0]}; it must not be negative")


def _lowest(element_type: ElementType) -> float:
    """Return the lowest finite number of a floating type, for one that NumPy lacks from all its codes."""
    if element_type.bits > 16 or element_type is ElementType.f16:
        return float(np.finfo(element_type.dtype).min)
    numbers = unpack(np.arange(2**element_type.bits, dtype=f"u{element_type.size}"), element_type, 2**element_type.bits)
    wide = numbers.astype(np.float32)
    return float(wide[np.isfinite(wide)].min())
