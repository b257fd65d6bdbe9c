"""Matching and rewriting for passes: the only place that changes which op reads or produces which value."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from ir_plugin.compiler.graph import EpilogueOp, Graph, GraphError, Op, Value
from ir_plugin.operations.base import Operation, OperationClass
from ir_plugin.tensors import Array, ElementType

_Operation = TypeVar("_Operation", bound=Operation)


_ROOTS: dict[Callable[[Graph], None], tuple[OperationClass, ...]] = {}


def rewrites(*definitions: OperationClass) -> Callable[[Callable[[Graph], None]], Callable[[Graph], None]]:
    """Say that a pass changes nothing in a graph without any of these operations."""

    def register(function: Callable[[Graph], None]) -> Callable[[Graph], None]:
        _ROOTS[function] = definitions
        return function

    return register


def may_rewrite(function: Callable[[Graph], None], types: Container[str]) -> bool:
    """Return whether a pass may change a graph whose operations have these types."""
    return function not in _ROOTS or any(definition.type in types for definition in _ROOTS[function])


def attributes(op: Op, cls: type[_Operation]) -> _Operation:
    """Return the operation of an op as an instance of its class, whose annotated fields are the attributes."""
    if not isinstance(op.operation, cls):
        raise GraphError(f"the op {op.type or type(op.operation).__name__} has no attributes of {cls.__name__}")
    return op.operation


def constant_of(element_type: ElementType, array: Array) -> Value:
    """Return a constant value."""
    return Value(element_type, array.shape, array)


def insert_ops(graph: Graph, position: int, ops: Sequence[Op]) -> None:
    """Insert ops at a position, with their operations specialized to the types of their values."""
    for op in ops:
        op.operation = op.operation.specialize(
            tuple(None if value is None else value.element_type for value in op.inputs),
            tuple(value.element_type for value in op.outputs),
        )
        op.attach()
    graph.ops[position:position] = ops


def remove_ops(graph: Graph, ops: Iterable[Op]) -> None:
    """Remove ops; no value keeps them as a user or producer."""
    removed = set(ops)
    graph.ops = [op for op in graph.ops if op not in removed]
    for value in {value for op in removed for value in op.operands()}:
        value.users = [user for user in value.users if user not in removed]
    for value in (value for op in removed for value in op.outputs):
        if value.producer in removed:
            value.producer = None


def replace_ops(graph: Graph, replaced: Sequence[Op], last: Op, ops: Sequence[Op]) -> None:
    """Remove ops, and insert others where the last of them stood."""
    removed, end = set(replaced), graph.ops.index(last)
    before = sum(op in removed for op in graph.ops[:end])
    remove_ops(graph, replaced)
    insert_ops(graph, end - before, ops)


def replace_uses(graph: Graph, old: Value, new: Value) -> None:
    """Make every reader of `old` read `new`."""
    for op in old.users:
        op.inputs = [new if value is old else value for value in op.inputs]
        for fused in op.epilogue:
            fused.operand = new if fused.operand is old else fused.operand
        new.users.append(op)
    old.users = []
    graph.results = [new if value is old else value for value in graph.results]
    new.is_result, old.is_result = new.is_result or old.is_result, False


def set_inputs(op: Op, inputs: Sequence[Value | None]) -> None:
    """Make an op read other values."""
    for value in {value for value in op.inputs if value is not None}:
        value.users = [user for user in value.users if user is not op]
    op.inputs = list(inputs)
    for value in op.operands():
        if op not in value.users:
            value.users += [op] * op.operands().count(value)


def set_input(op: Op, position: int, value: Value) -> None:
    """Make an op read another value at one position."""
    set_inputs(op, [value if index == position else before for index, before in enumerate(op.inputs)])


def replace_operand(op: Op, item: EpilogueOp, value: Value) -> None:
    """Make an epilogue op read another value."""
    before = item.operand
    item.operand = value
    for changed in (before, value):
        if changed is not None:
            changed.users = [user for user in changed.users if user is not op]
            changed.users += [op] * op.operands().count(changed)


def fuse_epilogue(host: Op, op: Op, position: int) -> None:
    """Append an elementwise op and its epilogue to the epilogue of the op that produces its operand.

    The host then reads the other operand and produces the op's output. The caller drops the op itself, also as a user
    of its operands, with `drop_fused`.
    """
    operand = op.inputs[1 - position] if len(op.inputs) > 1 else None
    host.outputs[0].users = []
    host.outputs[0].producer = None
    host.epilogue += [EpilogueOp(op.operation, operand, operand_first=position == 1), *op.epilogue]
    host.nodes += op.nodes
    host.outputs[0] = op.outputs[0]
    host.outputs[0].producer = host


def drop_fused(graph: Graph, hosts: Mapping[Op, Op]) -> None:
    """Drop the ops that were fused into hosts, and move each host to the position of the last of them.

    All operands of its epilogue are available there.
    """
    for value in {operand for host in set(hosts.values()) for operand in host.operands()}:
        value.users = [hosts.get(user, user) for user in value.users]
    last = {host: op for op, host in hosts.items()}
    ops = [(op, hosts.get(op, op)) for op in graph.ops]
    graph.ops = [host for op, host in ops if last.get(host, host) is op]


def index_constant(numbers: Sequence[int]) -> Value:
    """Return integers as an i64 constant."""
    return constant_of(ElementType.from_dtype(np.dtype(np.int64)), np.array(numbers, np.int64))
