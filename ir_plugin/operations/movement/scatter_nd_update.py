"""ScatterNDUpdate: replace or reduce slices at tuples of indices.

Specification: movement/ScatterNDUpdate-15, ScatterNDUpdate-4 (which its page calls 3).
"""

from __future__ import annotations

from math import prod

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.elementwise import wrap_low_bits
from ir_plugin.operations.movement.scattering import scatter
from ir_plugin.operations.movement.tuples import flat_positions, tuple_ranges
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.traits import DataInputs
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class ScatterNDUpdate(Operation, version=15):
    """Apply each slice of `updates` to a copy of `data` at the position that a tuple of `indices` addresses.

    With k = `indices.shape[-1]`, `updates` has the shape `indices.shape[:-1] + data.shape[k:]`, or one element where
    that is a scalar. `reduction` is none (the last of equal tuples wins), sum, sub, prod, min or max; sum, sub and prod
    of booleans are logical or, xor and and. An index in [-d, -1] counts from the end; one outside [-d, d-1] is an error
    that names its position and value. Specification: movement/ScatterNDUpdate-15.
    """

    traits = (DataInputs(3),)

    reduction: str

    def infer(self, data: TensorInfo, indices: TensorInfo, updates: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        require_type("indices", indices, "integer")
        element_type = merge_types(data, updates, part="updates")
        if self.reduction != "none" and element_type.kind == "string":
            raise ShapeError("reduction", f"reduction {self.reduction} is not defined for the element type string")
        for part, tensor in (("data", data), ("indices", indices)):
            if tensor.shape.ndim == 0:
                raise ShapeError(part, f"{part} is a scalar; it must have at least one dimension")
        if data.shape.dims is not None and indices.shape.dims is not None:
            self._check(data.shape, indices.shape, updates.shape)
        return TensorInfo(element_type, data.shape)

    def _check(self, data: PartialShape, indices: PartialShape, updates: PartialShape) -> None:
        length = indices[-1]
        if length.lower > len(data):
            raise ShapeError(
                "indices",
                f"indices {indices} holds tuples of {length} indices, and data {data} has the rank {len(data)}",
            )
        if length.is_dynamic:
            return
        expected = indices[:-1] + data[int(length) :]
        single = len(expected) == 0 and updates.size.contains(1)
        if not single and not expected.compatible(updates):
            raise ShapeError(
                "updates", f"updates has the shape {updates}; data {data} and indices {indices} need {expected}"
            )

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the indices."""
        return tuple_ranges(inputs)

    def ranges_for(self, needed: Range, _: KnownInputs) -> Ranges:
        """Return the range for the elements that the outputs consist of."""
        return dict.fromkeys((0, 2), needed)

    def evaluate(self, data: Array, indices: Array, updates: Array) -> Array:
        """Return the updated copy."""
        length = indices.shape[-1]
        head, tail = data.shape[:length], data.shape[length:]
        positions = flat_positions(indices, head, wrap=True).reshape(-1)
        result: Array = data.copy()
        scatter(result.reshape(prod(head), *tail), positions, updates.reshape(positions.size, *tail), self.reduction)
        return wrap_low_bits(self, result)


class ScatterNDUpdate4(ScatterNDUpdate, version=4):
    """As ScatterNDUpdate-15, but without reductions. Specification: movement/ScatterNDUpdate-3, opset4's.

    Differs from the page: an index in [-d, -1] counts from the end of the axis of length d.
    Example: the index -1 of 2 elements is the last one.
    """

    widen = False
    carriers = (0, 2)
    reduction = "none"
