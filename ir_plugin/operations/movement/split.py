"""Split: split data into equal parts along an axis. Specification: movement/Split-1."""

from __future__ import annotations

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.movement.division import divided
from ir_plugin.operations.shapes import normalize_axis, require_parts, require_rank, values_of
from ir_plugin.operations.traits import Along
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class Split(Operation, version=1):
    """Split `data` into `num_splits` equal parts along the scalar `axis`. Specification: movement/Split-1."""

    traits = (Along(1),)
    needs_values = (1,)
    widen = False
    carriers = (0,)

    num_splits: int

    def infer(self, data: TensorInfo, axis: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return the type and shape of each part."""
        require_type("axis", axis, "integer")
        require_rank("axis", axis.shape, 0)
        if self.num_splits < 1:
            raise ShapeError("num_splits", f"num_splits is {self.num_splits}; it must be at least 1")
        require_parts("num_splits", self.num_splits)
        axis_values, shape = values_of(axis), data.shape
        if shape.dims is None:
            return (data.with_shape(None),) * self.num_splits
        if axis_values is None:
            return (data.with_shape(PartialShape.dynamic(len(shape))),) * self.num_splits
        position = normalize_axis("axis", axis_values[0], len(shape))
        if divided(shape[position], self.num_splits) is None:
            raise ShapeError(
                "num_splits", f"num_splits {self.num_splits} does not divide dimension {position} of data {shape}"
            )
        length = shape[position] // self.num_splits
        return tuple(data.with_shape(shape.replace(position, length)) for _ in range(self.num_splits))

    def evaluate(self, data: Array, axis: Array) -> tuple[Array, ...]:
        """Return the parts, views of `data`."""
        position = int(axis.reshape(-1)[0]) % data.ndim
        length = data.shape[position] // self.num_splits
        return tuple(part(data, position, i * length, length) for i in range(self.num_splits))


def part(data: Array, axis: int, start: int, length: int) -> Array:
    """Return a view of `length` elements of an axis from `start` on."""
    return data[(slice(None),) * axis + (slice(start, start + length),)]
