"""Matching for rewrites: reads ops and values of the compiler's graph, and nodes and outputs of models, alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from ir_plugin.operations.arithmetic.binary import Multiply
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.base import OperationClass
from ir_plugin.tensors import Array, ElementType

Op_co = TypeVar("Op_co", bound="AnyOp[Any]", covariant=True)
Value_co = TypeVar("Value_co", bound="AnyValue[Any]", covariant=True)
OpT = TypeVar("OpT", bound="AnyOp[Any]")
ValueT = TypeVar("ValueT", bound="AnyValue[Any]")

EXACT = 1e-6
"""The accuracy of f32 in a file."""


class AnyValue(Protocol[Op_co]):
    """A value of a graph or an output of a node."""

    @property
    def element_type(self) -> ElementType:
        """The element type."""

    @property
    def constant(self) -> Array | None:
        """The values of a constant; None for any other value."""

    @property
    def producer(self) -> Op_co | None:
        """The op that computes it."""

    @property
    def is_read_once(self) -> bool:
        """Whether one op reads it, once, and it is no result."""

    @property
    def rank(self) -> int | None:
        """The number of dimensions; None where it is unknown."""

    def length(self, axis: int) -> int | None:
        """Return the length along an axis; None where it is known only at run time."""


class AnyOp(Protocol[Value_co]):
    """An op of a graph or a node."""

    @property
    def operation(self) -> Any:
        """The operation, whose annotated fields are the attributes."""

    @property
    def sources(self) -> Sequence[Value_co | None]:
        """The values that it reads, None for an input without an edge."""

    @property
    def outputs(self) -> Sequence[Value_co]:
        """The values that it computes."""

    def is_a(self, *definitions: OperationClass) -> bool:
        """Return whether it is one of these operations, of any version; an extension's is none of them."""


def has_same_shape(left: AnyValue[Any], right: AnyValue[Any]) -> bool:
    """Return whether two values have the same known shape."""
    if left.rank is None or left.rank != right.rank:
        return False
    return all(left.length(axis) == right.length(axis) is not None for axis in range(left.rank))


def producer_of(value: AnyValue[OpT] | None, definition: OperationClass | None = None) -> OpT | None:
    """Return the op that produces a value; None if it is another operation."""
    op = None if value is None else value.producer
    return None if op is None or not (definition is None or op.is_a(definition)) else op


def single_use_producer(value: AnyValue[OpT] | None, definition: OperationClass | None = None) -> OpT | None:
    """Return the producer of a value; None if the value is a result or is read more than once."""
    return producer_of(value, definition) if value is not None and value.is_read_once else None


def number_of(value: AnyValue[Any] | None) -> float | None:
    """Return a constant of one element and any rank as a number; None for any other value."""
    if value is None or value.constant is None or value.constant.size != 1 or value.constant.dtype.kind not in "fiu":
        return None
    return float(value.constant.reshape(-1)[0])


def broadcasts_to(array: Array, data: AnyValue[Any]) -> bool:
    """Return whether a constant broadcasts to the shape of a value, whatever its open lengths are in a run."""
    rank = array.ndim if array.ndim == 0 else data.rank
    if rank is None or array.ndim > rank:
        return False
    return all(array.shape[axis] in (1, data.length(axis)) for axis in range(-array.ndim, 0))


def number_beside(data: AnyValue[Any] | None, operand: AnyValue[Any] | None) -> float | None:
    """Return a constant of one element that an op combines with data as a number; None where it raises the rank."""
    if data is None or operand is None or operand.constant is None or not broadcasts_to(operand.constant, data):
        return None
    return number_of(operand)


def is_near(number: float | None, target: float, tolerance: float = EXACT) -> bool:
    """Return whether a number equals another within a tolerance, relative to numbers above 1."""
    return number is not None and abs(number - target) <= tolerance * max(abs(target), 1)


def commuted_operands(op: AnyOp[ValueT]) -> list[tuple[ValueT, ValueT]]:
    """Return the operands of a binary op in both orders."""
    left, right = [*op.sources, None, None][:2]
    return [] if left is None or right is None else [(left, right), (right, left)]


def with_number(op: AnyOp[ValueT] | None, definition: OperationClass) -> tuple[ValueT, float] | None:
    """Return the operand and the number of a commutative operation; the number keeps the operand's shape."""
    if op is None or not op.is_a(definition):
        return None
    for data, operand in commuted_operands(op):
        number = number_beside(data, operand)
        if number is not None and data.constant is None:
            return data, number
    return None


def scaled(op: AnyOp[ValueT] | None) -> tuple[ValueT, float] | None:
    """Return the operand that an op multiplies or divides by a number that keeps its shape, and the factor."""
    if op is None or not op.is_a(Divide):
        return with_number(op, Multiply)
    data, number = op.sources[0], number_beside(op.sources[0], op.sources[1])
    if data is None or not number or data.constant is not None:
        return None
    return data, 1 / number


def product_of(op: AnyOp[ValueT]) -> tuple[list[ValueT], float]:
    """Return the factors of a product, with inner products of a single use expanded, and the product of its numbers."""
    factors: list[ValueT] = []
    scale, pending = 1.0, [op] if op.is_a(Multiply) or scaled(op) else []
    while pending:
        current = pending.pop()
        divided = scaled(current) if current.is_a(Divide) else None
        operands = [value for value in current.sources if value is not None] if divided is None else [divided[0]]
        scale *= 1 if divided is None else divided[1]
        for value in operands:
            number, inner = number_beside(current.outputs[0], value), single_use_producer(value)
            if number is not None:
                scale *= number
            elif inner is not None and (inner.is_a(Multiply) or (inner.is_a(Divide) and scaled(inner))):
                pending.append(inner)
            else:
                factors.append(value)
    return factors, scale
