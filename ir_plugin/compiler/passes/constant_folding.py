"""Constant folding: what depends on constants only is computed once."""

from __future__ import annotations

from collections.abc import Container, Mapping

from ir_plugin.compiler.graph import Call, Program, Value
from ir_plugin.operations.base import compute
from ir_plugin.tensors import Array
from ir_plugin.validation.inference import COMPUTATION_ERRORS

FOLDED_BYTES = 2**31
"""The largest constant that is computed ahead."""


SMALL_BYTES = 2**16
"""Bytes up to which what was computed on the way to a constant is kept until the end."""

KNOWN_ELEMENTS = 2**12
"""The largest tensor of which inference is asked for values; shapes, and indices made of them, are far smaller."""


def load_constants(program: Program) -> None:
    """Replace Const layers by their values."""
    loaded = [call for call in program.calls if call.type == "Const" and _compute(call)]
    for call in loaded:
        call.outputs[0].is_fixed = True
    program.remove(loaded)


def fold(program: Program) -> None:
    """Compute every call of which all inputs are constants.

    Only what other calls read is kept: of a chain of decompression, its end. What follows from Const layers alone is
    computed once for all plans of the model.
    """
    failed: set[Call] = set()
    while True:
        constant = _constant_calls(program, failed)
        ends = dict.fromkeys(value for call in constant for value in call.outputs if _is_read(value, constant))
        faults = [fault for value in ends for fault in _settle(program, value, constant, ends)]
        if not faults:
            break
        failed.update(faults)
    program.folded += [node for call in constant for node in call.nodes]
    program.remove(constant)
    for value in ends:
        value.producer = None


def replace_known(program: Program) -> None:
    """Replace what follows from shapes alone, as `ShapeOf` and all that is computed from it, by constants."""
    known = []
    for call in program.calls:
        arrays = [_known(value) for value in call.outputs]
        if arrays and all(array is not None for array in arrays):
            known.append(call)
            for value, array in zip(call.outputs, arrays, strict=True):
                value.constant, value.producer = array, None
    program.folded += [node for call in known for node in call.nodes]
    program.remove(known)


def _known(value: Value) -> Array | None:
    """Return the one value that a small tensor can have."""
    if value.tensor is None or value.shape is None or value.nbytes > KNOWN_ELEMENTS * value.dtype.itemsize:
        return None
    return value.tensor.value


def _constant_calls(program: Program, failed: set[Call]) -> dict[Call, bool]:
    """Return the calls that can be computed ahead, and whether they are the same in every plan."""
    found: dict[Call, bool] = {}
    for call in program.calls:
        inputs = [value for value in call.inputs if value is not None]
        known = all(value.constant is not None or value.producer in found for value in inputs)
        if call not in failed and known and _may_be_folded(call):
            found[call] = all(_is_fixed(value, found) for value in inputs)
    return found


def _is_fixed(value: Value, constant: Mapping[Call, bool]) -> bool:
    maker = value.producer
    return value.is_fixed if maker is None or maker not in constant else constant[maker]


def _may_be_folded(call: Call) -> bool:
    operation = call.operation
    if operation.stateful or operation.subgraphs or call.post:
        return False
    return all(value.shape is None or value.nbytes <= FOLDED_BYTES for value in call.outputs)


def _is_read(value: Value, constant: Container[Call]) -> bool:
    return value.is_result or any(user not in constant for user in value.users)


def _settle(program: Program, value: Value, constant: Mapping[Call, bool], ends: Container[Value]) -> list[Call]:
    """Give a value that a constant call makes its array; return the call that fails."""
    faults: list[Call] = []

    def compute_end() -> list[Array]:
        faults.extend(_compute_chain(value, ends))
        return [] if value.constant is None else [value.constant]

    value.is_fixed = value.producer is not None and constant[value.producer]
    shared = value.is_fixed and value.port is not None
    found = program.kept.derived(("fold", value.port), (), compute_end) if shared else compute_end()
    for array in found:
        value.constant, value.shape = array, array.shape
    return faults


def _compute_chain(end: Value, ends: Container[Value]) -> list[Call]:
    """Compute what makes a value, and forget what was made on the way; return the call that fails."""
    waiting, passed = [end], []
    while waiting:
        call = waiting[-1].producer
        missing = [] if call is None else [one for one in call.inputs if one is not None and one.constant is None]
        if missing and waiting[-1].constant is None:
            waiting.append(missing[0])
            continue
        value = waiting.pop()
        if call is not None and value.constant is None and not _compute(call):
            return [call]
        passed += [] if call is None else call.outputs
    for value in passed:
        if value not in ends and value.nbytes > SMALL_BYTES:
            value.constant = None
    return []


def _compute(call: Call) -> bool:
    """Compute a call; what fails is left to the run, which says where."""
    try:
        arrays = compute(call.operation, [None if value is None else value.constant for value in call.inputs])
    except COMPUTATION_ERRORS:
        return False
    for value, array in zip(call.outputs, arrays, strict=True):
        value.constant = array
        value.shape = array.shape
    return True
