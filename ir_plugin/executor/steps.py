"""The loop over the steps of a plan, the same one for plain, observed and step-by-step runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from ir_plugin.compiler.memory.limits import require_memory
from ir_plugin.compiler.plan import Step
from ir_plugin.compiler.selection.kernel import FallbackRequired, ViewKernel
from ir_plugin.errors import EvaluationError
from ir_plugin.executor.executable import ExecutableInstance, State
from ir_plugin.executor.faults import raise_located
from ir_plugin.executor.segments import BoundStep, Slots, StepFunction, require_uncancelled
from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array, TensorInfo
from ir_plugin.validation.inference import COMPUTATION_ERRORS, Inference

Seen = TypeVar("Seen")
Returned = TypeVar("Returned")

Computed: TypeAlias = Generator[Seen, None, tuple[Sequence[Array], float]]
"""Yields what bodies show; returns the outputs of an operation and the seconds they took."""

Visitor: TypeAlias = "Callable[[Step, Slots, float], Generator[Seen, None, None]]"
"""Sees a step, the slots and the seconds."""

Arrays: TypeAlias = "Sequence[Array | None]"


def _outside(_bound: ExecutableInstance) -> AbstractContextManager[object]:
    return nullcontext()


@dataclass
class StepRunner(Generic[Seen]):
    """What one kind of run does besides executing kernels."""

    state: State
    memory_limit: int
    evaluate: Callable[[Step, Operation, Arrays], Computed[Seen]]
    """Computes a step that has no kernel, or whose kernel falls back; its errors name the layer."""
    visit: Visitor[Seen] | None = None
    """Sees each step after the seconds that it took, and may replace its outputs in the slots."""
    at_work: Callable[[ExecutableInstance], AbstractContextManager[object]] = _outside
    """The context in which a visited step function is called."""

    def run(self, bound: ExecutableInstance, inputs: Sequence[Array]) -> Generator[Seen, None, list[Array]]:
        """Execute the steps of a plan, yield what `visit` shows, and return the results."""
        slots = bound.slots_for(inputs)
        if self.visit is not None:
            yield from self._visited(bound, slots, self.visit)
        else:
            for segment in bound.segments:
                pending = segment.pending(self.state)
                if pending:
                    yield from self._unvisited(bound, slots, pending)
        return bound.results(slots, inputs)

    def _unvisited(
        self, bound: ExecutableInstance, slots: Slots, steps: Iterable[BoundStep]
    ) -> Generator[Seen, None, None]:
        """Execute steps that have something to do."""
        state = self.state
        for step, step_function, released in steps:
            require_uncancelled(state)
            evaluates = step_function is None
            try:
                if step_function is not None:
                    step_function(slots)
            except FallbackRequired:
                evaluates = True
            except COMPUTATION_ERRORS as fault:
                raise_located(step.node, fault)
            if evaluates:
                yield from self._evaluated(bound, step, slots)
            for slot in released:
                slots[slot] = None

    def _visited(self, bound: ExecutableInstance, slots: Slots, visit: Visitor[Seen]) -> Generator[Seen, None, None]:
        """Execute all steps, and show each to `visit` with the seconds it takes."""
        for step, step_function in bound.all_step_functions:
            require_uncancelled(self.state)
            seconds, evaluates = 0.0, step_function is None
            try:
                if step_function is not None:
                    seconds = self._timed(bound, step, step_function, slots)
            except FallbackRequired:
                evaluates = True
            except COMPUTATION_ERRORS as fault:
                raise_located(step.node, fault)
            if evaluates:
                seconds = yield from self._evaluated(bound, step, slots)
            yield from visit(step, slots, seconds)
            for slot in step.released:
                slots[slot] = None

    def _timed(self, bound: ExecutableInstance, step: Step, step_function: StepFunction, slots: Slots) -> float:
        """Execute a step and return the seconds it takes, none for a view."""
        with self.at_work(bound):
            start = time.perf_counter()
            step_function(slots)
            return 0.0 if isinstance(step.kernel, ViewKernel) else time.perf_counter() - start

    def _evaluated(self, bound: ExecutableInstance, step: Step, slots: Slots) -> Generator[Seen, None, float]:
        """Put the outputs of an evaluation into the slots, or into the memory planned for them; return its seconds."""
        arrays = arrays_of(step, slots)
        try:
            if step.op.epilogue:
                raise EvaluationError("its kernel refused the inputs, and what is fused into it cannot be left out")
            if step.needs_inference:
                _check_values(step, arrays, self.memory_limit)
        except COMPUTATION_ERRORS as fault:
            raise_located(step.node, fault)
        outputs, seconds = yield from self.evaluate(step, bound.operation(step), arrays)
        try:
            _check_outputs(step, outputs, self.memory_limit)
            store(step, slots, outputs, in_place=True)
        except COMPUTATION_ERRORS as fault:
            raise_located(step.node, fault)
        return seconds


def arrays_of(step: Step, slots: Slots) -> list[Array | None]:
    """Return the inputs of a step; None for one that is absent."""
    return [None if slot < 0 else slots[slot] for slot in step.inputs]


def store(step: Step, slots: Slots, outputs: Sequence[Array], in_place: bool) -> None:
    """Put outputs into the slots of a step; `in_place` copies them to the arrays that are there."""
    for slot, array in zip(step.outputs, outputs, strict=True):
        target = slots[slot]
        if target is None or not in_place:
            slots[slot] = array
        elif target is not array:
            target[...] = array


def finish(run: Generator[Seen, None, Returned]) -> Returned:
    """Exhaust a generator, and return its return value."""
    try:
        while True:
            next(run)
    except StopIteration as end:
        returned: Returned = end.value
        return returned


def _check_values(step: Step, arrays: Arrays, memory_limit: int) -> None:
    """Infer a layer from the values of its inputs: what does not fit is found before it is computed."""
    types = step.op.operation.input_types
    tensors = [None if array is None else TensorInfo.of(array, type) for array, type in zip(arrays, types, strict=True)]
    for tensor in Inference().infer(step.node, tensors):
        require_memory(step.node, tensor, memory_limit)


def _check_outputs(step: Step, outputs: Sequence[Array], memory_limit: int) -> None:
    """Check sizes that only values decide, and what the operation of an extension returned."""
    if not step.op.operation.is_built_in:
        _require_outputs(step, outputs)
    for array, value in zip(outputs, step.op.outputs, strict=True):
        if value.shape is None:
            require_memory(step.node, TensorInfo(value.element_type, array.shape), memory_limit)


def _require_outputs(step: Step, outputs: Sequence[Array]) -> None:
    """Raise unless an extension gave as many outputs as its layer has, of the shapes that it inferred."""
    if len(outputs) != len(step.outputs):
        raise EvaluationError(f"the operation has {len(outputs)} outputs; the layer has {len(step.outputs)}")
    for index, (array, value) in enumerate(zip(outputs, step.op.outputs, strict=True)):
        if value.shape is not None and array.shape != value.shape:
            raise EvaluationError(
                f"evaluate returned {list(array.shape)} for output {index}; infer says {list(value.shape)}"
            )
