"""SliceScatter: replace a slice of data. Specification: movement/SliceScatter-15."""

from __future__ import annotations

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation, converted
from ir_plugin.operations.checks import note_types, require_type
from ir_plugin.operations.movement.slice import slices
from ir_plugin.operations.movement.slicing import slice_shape
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class SliceScatter(Operation, version=15):
    """Replace `data[start:stop:step]` along `axes` in a copy of `data` by `updates`; indices are as in Slice.

    Specification: movement/SliceScatter-15.

    Differs from the page: a backward slice that begins before the first element begins with it.
    Example: [1, 2, 3] from -5 to -9 by -1 replaces 1.

    Differs from the page: `updates` may have another type than `data`, to which they are converted.
    Example: 2.7 of f32 put into i32 is 3.
    """

    needs_values = (2, 3, 4, 5)
    widen = False
    carriers = (0, 1)

    def infer(
        self,
        data: TensorInfo,
        updates: TensorInfo,
        start: TensorInfo,
        stop: TensorInfo,
        step: TensorInfo,
        axes: TensorInfo | None = None,
    ) -> TensorInfo:
        """Return the type and shape of `data`."""
        for part, tensor in (("start", start), ("stop", stop), ("step", step), ("axes", axes)):
            if tensor is not None:
                require_type(part, tensor, "integer")
        element_type = note_types({"data": data, "updates": updates})
        expected = slice_shape(data.shape, start, stop, step, axes)
        if not expected.compatible(updates.shape):
            raise ShapeError("updates", f"updates has the shape {updates.shape}; the slice of data has {expected}")
        if data.shape.dims is None and updates.shape.dims is not None:
            return TensorInfo(element_type, PartialShape.dynamic(len(updates.shape)))
        return TensorInfo(element_type, data.shape)

    def evaluate(
        self, data: Array, updates: Array, start: Array, stop: Array, step: Array, axes: Array | None = None
    ) -> Array:
        """Return the updated copy."""
        result: Array = data.copy()
        result[slices(data.shape, start, stop, step, axes)] = converted(updates, data.dtype)
        return result
