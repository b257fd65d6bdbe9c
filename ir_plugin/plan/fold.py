"""Constant folding: what depends on constants only is computed once."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import compute
from ir_plugin.plan.program import Call, Program, Value
from ir_plugin.tensors import Array
from ir_plugin.validation.inference import COMPUTATION_ERRORS

FOLDED_BYTES = 2**31
"""The largest constant that is computed ahead."""


KNOWN_ELEMENTS = 2**12
"""The largest tensor of which inference is asked for values; shapes, and indices made of them, are far smaller."""


def load_constants(program: Program) -> None:
    """Replace Const layers by their values."""
    _replace(program, [call for call in program.calls if call.type == "Const"])


def fold(program: Program) -> None:
    """Compute every call of which all inputs are constants."""
    _replace(program, program.calls)


def replace_known(program: Program) -> None:
    """Replace what follows from shapes alone, as `ShapeOf` and all that is computed from it, by constants."""
    known = []
    for call in program.calls:
        arrays = [_known(value) for value in call.outputs]
        if arrays and all(array is not None for array in arrays):
            known.append(call)
            for value, array in zip(call.outputs, arrays, strict=True):
                value.constant = array
    program.folded += [node for call in known for node in call.nodes]
    program.remove(known)


def _known(value: Value) -> Array | None:
    """Return the one value that a small tensor can have."""
    if value.tensor is None or value.shape is None or value.nbytes > KNOWN_ELEMENTS * value.dtype.itemsize:
        return None
    return value.tensor.value


def _replace(program: Program, candidates: list[Call]) -> None:
    computed = [call for call in candidates if _is_constant(call) and _compute(call)]
    program.folded += [node for call in computed for node in call.nodes if call.type != "Const"]
    program.remove(computed)


def _is_constant(call: Call) -> bool:
    operation = call.operation
    if operation.stateful or operation.subgraphs or call.post:
        return False
    if any(value is not None and value.constant is None for value in call.inputs):
        return False
    return call.type == "Const" or all(value.shape is None or value.nbytes <= FOLDED_BYTES for value in call.outputs)


def _compute(call: Call) -> bool:
    """Compute a call; what fails is left to the run, which says where."""
    try:
        with np.errstate(all="ignore"):
            arrays = compute(call.operation, [None if value is None else value.constant for value in call.inputs])
    except COMPUTATION_ERRORS:
        return False
    for value, array in zip(call.outputs, arrays, strict=True):
        value.constant = array
        value.shape = array.shape
    return True
