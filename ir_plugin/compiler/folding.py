"""Constants behind short chains of ops, for passes that run before constants are folded."""

from __future__ import annotations

from ir_plugin.compiler.graph import Value
from ir_plugin.operations.base import compute
from ir_plugin.tensors import Array
from ir_plugin.validation.inference import COMPUTATION_ERRORS

DEPTH = 8
"""Ops of the longest chain that is computed."""


def folded_constant(value: Value | None, depth: int = DEPTH) -> Array | None:
    """Return the value of a constant, or of a short chain of ops on constants; None for any other value."""
    if value is None or value.constant is not None:
        return None if value is None else value.constant
    op = value.producer
    if op is None or depth == 0 or not op.type or len(op.outputs) != 1:
        return None
    if op.operation.stateful or op.operation.subgraphs:
        return None
    inputs = [folded_constant(operand, depth - 1) for operand in op.inputs]
    if any(array is None for array in inputs):
        return None
    try:
        return compute(op.operation, inputs)[0]
    except COMPUTATION_ERRORS:
        return None
