"""What passes need to recognise what a graph spells out, and to put calls of their own in its place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.compiler.graph import Call, Program, Value
from ir_plugin.operations.base import Operation
from ir_plugin.operations.registry import Registry
from ir_plugin.tensors import Array, ElementType

_NEWEST = "opset13"


def operation_of(type: str, **attributes: object) -> Operation:
    """Return an operation of OpenVINO's; raises KeyError for an unknown type."""
    definition = Registry().resolve(type, _NEWEST)
    if definition is None:
        raise KeyError(type)
    return definition.cls(**attributes)


def constant_of(element_type: ElementType, array: Array) -> Value:
    """Return a value that is known."""
    return Value(element_type, array.shape, array)


def insert(program: Program, position: int, calls: Sequence[Call]) -> None:
    """Put calls into a program from a position on, with the types of their operations."""
    for offset, made in enumerate(calls):
        made.operation = made.operation.specialize(
            tuple(None if value is None else value.element_type for value in made.inputs),
            tuple(value.element_type for value in made.outputs),
        )
        program.add(made)
        program.calls.insert(position + offset, program.calls.pop())


def replace(program: Program, gone: Sequence[Call], last: Call, calls: Sequence[Call]) -> None:
    """Remove calls, and put others where the last of them stood."""
    end = program.calls.index(last)
    before = sum(call in gone for call in program.calls[:end])
    program.remove(gone)
    insert(program, end - before, calls)


def maker_of(value: Value | None, type: str = "") -> Call | None:
    """Return the call, of a type if one is given, that makes a value and has nothing fused behind it."""
    made = None if value is None else value.producer
    return None if made is None or made.post or type not in ("", made.type) else made


def only_for(value: Value | None, type: str = "") -> Call | None:
    """Return the call that makes a value which is read once and is no result."""
    if value is None or len(value.users) != 1 or value.is_result:
        return None
    return maker_of(value, type)


def number_of(value: Value | None) -> float | None:
    """Return a constant of one element as a number."""
    if value is None or value.constant is None or value.constant.size != 1 or value.constant.dtype.kind not in "fiu":
        return None
    return float(value.constant.reshape(-1)[0])


def is_near(number: float | None, wanted: float) -> bool:
    """Return whether a number is the wanted one, to the accuracy that a file keeps."""
    return number is not None and abs(number - wanted) <= 1e-6 * max(abs(wanted), 1)


def pairs(call: Call) -> list[tuple[Value, Value]]:
    """Return both orders of the operands of a call with two."""
    one, other = [*call.inputs, None, None][:2]
    return [] if one is None or other is None or call.post else [(one, other), (other, one)]


def with_number(call: Call | None, type: str) -> tuple[Value, float] | None:
    """Return the operand and the number of a call of a commutative type, which keeps the operand's shape."""
    if call is None or call.type != type:
        return None
    for data, other in pairs(call):
        number = number_of(other)
        if number is not None and data.constant is None and data.shape == call.outputs[0].shape:
            return data, number
    return None


def scaled(call: Call | None) -> tuple[Value, float] | None:
    """Return what a call multiplies or divides by a number, and the factor."""
    if call is None or call.type != "Divide" or call.post:
        return with_number(call, "Multiply")
    data, number = call.inputs[0], number_of(call.inputs[1])
    if data is None or not number or data.constant is not None or data.shape != call.outputs[0].shape:
        return None
    return data, 1 / number


def product_of(call: Call) -> tuple[list[Value], float]:
    """Return the factors of a product and what numbers among them make; inner products are read nowhere else."""
    factors: list[Value] = []
    total, waiting = 1.0, [call] if call.type == "Multiply" or scaled(call) else []
    while waiting:
        current = waiting.pop()
        divided = scaled(current) if current.type == "Divide" else None
        operands = [value for value in current.inputs if value is not None] if divided is None else [divided[0]]
        total *= 1 if divided is None else divided[1]
        for value in operands:
            number, inner = number_of(value), only_for(value)
            if number is not None:
                total *= number
            elif inner is not None and (inner.type == "Multiply" or (inner.type == "Divide" and scaled(inner))):
                waiting.append(inner)
            else:
                factors.append(value)
    return factors, total


def index_constant(numbers: Sequence[int]) -> Value:
    """Return integers as an i64 constant."""
    return constant_of(ElementType.from_dtype(np.dtype(np.int64)), np.array(numbers, np.int64))
