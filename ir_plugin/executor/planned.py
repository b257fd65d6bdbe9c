"""Step-by-step execution of a plan, in which every value that is a layer's output can be read and replaced."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.compiler.op import Value
from ir_plugin.compiler.plan import Step
from ir_plugin.executor.engine import Engine, known_tensor
from ir_plugin.executor.executable import ExecutableInstance
from ir_plugin.executor.interpreter import Computed, Frame, Interpreter, LayerRun, Layers, Listener
from ir_plugin.executor.segments import Slots
from ir_plugin.executor.steps import StepRunner
from ir_plugin.model import Model
from ir_plugin.operations.base import Operation
from ir_plugin.operations.context import Context
from ir_plugin.operations.memory import limited
from ir_plugin.tensors import Array

Shown: TypeAlias = Generator[LayerRun, None, None]

_UNREAD = np.empty(0)
"""The placeholder for an output that its kernel does not write, as nothing reads it."""


class Planned(Interpreter):
    """Runs the plan of a model step by step, with its kernels and its memory, including bodies.

    It yields each step as the layer whose outputs the step computes, the last of fused layers. Steps that compute no
    layer's outputs are not yielded.
    """

    def __init__(self, engine: Engine, config: Mapping[str, Any], listener: Listener | None = None) -> None:
        super().__init__(engine.model, config, listener)
        self._engine = engine
        self._state = engine.new_state()

    def layers(self, model: Model, inputs: Sequence[Array], context: Context, frames: tuple[Frame, ...]) -> Layers:
        """Yield the steps of the model or of a body; return the results."""
        tensors = [known_tensor(node, array) for node, array in zip(model.parameters, inputs, strict=True)]
        plan = self._engine.plan(model, tensors)
        bound = self._state.bound(plan, lambda: plan)
        self._state.running.context = context

        def evaluate(step: Step, operation: Operation, arrays: Sequence[Array | None]) -> Computed:
            return self.computed(step.node, operation, arrays, context, frames)

        def visit(step: Step, slots: Slots, seconds: float) -> Shown:
            outputs = [_numbers(value, slots[slot]) for value, slot in zip(step.op.outputs, step.outputs, strict=False)]
            layer_run = _shown(step, slots, outputs, seconds, frames)
            if layer_run is not None:
                yield from self.emit(layer_run)
                changed = _changed(step, slots, outputs, layer_run.outputs)
                _replace(step, slots, changed, bound)

        runner = StepRunner(self._state, self._engine.memory_limit, evaluate, visit, self._at_work)
        return (yield from runner.run(bound, inputs))

    @contextmanager
    def _at_work(self, bound: ExecutableInstance) -> Iterator[None]:
        """Keep workers awake, NumPy's warnings off, and memory limited for one step."""
        with np.errstate(all="ignore"), limited(self._engine.memory_limit), bound.at_work():
            yield


def _shown(
    step: Step, slots: Sequence[Array | None], outputs: Sequence[Array], seconds: float, frames: tuple[Frame, ...]
) -> LayerRun | None:
    """Return the run of the layer whose outputs a step computes; None if they are no layer's."""
    ports = [value.port for value in step.op.outputs]
    node = ports[0].node if ports and ports[0] is not None else None
    if node is None or list(node.outputs) != ports:
        return None
    inputs = [None if slot < 0 else slots[slot] for slot in step.inputs]
    every = [*outputs, *[_UNREAD] * (len(ports) - len(outputs))]
    unread = frozenset(
        index
        for index, value in enumerate(step.op.outputs)
        if every[index] is _UNREAD or not (value.users or value.is_result)
    )
    return LayerRun(node, inputs, every, seconds, frames, unread)


def _numbers(value: Value, array: Array | None) -> Array:
    """Return the array of a value, with levels of u8 as the floats that they stand for."""
    if array is None:
        return _UNREAD
    return array if value.meaning is None else value.meaning.numbers(array)


def _changed(step: Step, slots: Slots, shown: Sequence[Array], outputs: Sequence[Array]) -> list[Array]:
    """Return the outputs of a step as the slots keep them: levels are computed again only where they were replaced."""
    changed = list(outputs)
    for position, (value, slot) in enumerate(zip(step.op.outputs, step.outputs, strict=False)):
        array = slots[slot]
        if value.meaning is not None and array is not None:
            is_unchanged = outputs[position] is shown[position]
            changed[position] = array if is_unchanged else value.meaning.levels(outputs[position])
    return changed


def _replace(step: Step, slots: Slots, outputs: Sequence[Array], bound: ExecutableInstance) -> None:
    """Put outputs that were replaced into the slots; memory that is the same in every run is written to."""
    for slot, array in zip(step.outputs, outputs, strict=False):
        target = slots[slot]
        if target is None or target is array:
            continue
        if step.writes or bound.is_fixed(slot):
            target[...] = array
        else:
            slots[slot] = array
