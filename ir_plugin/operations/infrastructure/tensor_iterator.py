"""TensorIterator: a body that is executed for each slice. Specification: infrastructure/TensorIterator-1."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.model import SubGraphOutput
from ir_plugin.operations.bodies import Executions
from ir_plugin.operations.context import STANDARD, Context, InferenceContext
from ir_plugin.operations.infrastructure import slices
from ir_plugin.operations.infrastructure.iteration import Iteration, TripLimits, Trips
from ir_plugin.operations.shapes import normalize_axis
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class TensorIterator(Iteration, version=1):
    """The body executed for each slice of the sliced inputs, or once without any.

    `start` and `end` are the indices at which slices begin and end, both included; -1 is the last of the axis. OpenVINO
    infers shapes likewise, but its CPU iterates over the whole axis, and takes a positive `end` to be excluded.
    """

    def infer(self, *inputs: TensorInfo | None, inference: InferenceContext) -> tuple[TensorInfo, ...]:
        """Return the outputs."""
        counts = self.slice_counts(inputs)
        require_equal(counts)
        count = counts[0] if counts else None if self.is_sliced else 1

        def trips(_results: list[TensorInfo]) -> Trips:
            return Trips(count, bool(count))

        return self.infer_outputs(inputs, inference, trips)

    def part(self, shape: PartialShape, entry: SubGraphOutput) -> PartialShape:
        """Return the shape of the part that one iteration adds, `part_size` long where the body's length is dynamic."""
        if shape.ndim is None:
            return shape
        axis = normalize_axis("axis", entry.axis or 0, shape.ndim)
        is_open = shape[axis].is_dynamic and shape[axis].contains(entry.part_size)
        return shape.replace(axis, entry.part_size) if is_open else shape

    def evaluate(self, *inputs: Array | None, context: Context = STANDARD) -> tuple[Array, ...]:
        """Return the outputs."""
        return self.execute(inputs, context)

    def executions(self, inputs: Sequence[Array | None], context: Context) -> Executions:
        """Request an execution of the body for each slice, and return the outputs."""
        sliced = [entry for entry in self.subgraph.inputs if entry.axis is not None and entry.external is not None]
        arrays = [inputs[entry.external] for entry in sliced if entry.external is not None]
        pairs = zip(arrays, sliced, strict=True)
        counts = [slices.count_of(array, entry) for array, entry in pairs if array is not None]
        require_equal(counts)
        count = counts[0] if counts else 1
        if count > context.trip_limit:
            raise EvaluationError(f"there are {count} iterations; the limit is {context.trip_limit}")
        return (yield from self.iterate(inputs, context, TripLimits(count)))


def require_equal(counts: list[int]) -> None:
    """Raise unless all sliced inputs have the same number of slices."""
    if len(set(counts)) > 1:
        numbers = ", ".join(map(str, counts))
        raise ShapeError("", f"the sliced inputs have different numbers of slices: {numbers}")
