"""Bucketize: the interval that each number lies in. Specification: condition/Bucketize-3."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, ElementType, TensorInfo


class Bucketize(Operation, version=3):
    """The number of boundaries below each element; one equal to it counts unless `with_right_bound`.

    `buckets` holds the sorted boundaries. NaN sorts after all of them.
    """

    output_type: ElementType
    with_right_bound: bool

    def infer(self, data: TensorInfo, buckets: TensorInfo) -> TensorInfo:
        """Return the shape of `data`."""
        require_type("data", data, "number")
        require_type("buckets", buckets, "number")
        require_rank("buckets", buckets.shape, 1)
        return TensorInfo(self.output_type, data.shape)

    def evaluate(self, data: Array, buckets: Array) -> Array:
        """Return the indices of the intervals."""
        side: Literal["left", "right"] = "left" if self.with_right_bound else "right"
        indices: Array
        if data.dtype.kind == "u" and buckets.dtype.kind == "i":
            highest = np.uint64(np.iinfo(np.int64).max)
            inside = np.minimum(data, highest).astype(np.int64)
            indices = np.where(data > highest, buckets.size, np.searchsorted(buckets, inside, side))
        elif data.dtype.kind == "i" and buckets.dtype.kind == "u":
            indices = np.where(data < 0, 0, np.searchsorted(buckets, np.maximum(data, 0).astype(np.uint64), side))
        else:
            indices = np.asarray(np.searchsorted(buckets, data, side))
        return indices.astype(self.output_type.dtype)
