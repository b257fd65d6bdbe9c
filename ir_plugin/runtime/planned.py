"""Step-by-step execution of a plan, in which every value that is a layer's output can be read and replaced."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ir_plugin.compiler.plan import Step
from ir_plugin.compiler.selection.kernel import FallbackRequired
from ir_plugin.model import Model
from ir_plugin.operations.context import Context
from ir_plugin.runtime.engine import Engine, known_tensor
from ir_plugin.runtime.executable import ExecutableInstance, Slots, StepFunction
from ir_plugin.runtime.faults import raise_located
from ir_plugin.runtime.interpreter import Computed, Frame, Interpreter, LayerRun, Layers, Listener
from ir_plugin.tensors import Array
from ir_plugin.validation.inference import COMPUTATION_ERRORS

_UNREAD = np.empty(0)
"""The placeholder for an output that its kernel does not write, as nothing reads it."""


class Planned(Interpreter):
    """Runs the plan of a model step by step, with its kernels and its memory, including bodies.

    It yields each step as the layer whose outputs the step computes, the last of fused layers. It yields no steps whose
    outputs are those of no layer.
    """

    def __init__(self, engine: Engine, config: Mapping[str, Any], listener: Listener | None = None) -> None:
        super().__init__(engine.model, config, listener)
        self._engine = engine
        self._state = engine.new_state()

    def layers(self, model: Model, inputs: Sequence[Array], context: Context, frames: tuple[Frame, ...]) -> Layers:
        """Yield the steps of the model or of a body; return the results."""
        tensors = [known_tensor(node, array) for node, array in zip(model.parameters, inputs, strict=True)]
        plan = self._engine.plan(model, tensors)
        bound = self._state.bound(id(plan), lambda: plan)
        done_in_the_run = {id(step) for step, _ in bound.step_functions}
        slots = bound.slots_for(inputs)
        for step, step_function in bound.all_step_functions:
            outputs, seconds = yield from self._step(step, step_function, bound, slots, context, frames)
            done = _shown(step, slots, outputs, seconds, frames)
            if done is not None:
                yield from self.shown(done)
            has_memory = step.writes or id(step) not in done_in_the_run
            _keep(step, slots, outputs if done is None else done.outputs, has_memory)
            for slot in step.released:
                slots[slot] = None
        return bound.results(slots, inputs)

    def _step(
        self,
        step: Step,
        step_function: StepFunction | None,
        bound: ExecutableInstance,
        slots: Slots,
        context: Context,
        frames: tuple[Frame, ...],
    ) -> Computed:
        inputs = [None if slot < 0 else slots[slot] for slot in step.inputs]
        if step_function is not None:
            start = time.perf_counter()
            try:
                with np.errstate(all="ignore"), bound.at_work():
                    step_function(slots)
                made = (slots[slot] for slot in step.outputs)
                return tuple(_UNREAD if array is None else array for array in made), time.perf_counter() - start
            except FallbackRequired:
                pass
            except COMPUTATION_ERRORS as fault:
                raise_located(step.node, fault)
        if step.needs_inference:
            self._engine.check_values(step, inputs)
        return (yield from self.computed(step.node, bound.operation(step), inputs, context, frames))


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


def _keep(step: Step, slots: Slots, outputs: Sequence[Array], has_memory: bool) -> None:
    """Put the outputs into their slots; memory that is the same in every run is written to."""
    for slot, array in zip(step.outputs, outputs, strict=False):
        target = slots[slot]
        if target is None or not has_memory:
            slots[slot] = array
        elif target is not array:
            target[...] = array
