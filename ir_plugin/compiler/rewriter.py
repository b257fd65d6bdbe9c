"""Matching and rewriting for passes: the only place that changes which op reads or produces which value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Container, Iterable, Sequence, Set
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np

from ir_plugin.compiler.graph import EpilogueOp, Graph, GraphError, Op, Value
from ir_plugin.operations.base import Operation, OperationClass
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.tensors import Array, ElementType

_Operation = TypeVar("_Operation", bound=Operation)


def attributes(op: Op, cls: type[_Operation]) -> _Operation:
    """Return the operation of an op as an instance of its class, whose annotated fields are the attributes."""
    if not isinstance(op.operation, cls):
        raise GraphError(f"the op {op.type or type(op.operation).__name__} has no attributes of {cls.__name__}")
    return op.operation


def constant_of(element_type: ElementType, array: Array) -> Value:
    """Return a constant value."""
    return Value(element_type, array.shape, array)


def remove_ops(graph: Graph, ops: Iterable[Op]) -> None:
    """Remove ops; no value keeps them as a user or producer."""
    removed = set(ops)
    graph.ops = [op for op in graph.ops if op not in removed]
    _detach(removed)


def _detach(removed: Set[Op]) -> None:
    for op in removed:
        for value in op.operands():
            value.users.remove(op)
        for value in op.outputs:
            if value.producer is op:
                value.producer = None


def remove_unread(graph: Graph) -> None:
    """Remove ops whose outputs nobody reads, unless they write a variable."""
    remaining = []
    for op in reversed(graph.ops):
        if any(value.users or value.is_result for value in op.outputs) or _writes_variable(op):
            remaining.append(op)
        else:
            _detach({op})
    graph.ops = remaining[::-1]


def _writes_variable(op: Op) -> bool:
    """Return whether an op assigns to a variable: it names one and does not only read it."""
    return not op.is_a(ReadValue) and hasattr(op.operation, "variable_id")


def index_constant(numbers: Sequence[int]) -> Value:
    """Return integers as an i64 constant."""
    return constant_of(ElementType.from_dtype(np.dtype(np.int64)), np.array(numbers, np.int64))


class Pattern(ABC):
    """A rewrite of an op with what surrounds it; an instance serves one graph."""

    roots: ClassVar[tuple[OperationClass, ...]]
    """The operations of the ops that `rewrite` gets."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @abstractmethod
    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        """Change an op and what surrounds it, where the pattern fits."""

    def finish(self, rewriter: Rewriter) -> None:
        """Change what is left when every op was visited."""
        del rewriter


class PatternPass:
    """A pass that is a list of patterns, each of which visits the graph; it has the name of the file of the last."""

    def __init__(self, *pattern_types: type[Pattern]) -> None:
        self.pattern_types = pattern_types
        self.__name__ = pattern_types[-1].__module__.rpartition(".")[2]
        self.__doc__ = pattern_types[-1].__doc__

    def may_rewrite(self, types: Container[str]) -> bool:
        """Return whether a graph whose operations have these types has a root of a pattern."""
        return any(root.type in types for pattern in self.pattern_types for root in pattern.roots)

    def __call__(self, graph: Graph) -> None:
        """Rewrite a graph."""
        for pattern in self.pattern_types:
            Rewriter(graph).run(pattern(graph))


