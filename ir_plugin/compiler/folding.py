"""Evaluation of operations and short chains of ops on constants, which constant folding and patterns share."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.compiler.graph import Value
from ir_plugin.operations.base import Operation, compute
from ir_plugin.tensors import Array
from ir_plugin.validation.inference import COMPUTATION_ERRORS

DEPTH = 8
"""Ops of the longest chain that is computed."""


def is_foldable(operation: Operation | None) -> bool:
    """Return whether equal inputs give equal outputs, which bodies may not."""
    return operation is not None and not operation.stateful and not operation.subgraphs


def computed(operation: Operation, inputs: Sequence[Array | None]) -> Sequence[Array]:
    """Evaluate an operation on constants; return no outputs if it fails, which the run reports."""
    try:
        return compute(operation, inputs)
    except COMPUTATION_ERRORS:
        return ()


def folded_constant(value: Value | None, depth: int = DEPTH) -> Array | None:
    """Return the value of a constant, or of a short chain of ops on constants; None for any other value."""
    if value is None or value.constant is not None:
        return None if value is None else value.constant
    op = value.producer
    if op is None or depth == 0 or not op.type or len(op.outputs) != 1 or not is_foldable(op.operation):
        return None
    inputs = [folded_constant(operand, depth - 1) for operand in op.inputs]
    return None if any(array is None for array in inputs) else next(iter(computed(op.operation, inputs)), None)
