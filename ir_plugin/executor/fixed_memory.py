"""Small arrays that a run brings, copied to memory that is the same in every run, so that jobs can be bound to it."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.op import Value
from ir_plugin.compiler.plan import Plan, Step
from ir_plugin.compiler.selection.kernel import FallbackRequired
from ir_plugin.executor.segments import Slots, StepFunction
from ir_plugin.tensors import Array

SMALL_BYTES = 2**16
"""The most bytes of an input, a result or an evaluated value that is copied: they take about as long as a step."""

_KINDS = "biuf"


def is_small(value: Value) -> bool:
    """Return whether copying a value takes no longer than executing a step from Python."""
    return value.shape is not None and value.dtype.kind in _KINDS and value.nbytes <= SMALL_BYTES


def input_buffers(plan: Plan) -> dict[int, Array]:
    """Return memory for the small inputs that kernels read, by slot."""
    read = _read_by_kernels(plan)
    values = {slot: value for value, slot in plan.slot_of.items() if slot in plan.parameters and slot in read}
    return {slot: np.zeros(value.shape or (), value.dtype) for slot, value in values.items() if is_small(value)}


def evaluated_slots(plan: Plan) -> set[int]:
    """Return the slots of small values that evaluations return and kernels read."""
    read = _read_by_kernels(plan)
    return {
        slot
        for step in plan.steps
        if step.kernel is None
        for value, slot in zip(step.op.outputs, step.outputs, strict=False)
        if slot in read and is_small(value)
    }


def copied_to(step: Step, buffers: dict[int, Array], evaluation: StepFunction) -> StepFunction:
    """Return an evaluation that copies the outputs of a step for which there are buffers."""
    targets = [(slot, buffers[slot]) for slot in step.outputs if slot in buffers]

    def evaluate(slots: Slots) -> None:
        evaluation(slots)
        for slot, buffer in targets:
            array = slots[slot]
            if array is None or array.shape != buffer.shape:
                slots[slot] = buffer
                raise FallbackRequired
            np.copyto(buffer, array)
            slots[slot] = buffer

    return evaluate


def _read_by_kernels(plan: Plan) -> set[int]:
    return {slot for step in plan.steps if step.kernel is not None for slot in step.inputs}
