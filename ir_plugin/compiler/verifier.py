"""Consistency of a graph: uses, producers, order, element types and shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ir_plugin.compiler.op import Op, Value


def verify(parameters: Sequence[Value], ops: Sequence[Op], results: Sequence[Value]) -> list[str]:
    """Return the inconsistencies of a graph, one sentence each."""
    return [*_order(parameters, ops), *_uses(parameters, ops), *_types(ops), *_results(parameters, ops, results)]


def _name(op: Op) -> str:
    layers = ", ".join(node.name for node in op.nodes)
    return f"{op.operation.type} ({layers})"


def _names(ops: Iterable[Op]) -> str:
    return ", ".join(sorted(map(_name, ops))) or "none"


def _order(parameters: Sequence[Value], ops: Sequence[Op]) -> Iterator[str]:
    """Yield reads of values that no earlier op produces."""
    available = set(parameters)
    for op in ops:
        for value in op.operands():
            if value.constant is None and value not in available:
                yield f"{_name(op)} reads a value that no op before it produces"
        for value in op.outputs:
            if value in available:
                yield f"{_name(op)} produces a value that an earlier op produces"
        available.update(op.outputs)


def _uses(parameters: Sequence[Value], ops: Sequence[Op]) -> Iterator[str]:
    """Yield values whose users are not the ops that read them, and outputs with another producer."""
    readers: dict[Value, list[Op]] = {}
    for op in ops:
        for value in op.operands():
            readers.setdefault(value, []).append(op)
        for value in op.outputs:
            readers.setdefault(value, [])
            if value.producer is not op and value.constant is None:
                yield f"an output of {_name(op)} has another producer"
    for value in parameters:
        if value.producer is not None:
            yield "a parameter has a producer"
    for value, expected in readers.items():
        if value.users != expected and Counter(value.users) != Counter(expected):
            users, uses = (", ".join(sorted(map(_name, names))) for names in (value.users, expected))
            tensor = f"{value.element_type.name}{value.shape}"
            yield f"a {tensor} has the users {users or 'none'}; it is read by {uses or 'none'}"


def _types(ops: Sequence[Op]) -> Iterator[str]:
    """Yield outputs of another element type than their operation's, and constants of another shape."""
    for op in ops:
        produced = op.epilogue[-1].operation if op.epilogue else op.operation
        for value, element_type in zip(op.outputs[:1], produced.output_types, strict=False):
            if value.element_type is not element_type:
                yield f"{_name(op)} computes {element_type.name}, its output is {value.element_type.name}"
        for value in op.operands():
            if value.constant is not None and value.shape is not None and value.constant.shape != value.shape:
                yield f"{_name(op)} reads a constant {list(value.constant.shape)} that is declared {list(value.shape)}"


def _results(parameters: Sequence[Value], ops: Sequence[Op], results: Sequence[Value]) -> Iterator[str]:
    """Yield results that are not marked, and marked values that are none."""
    produced = {value for op in ops for value in op.outputs} | set(parameters)
    declared = set(results)
    for value in results:
        if not value.is_result:
            yield "a result is not marked as one"
        if value.constant is None and value not in produced:
            yield "a result is produced by no op"
    for value in produced - declared:
        if value.is_result:
            yield f"a {value.element_type.name}{value.shape} is marked as a result and is none"
