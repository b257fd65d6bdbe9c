"""Windows that depend on input and output lengths, shared by the adaptive poolings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.windows import lengths_from_values
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


def adaptive_shape(data: TensorInfo, output_shape: TensorInfo) -> PartialShape:
    """Return the output shape: the first two dimensions of `data` and the lengths in `output_shape`."""
    note_type("data", data, "float")
    note_type("output_shape", output_shape, "i32", "i64", accepted=("number",))
    require_rank("data", data.shape, 3, 4, 5)
    require_rank("output_shape", output_shape.shape, 1)
    count = output_shape.shape[0] if output_shape.shape.dims is not None else Dimension()
    if data.shape.dims is None:
        return PartialShape(None)
    axes = len(data.shape) - 2
    if not count.contains(axes):
        raise ShapeError("output_shape", f"output_shape has {count} values; data {data.shape} has {axes} spatial axes")
    if any(length == 0 for length in data.shape[2:]):
        raise ShapeError("data", f"data has the shape {data.shape}; a region needs elements")
    return data.shape[:2] + lengths_from_values("output_shape", output_shape, axes)


def region_bounds(length: int, count: int) -> tuple[Array, Array]:
    """Return the starts `floor(i * n / m)` and ends `ceil((i + 1) * n / m)` of the regions along an axis."""
    numbers = np.arange(count, dtype=np.int64)
    return numbers * length // max(count, 1), -(-(numbers + 1) * length // max(count, 1))


def axes_by_shrinkage(lengths: Sequence[int], outputs: Sequence[int]) -> list[int]:
    """Return the spatial axes, those that shrink most first, which keeps intermediate arrays small."""
    return sorted(range(len(outputs)), key=lambda axis: outputs[axis] / max(lengths[axis], 1))


def spatial_lengths(output_shape: Array) -> tuple[int, ...]:
    """Return the spatial lengths of the output."""
    return tuple(int(length) for length in output_shape.reshape(-1))
