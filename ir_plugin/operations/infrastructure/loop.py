"""Loop: a body that is executed while a condition holds. Specification: infrastructure/Loop-5."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ir_plugin.errors import EvaluationError, LimitError, ShapeError
from ir_plugin.operations.bodies import Executions
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.context import STANDARD, Context, InferenceContext
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.iteration import Iteration, TripLimits, Trips
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.shapes import require_rank, scalar_of
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class Loop(Iteration, version=5):
    """The body executed at most `trip_count` times (-1: without limit), while its condition holds.

    `execution_condition` decides on the first iteration, the result of purpose execution_condition on each further
    one. The parameter of purpose current_iteration gets the number of iterations done. An iteration for which a sliced
    input has no slice is an error.

    OpenVINO's CPU differs: joined outputs have a slice for each of `trip_count` iterations, done or not.
    Example: a `trip_count` of 3 and a Parameter false as `execution_condition` give [0,3] here; the CPU gives [3,3] of
    memory that nothing wrote.

    OpenVINO's CPU differs: only results that have the length 1 on the axis are joined.
    Example: 3 iterations with results [2,3] give [6,3]; the CPU refuses them.

    Differs from the page: a file may declare [0] for joined outputs, and 0 as the first dimension of others, where
    `execution_condition` is a constant false. Example: slices [1,3] are joined to [0,3]; [0] is a warning.

    OpenVINO's CPU differs: after no iteration, outputs without an axis have the declared shape, not the initial value
    as in ONNX; the reference refuses such a loop.
    Example: a constant false `execution_condition` and a state [1,2] give [1,2]; the CPU gives [0,2].
    """

    def infer(
        self,
        trip_count: TensorInfo,
        execution_condition: TensorInfo,
        *inputs: TensorInfo | None,
        inference: InferenceContext,
    ) -> tuple[TensorInfo, ...]:
        """Return the outputs."""
        require_type("trip_count", trip_count, "i64", "i32")
        require_type("execution_condition", execution_condition, "boolean")
        for part, scalar in (("trip_count", trip_count), ("execution_condition", execution_condition)):
            require_rank(part, scalar.shape, 0, 1)
        limit, begins = scalar_of("trip_count", trip_count), scalar_of("execution_condition", execution_condition)
        if limit is not None and limit < -1:
            raise ShapeError("trip_count", f"trip_count is {limit}; it must be -1 or more", "write -1 for no limit")
        tensors = [trip_count, execution_condition, *inputs]

        def trips(results: list[TensorInfo]) -> Trips:
            total = infer_trips(limit, begins, self._infer_condition(tensors, results))
            for available in [] if inference.is_partial else self.slice_counts(tensors):
                if total.number is not None and total.number > available:
                    message = f"{total.number} iterations need as many slices of each sliced input; one has {available}"
                    raise ShapeError("trip_count", message)
            return total

        return self.infer_outputs(tensors, inference, trips)

    def known_count(self, inputs: list[TensorInfo | None]) -> int:
        """Return the number of iterations that the inputs imply once the first begins, or -1."""
        limit = None if inputs[0] is None else scalar_of("trip_count", inputs[0])
        condition = self._constant_condition(lambda port: _value_of(inputs[port]))
        if condition is None or condition.size != 1:
            return -1
        if not condition.all():
            return 1
        return -1 if limit is None else int(limit)

    def written_by_openvino(
        self, inputs: Sequence[TensorInfo | None], index: int, inferred: PartialShape
    ) -> PartialShape:
        """Return the shape that OpenVINO writes: a constant false condition makes outputs empty on their first axis."""
        condition = inputs[1] if len(inputs) > 1 else None
        value = None if condition is None else condition.value
        if value is None or value.any():
            return inferred
        entry = next((entry for entry in self.subgraph.outputs if entry.external == index), None)
        if entry is not None and entry.axis is not None:
            return PartialShape([0])
        return inferred.replace(0, 0) if inferred.ndim else inferred

    def condition_result(self) -> int:
        """Return the position of the result that decides on further iterations."""
        for entry in self.subgraph.outputs:
            if entry.purpose == "execution_condition":
                return entry.result
        raise ShapeError(
            "",
            "no result of the body has the purpose execution_condition",
            'write <output external_port_id="-1" internal_layer_id="…" purpose="execution_condition"/>',
        )

    def _infer_condition(self, inputs: list[TensorInfo | None], results: list[TensorInfo]) -> bool | None:
        """Return the value that the body's condition has in every iteration, or None."""
        result = results[self.condition_result()]
        require_type("execution_condition", result, "boolean")
        require_rank("execution_condition", result.shape, 0, 1)
        scalar_of("execution_condition", result)
        constant = self._constant_condition(lambda port: _value_of(inputs[port]))
        value = result.value if constant is None else constant
        return None if value is None or value.size != 1 else bool(value.reshape(()))

    def _constant_condition(self, value_of: Callable[[int], Array | None]) -> Array | None:
        """Return the body's condition where it is a constant or an unchanged input of the layer, or None."""
        condition = self.condition_result()
        body = self.subgraph.body
        source = body.results[condition].inputs[0].source
        if source is None:
            return None
        operation = source.node.operation
        if isinstance(operation, Const):
            return operation.evaluate() if operation.has_values else None
        if not isinstance(operation, Parameter):
            return None
        position = body.parameters.index(source.node)
        entry = self.entry_of(position)
        edges = [result for result, target in self.subgraph.back_edges if target == position]
        if entry is None or entry.external is None or entry.axis is not None or edges not in ([], [condition]):
            return None
        return value_of(entry.external)

    def evaluate(
        self, trip_count: Array, execution_condition: Array, *inputs: Array | None, context: Context = STANDARD
    ) -> tuple[Array, ...]:
        """Return the outputs."""
        return self.execute([trip_count, execution_condition, *inputs], context)

    def executions(self, inputs: Sequence[Array | None], context: Context) -> Executions:
        """Request an execution of the body for each iteration, and return the outputs."""
        trip_count, execution_condition = inputs[:2]
        limit, begins = _scalar(trip_count, "trip_count"), bool(_scalar(execution_condition, "execution_condition"))
        if limit < -1:
            raise EvaluationError(f"trip_count is {limit}; it must be -1 or more")
        if begins:
            self._require_end(limit, inputs, context.trip_limit)
        limits = TripLimits(None if limit < 0 else limit, begins, self.condition_result())
        return (yield from self.iterate(inputs, context, limits))

    def _require_end(self, limit: int, inputs: Sequence[Array | None], trip_limit: int) -> None:
        """Raise if the inputs already imply more iterations than allowed."""
        if 0 <= limit <= trip_limit:
            return
        constant = self._constant_condition(lambda port: inputs[port])
        if constant is None or not constant.all():
            return
        if self.is_sliced:
            return
        if limit == -1:
            raise LimitError("the loop never ends: trip_count is -1 and the body's condition is always true")
        raise LimitError(f"the loop has {limit} iterations; the limit is {trip_limit}")


def _scalar(array: Array | None, name: str) -> int:
    if array is None:
        raise EvaluationError(f"{name} has no value")
    return int(array.reshape(()))


def infer_trips(limit: int | None, begins: int | None, condition: bool | None) -> Trips:
    """Return the number of iterations as far as it follows from the inputs and the body's condition."""
    if limit == 0 or begins == 0:
        return Trips(0, False)
    if not begins or limit is None:
        return Trips(None, False)
    if condition is None:
        return Trips(None, True)
    count = None if limit == -1 else limit
    return Trips(count if condition else 1, True)


def _value_of(tensor: TensorInfo | None) -> Array | None:
    return None if tensor is None else tensor.value
