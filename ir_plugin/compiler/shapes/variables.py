"""Variables whose lengths are equal in every run, because they begin alike and grow alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.shapes.symbolic import SymbolicDim, length_of, rank_of, static_length, total
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.read_value import ReadValue, ReadValue3

UnifyLengths: TypeAlias = Callable[["SymbolicDim | None"], "SymbolicDim | None"]


def unify_variable_lengths(graph: Graph) -> UnifyLengths:
    """Return a function that replaces a variable's length by the first variable's length that equals it in every run.

    Two variables have the same length along an axis where their initial values do, and where runs assign lengths that
    are greater by the same amount. A state that a user sets may break this; Broadcast and masks refuse it then.
    """
    assigned = {attributes(op, Assign).variable_id: op.inputs[0] for op in graph.ops if op.is_a(Assign)}
    firsts: dict[tuple[int, SymbolicDim, SymbolicDim], tuple[Value, int]] = {}
    replaced: dict[tuple[Value, int] | None, tuple[Value, int]] = {}
    for op in graph.ops:
        value = assigned.get(variable_of(op)) if op.is_a(ReadValue) else None
        if value is None or rank_of(value) is None or rank_of(value) != rank_of(op.outputs[0]):
            continue
        for axis in range(rank_of(value) or 0):
            growth = _growth(op, value, axis)
            if growth is not None:
                term = op.outputs[0], axis
                replaced[term] = firsts.setdefault((axis, *growth), term)

    def unify(length: SymbolicDim | None) -> SymbolicDim | None:
        if length is None:
            return None
        return total(*(frozenset([(replaced.get(term, term), count)]) for term, count in length))

    return unify


def variable_of(read: Op) -> str:
    """Return the id of the variable that a ReadValue reads."""
    operation = read.operation
    return operation.variable_id if isinstance(operation, ReadValue3) else attributes(read, ReadValue).variable_id


def _growth(read: Op, assigned: Value, axis: int) -> tuple[SymbolicDim, SymbolicDim] | None:
    """Return the initial length of a variable and by how much each run makes it longer; None where it is unknown."""
    own, initial = read.outputs[0], read.inputs[0] if read.inputs else None
    if initial is None or rank_of(initial) != rank_of(own) or static_length(own, axis) is not None:
        return None
    growth = total(length_of(assigned, axis), frozenset([((own, axis), -1)]))
    reads_variable = any(term is not None and _is_read(term[0]) for term, _ in growth)
    return None if reads_variable else (length_of(initial, axis), growth)


def _is_read(value: Value) -> bool:
    return value.producer is not None and value.producer.is_a(ReadValue)
