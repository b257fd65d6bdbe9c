"""Constant folding: what depends on constants only is computed once."""

from __future__ import annotations

from collections.abc import Container, Mapping

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.progress import check_interruption
from ir_plugin.compiler.rewriter import remove_ops
from ir_plugin.operations.base import compute
from ir_plugin.tensors import Array
from ir_plugin.validation.inference import COMPUTATION_ERRORS

FOLDED_BYTES = 2**31
"""The largest constant that is computed ahead."""


SMALL_BYTES = 2**16
"""Bytes up to which what was computed on the way to a constant is kept until the end."""


def load_constants(graph: Graph) -> None:
    """Replace Const layers by their values."""
    loaded = [op for op in graph.ops if op.type == "Const" and _compute(op)]
    for op in loaded:
        op.outputs[0].is_fixed = True
    remove_ops(graph, loaded)


def constant_folding(graph: Graph) -> None:
    """Compute every call of which all inputs are constants.

    Only what other calls read is kept: of a chain of decompression, its end. What follows from Const layers alone is
    computed once for all plans of the model.
    """
    failed: set[Op] = set()
    while True:
        constant = _constant_calls(graph, failed)
        ends = dict.fromkeys(value for op in constant for value in op.outputs if _is_read(value, constant))
        faults = [fault for value in ends for fault in _settle(graph, value, constant, ends)]
        if not faults:
            break
        failed.update(faults)
    graph.folded += [node for op in constant for node in op.nodes]
    remove_ops(graph, constant)


def _constant_calls(graph: Graph, failed: set[Op]) -> dict[Op, bool]:
    """Return the calls that can be computed ahead, and whether they are the same in every plan."""
    found: dict[Op, bool] = {}
    for op in graph.ops:
        inputs = [value for value in op.inputs if value is not None]
        known = all(value.constant is not None or value.producer in found for value in inputs)
        if op not in failed and known and _may_be_folded(op):
            found[op] = all(_is_fixed(value, found) for value in inputs)
    return found


def _is_fixed(value: Value, constant: Mapping[Op, bool]) -> bool:
    maker = value.producer
    return value.is_fixed if maker is None or maker not in constant else constant[maker]


def _may_be_folded(op: Op) -> bool:
    operation = op.operation
    if operation.stateful or operation.subgraphs or op.epilogue:
        return False
    return all(value.shape is None or value.nbytes <= FOLDED_BYTES for value in op.outputs)


def _is_read(value: Value, constant: Container[Op]) -> bool:
    return value.is_result or any(user not in constant for user in value.users)


def _settle(graph: Graph, value: Value, constant: Mapping[Op, bool], ends: Container[Value]) -> list[Op]:
    """Give a value that a constant call makes its array; return the call that fails."""
    check_interruption()
    faults: list[Op] = []

    def compute_end() -> list[Array]:
        faults.extend(_compute_chain(value, ends))
        return [] if value.constant is None else [value.constant]

    value.is_fixed = value.producer is not None and constant[value.producer]
    shared = value.is_fixed and value.port is not None
    found = graph.weight_cache.derived(("fold", value.port), (), compute_end) if shared else compute_end()
    for array in found:
        value.constant, value.shape = array, array.shape
    return faults


def _compute_chain(end: Value, ends: Container[Value]) -> list[Op]:
    """Compute what makes a value, and forget what was made on the way; return the call that fails."""
    waiting, passed = [end], []
    while waiting:
        op = waiting[-1].producer
        missing = [] if op is None else [one for one in op.inputs if one is not None and one.constant is None]
        if missing and waiting[-1].constant is None:
            waiting.append(missing[0])
            continue
        value = waiting.pop()
        if op is not None and value.constant is None and not _compute(op):
            return [op]
        passed += [] if op is None else op.outputs
    for value in passed:
        if value not in ends and value.nbytes > SMALL_BYTES:
            value.constant = None
    return []


def _compute(op: Op) -> bool:
    """Compute a call; what fails is left to the run, which says where."""
    try:
        arrays = compute(op.operation, [None if value is None else value.constant for value in op.inputs])
    except COMPUTATION_ERRORS:
        return False
    for value, array in zip(op.outputs, arrays, strict=True):
        value.constant = array
        value.shape = array.shape
    return True
