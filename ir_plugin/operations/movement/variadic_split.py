"""VariadicSplit: split data into parts of given lengths along an axis. Specification: movement/VariadicSplit-1."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.movement.split import part
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import normalize_axis, require_parts, require_rank, scalar_of, values_of, whole_numbers
from ir_plugin.operations.traits import Along
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class VariadicSplit(Operation, version=1):
    """Split `data` into parts of `split_lengths` along `axis`; one length may be -1, the remainder.

    Specification: movement/VariadicSplit-1.

    Differs from the page: `axis` and `split_lengths` may be floats, which are cut to whole numbers.
    Example: The lengths [1.0, 2.0] are 1 and 2.
    """

    traits = (Along(1),)
    needs_values = (1, 2)
    widen = False
    carriers = (0,)

    def infer(self, data: TensorInfo, axis: TensorInfo, split_lengths: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return the type and shape of each part."""
        note_type("axis", axis, "integer", accepted=("number",))
        note_type("split_lengths", split_lengths, "integer", accepted=("number",))
        require_rank("split_lengths", split_lengths.shape, 1)
        position, lengths = scalar_of("axis", axis), values_of(split_lengths)
        if lengths is not None:
            _check_lengths(lengths)
        count = split_lengths.shape[0]
        require_parts("split_lengths", count.lower)
        parts = int(count) if count.is_static else 0
        if data.shape.dims is None:
            return (data.with_shape(None),) * parts
        if position is None:
            return (data.with_shape(PartialShape.dynamic(len(data.shape))),) * parts
        position = normalize_axis("axis", position, len(data.shape))
        if lengths is None:
            return (data.with_shape(data.shape.replace(position, Dimension())),) * parts
        dims = _dims(lengths, data.shape[position], position)
        return tuple(data.with_shape(data.shape.replace(position, dim)) for dim in dims)

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the axis, and of the lengths where parts can be equally long."""
        length, count = inputs.length(0, inputs.scalar(1)), inputs.length(2, 0)
        part = length // count
        return {1: inputs.axes(0), **({} if length % count else {2: Range(part, part)})}

    def evaluate(self, data: Array, axis: Array, split_lengths: Array) -> tuple[Array, ...]:
        """Return the parts, views of `data`."""
        position = int(axis.reshape(-1)[0]) % data.ndim
        lengths = whole_numbers("split_lengths", split_lengths)
        if -1 in lengths:
            lengths[lengths.index(-1)] = data.shape[position] - sum(lengths) - 1
        starts = accumulate(lengths, initial=0)
        return tuple(part(data, position, start, length) for start, length in zip(starts, lengths, strict=False))


def _check_lengths(lengths: Sequence[int]) -> None:
    if lengths.count(-1) > 1 or min(lengths, default=0) < -1:
        raise ShapeError(
            "split_lengths", f"split_lengths is {list(lengths)}; its values must be at least 0, but for one -1"
        )


def _dims(lengths: Sequence[int], dim: Dimension, axis: int) -> list[Dimension]:
    total = sum(length for length in lengths if length >= 0)
    fits = total <= dim.upper if -1 in lengths else dim.contains(total)
    if not fits:
        raise ShapeError(
            "split_lengths", f"split_lengths {list(lengths)} sum up to {total}; dimension {axis} of data is {dim}"
        )
    remainder = dim - total if dim.is_static else Dimension()
    return [Dimension(length) if length >= 0 else remainder for length in lengths]
