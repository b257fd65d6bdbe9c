"""Folds ops whose inputs are all constants."""

from __future__ import annotations

from collections.abc import Container, Mapping

from ir_plugin.compiler.folding import computed, is_foldable
from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.progress import check_interruption
from ir_plugin.compiler.rewriter import remove_ops
from ir_plugin.compiler.weight_chain import expanded_in_f32
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.tensors import Array

FOLDED_BYTES = 2**31
"""Bytes of the largest constant that is computed at compile time."""

SMALL_BYTES = 2**16
"""Bytes up to which an intermediate constant is kept until the pass ends."""


def load_constants(graph: Graph, keep_packed: bool = False) -> None:
    """Replace Const layers by their values; `keep_packed` leaves large ones of types that would be unpacked.

    Small values at an odd offset of a file are copied, because jobs read aligned memory.
    """
    loaded = [op for op in graph.ops if op.is_a(Const) and not (keep_packed and _is_packed(op)) and _compute(op)]
    for op in loaded:
        value = op.outputs[0]
        value.is_fixed = True
        if value.constant is not None and not value.constant.flags.aligned and value.constant.nbytes <= SMALL_BYTES:
            value.constant = value.constant.copy()
    remove_ops(graph, loaded)


def _is_packed(op: Op) -> bool:
    return op.outputs[0].element_type.is_low_bit and op.outputs[0].nbytes > SMALL_BYTES


@follows("einsum_decomposition")
def constant_folding(graph: Graph) -> None:
    """Replace ops whose inputs are all constants by their values.

    Only values that other ops read, or that are results, are kept: of a chain of decompression, the last, which no
    layer of f16 rounds. Values that depend on Const layers alone are computed once for all plans of the model. An op
    that has a state, or subgraphs, or that fails, stays.
    """
    failed: set[Op] = set()
    while True:
        constant = _constant_ops(graph, failed)
        ends = dict.fromkeys(value for op in constant for value in op.outputs if _is_read(value, constant))
        faults = [fault for value in ends for fault in _fold_value(graph, value, constant, ends)]
        if not faults:
            break
        failed.update(faults)
    graph.folded += [node for op in constant for node in op.nodes]
    remove_ops(graph, constant)


def _constant_ops(graph: Graph, failed: set[Op]) -> dict[Op, bool]:
    """Return the ops that can be folded, each with whether its values are the same in every plan."""
    constant: dict[Op, bool] = {}
    for op in graph.ops:
        inputs = [value for value in op.inputs if value is not None]
        is_constant = all(value.constant is not None or value.producer in constant for value in inputs)
        if op not in failed and is_constant and _may_be_folded(op):
            constant[op] = all(_is_fixed(value, constant) for value in inputs)
    return constant


def _is_fixed(value: Value, constant: Mapping[Op, bool]) -> bool:
    producer = value.producer
    return value.is_fixed if producer is None or producer not in constant else constant[producer]


def _may_be_folded(op: Op) -> bool:
    is_small = all(value.shape is None or value.nbytes <= FOLDED_BYTES for value in op.outputs)
    return is_small and is_foldable(op.operation)


def _is_read(value: Value, constant: Container[Op]) -> bool:
    """Return whether a value is a result, or an op that is not folded reads it."""
    return value.is_result or any(user not in constant for user in value.users)


def _fold_value(graph: Graph, value: Value, constant: Mapping[Op, bool], ends: Container[Value]) -> list[Op]:
    """Compute the value of a folded op; return the op that fails, if any."""
    check_interruption()
    faults: list[Op] = []

    def compute_end() -> list[Array]:
        value.constant = expanded_in_f32(value)
        if value.constant is None:
            faults.extend(_compute_chain(value, ends))
        return [] if value.constant is None else [value.constant]

    value.is_fixed = value.producer is not None and constant[value.producer]
    shared = value.is_fixed and value.port is not None
    arrays = graph.weight_cache.derived(("fold", value.port), (), compute_end) if shared else compute_end()
    for array in arrays:
        value.constant, value.shape = array, array.shape
    if not arrays and not faults and value.producer is not None:
        faults.append(value.producer)  # it failed for an earlier plan
    return faults


def _compute_chain(end: Value, ends: Container[Value]) -> list[Op]:
    """Compute a value and drop large intermediate ones; return the op that fails, if any."""
    waiting, passed = [end], []
    while waiting:
        op = waiting[-1].producer
        missing = (
            [] if op is None else [operand for operand in op.inputs if operand is not None and operand.constant is None]
        )
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
    """Compute an op, and return whether it succeeded; the run reports an op that fails."""
    arrays = computed(op.operation, [None if value is None else value.constant for value in op.inputs])
    for value, array in zip(op.outputs, arrays, strict=bool(arrays)):
        value.constant = array
        value.shape = array.shape
    return bool(arrays)