class Rewriter:
    """Visits the ops of a graph and changes them; a change takes the time of what it changes, not of the graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._waiting: deque[Op] = deque()
        self._places: dict[Op, list[Op]] = {}
        """What stands in the place of an op of the graph after changes; it may be there itself."""
        self._standing: dict[Op, list[Op]] = {}
        """The place in which an op stands, where that was changed."""
        self._removed: set[Op] = set()
        self.is_changed = False

    def run(self, pattern: Pattern) -> None:
        """Let a pattern visit its roots in order, new ones next, and remove the ops that nobody reads any more."""
        types = {root.type for root in pattern.roots}
        self._waiting.extend(op for op in self.graph.ops if op.type in types)
        while self._waiting:
            op = self._waiting.popleft()
            if op.type in types and op not in self._removed:
                pattern.rewrite(op, self)
        pattern.finish(self)
        if self.is_changed:
            self.graph.ops = self.ops()
            remove_unread(self.graph)

    def ops(self) -> list[Op]:
        """Return the ops of the changed graph in order."""
        return [standing for op in self.graph.ops for standing in self._places.get(op, (op,))]

    @cached_property
    def positions(self) -> dict[Op, int]:
        """The positions that the ops had before the changes."""
        return {op: position for position, op in enumerate(self.graph.ops)}

    def replace(self, op: Op, ops: Sequence[Op], others: Iterable[Op] = ()) -> None:
        """Remove an op and others, and insert new ones, or some of these again, where the op stood."""
        replaced = {op, *others}
        _detach(replaced)
        self._removed |= replaced
        for other in replaced - {op}:
            self._place(other).remove(other)
        at = self._place(op).index(op)
        self._insert(slice(at, at + 1), self._place(op), ops)

    def remove(self, *ops: Op) -> None:
        """Remove ops."""
        self.replace(ops[0], [], ops[1:])

    def bypass(self, op: Op, value: Value) -> None:
        """Make every reader of an op's first output read a value, and remove the op."""
        self.replace_uses(op.outputs[0], value)
        self.remove(op)

    def insert_before(self, op: Op, ops: Sequence[Op]) -> None:
        """Insert ops before another."""
        at = self._place(op).index(op)
        self._insert(slice(at, at), self._place(op), ops)

    def insert_after(self, op: Op, ops: Sequence[Op]) -> None:
        """Insert ops after another."""
        at = self._place(op).index(op) + 1
        self._insert(slice(at, at), self._place(op), ops)

    def fuse_epilogue(self, host: Op, op: Op, position: int) -> None:
        """Append an elementwise op and its epilogue to the epilogue of the op that produces its operand.

        The host then reads the other operand and produces the op's output where the op stood, as there all operands of
        the epilogue are available.
        """
        operand = op.inputs[1 - position] if len(op.inputs) > 1 else None
        fused = [EpilogueOp(op.operation, operand, operand_first=position == 1), *op.epilogue]
        self._place(host).remove(host)
        self._standing[host] = self._place(op)
        self._place(op).insert(0, host)
        self.remove(op)
        host.epilogue += fused
        host.nodes += op.nodes
        host.outputs[0].producer, host.outputs[0] = None, op.outputs[0]
        host.outputs[0].producer = host
        for value in (item.operand for item in fused):
            if value is not None:
                value.users.append(host)

    def _place(self, op: Op) -> list[Op]:
        """Return the current ops at an op's position: itself, or its replacements."""
        self.is_changed = True
        if op not in self._standing:
            self._places[op] = self._standing[op] = [op]
        return self._standing[op]

    def _insert(self, part: slice, standing: list[Op], ops: Sequence[Op]) -> None:
        """Put ops into a part of a place, specialize their operations to the types of their values, and attach them."""
        standing[part] = ops
        for op in ops:
            self._standing[op] = standing
            op.operation = op.operation.specialize(
                tuple(None if value is None else value.element_type for value in op.inputs),
                tuple(value.element_type for value in op.outputs),
            )
            op.attach()
        self._removed.difference_update(ops)
        self._waiting.extendleft(reversed(ops))

    def replace_uses(self, old: Value, new: Value) -> None:
        """Make every reader of a value read another one."""
        self.is_changed = True
        for op in old.users:
            op.inputs = [new if value is old else value for value in op.inputs]
            for fused in op.epilogue:
                fused.operand = new if fused.operand is old else fused.operand
            new.users.append(op)
        old.users = []
        if old.is_result:
            self.graph.results = [new if value is old else value for value in self.graph.results]
            new.is_result, old.is_result = True, False

    def set_inputs(self, op: Op, inputs: Sequence[Value | None]) -> None:
        """Make an op read other values."""
        before, op.inputs = op.operands(), list(inputs)
        self._count_uses(op, before)

    def set_input(self, op: Op, position: int, value: Value) -> None:
        """Make an op read another value at one position."""
        self.set_inputs(op, [value if index == position else before for index, before in enumerate(op.inputs)])

    def set_operand(self, op: Op, item: EpilogueOp, value: Value) -> None:
        """Make an op of another's epilogue read another value."""
        before, item.operand = op.operands(), value
        self._count_uses(op, before)

    def _count_uses(self, op: Op, before: Sequence[Value]) -> None:
        """List an op among the users of the values that it reads, and of no others that it read before."""
        self.is_changed = True
        operands = op.operands()
        for value in {*before, *operands}:
            value.users = [*(user for user in value.users if user is not op), *[op] * operands.count(value)]
