"""SearchSorted: find insertion points in sorted rows. Specification: sort/SearchSorted-15."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, note_type
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo


class SearchSorted(Operation, version=15):
    """Return the indices in rows of `sorted_sequence` before which `values` are inserted to keep the order.

    The index is before equal elements, or after them with `right_mode`. All dimensions but the last are equal, or the
    sequence is one row for all values.

    Differs from the page: inputs may be boolean.
    Example: True comes after [false].
    """

    right_mode: bool
    output_type: ElementType

    def infer(self, sorted_sequence: TensorInfo, values: TensorInfo) -> TensorInfo:
        """Return the shape of `values`."""
        note_type("sorted_sequence", sorted_sequence, "number")
        note_type("values", values, "number")
        merge_types(sorted_sequence, values, part="values")
        rows, shape = sorted_sequence.shape, values.shape
        if rows.ndim == 0:
            raise ShapeError("sorted_sequence", "sorted_sequence is a scalar; it must have at least one dimension")
        if rows.ndim is None or rows.ndim == 1:
            return TensorInfo(self.output_type, shape)
        merged = PartialShape([*rows[:-1], -1]).merge(shape)
        if merged is None:
            raise ShapeError(
                "values", f"values {shape} and sorted_sequence {rows} must be equal but for the last dimension"
            )
        return TensorInfo(self.output_type, merged)

    def evaluate(self, sorted_sequence: Array, values: Array) -> Array:
        """Return the indices."""
        side: Literal["left", "right"] = "right" if self.right_mode else "left"
        if sorted_sequence.ndim == 1:
            return np.asarray(np.searchsorted(sorted_sequence, values, side))
        result = np.empty(values.shape, np.int64)
        for row in np.ndindex(values.shape[:-1]):
            result[row] = np.searchsorted(sorted_sequence[row], values[row], side)
        return result
