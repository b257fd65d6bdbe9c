"""ShuffleChannels: interleave groups of channels. Specification: movement/ShuffleChannels-1."""

from __future__ import annotations

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.movement.division import divided
from ir_plugin.operations.shapes import normalize_axis
from ir_plugin.tensors import Array, TensorInfo


class ShuffleChannels(Operation, version=1):
    """View `axis` of `data` as [group, length / group] and transpose it to [length / group, group].

    Specification: movement/ShuffleChannels-1.
    """

    widen = False
    carriers = (0,)

    axis: int
    group: int

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        if self.group < 1:
            raise ShapeError("group", f"group is {self.group}; it must be at least 1")
        if data.shape.ndim is not None:
            axis = normalize_axis("axis", self.axis, data.shape.ndim)
            if divided(data.shape[axis], self.group) is None:
                raise ShapeError("group", f"group {self.group} does not divide dimension {axis} of data {data.shape}")
        return data.with_shape(data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the shuffled data."""
        axis = self.axis % data.ndim
        head, tail = data.shape[:axis], data.shape[axis + 1 :]
        grouped = data.reshape([*head, self.group, data.shape[axis] // self.group, *tail])
        result: Array = grouped.swapaxes(axis, axis + 1).reshape(data.shape)
        return result
