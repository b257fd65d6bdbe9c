"""Evaluations of steps without a kernel, bound once to the slots that they read and write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.compiler.plan import Step
from ir_plugin.compiler.selection.evaluation import direct_evaluation, may_evaluate
from ir_plugin.compiler.selection.kernel import NEGLIGIBLE_ELEMENTS, FallbackRequired
from ir_plugin.operations.base import Operation, as_inferred
from ir_plugin.operations.context import Context
from ir_plugin.tensors import Array
from ir_plugin.validation.inference import COMPUTATION_ERRORS

Slots: TypeAlias = "list[Array | None]"

Evaluation: TypeAlias = "Callable[[Slots], None]"
"""Fills the slots of a step's outputs; raises `FallbackRequired` where the layer has to be inferred and evaluated."""


_CHECKED_LIMIT = 64 * NEGLIGIBLE_ELEMENTS
"""The memory limit below which no evaluation allocates an output before the limit is looked at."""


@dataclass
class Running:
    """What evaluations get from the inference that runs: bound ones hold it, and not the state that holds them."""

    memory_limit: int
    context: Context | None = None


def bind_evaluation(step: Step, operation: Operation, running: Running) -> Evaluation | None:
    """Return the evaluation of a step in its slots; None where inference or conversions are part of it."""
    is_free = running.memory_limit >= _CHECKED_LIMIT
    direct = direct_evaluation(step.op) if is_free and operation is step.op.operation else None
    if direct is not None:
        return _direct(step, direct, running.memory_limit)
    if step.needs_inference or not may_evaluate(step.op, operation):
        return None
    return _plain(step, operation, running)


def _direct(step: Step, evaluate: Callable[..., Any], memory_limit: int) -> Evaluation:
    reads, write, dtype = tuple(step.inputs), step.outputs[0], step.op.outputs[0].dtype

    def evaluation(slots: Slots) -> None:
        try:
            array = evaluate(*[slots[slot] for slot in reads])
        except COMPUTATION_ERRORS:
            raise FallbackRequired from None
        if type(array) is not np.ndarray or array.dtype != dtype:
            array = np.asarray(array, dtype)
        if array.nbytes > memory_limit:
            raise FallbackRequired
        slots[write] = array

    return evaluation


def _plain(step: Step, operation: Operation, running: Running) -> Evaluation:
    reads, writes, wants_context = tuple(step.inputs), tuple(step.outputs), operation.wants_context
    dtypes = [value.dtype for value in step.op.outputs]
    evaluate, memory_limit = operation.evaluate, running.memory_limit

    def evaluation(slots: Slots) -> None:
        arrays = [None if slot < 0 else slots[slot] for slot in reads]
        try:
            result = evaluate(*arrays, context=running.context) if wants_context else evaluate(*arrays)
            outputs: Sequence[Array] = result if isinstance(result, tuple) else (result,)
            if [array.dtype for array in outputs] != dtypes:
                outputs = as_inferred(operation, tuple(outputs))
        except COMPUTATION_ERRORS:
            raise FallbackRequired from None
        for slot, array in zip(writes, outputs, strict=True):
            if array.nbytes > memory_limit:
                raise FallbackRequired
            slots[slot] = np.asarray(array)

    return evaluation
