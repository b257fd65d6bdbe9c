"""Arithmetic, comparisons, logic and bits, element by element."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer
from ir_plugin.frontends.onnx_writer.quantized import dequantized
from ir_plugin.frontends.onnx_writer.registry import Write, writes
from ir_plugin.operations.activation.unary import Exp
from ir_plugin.operations.arithmetic import binary, division, unary
from ir_plugin.operations.arithmetic.cum_prod import CumProd
from ir_plugin.operations.arithmetic.cum_sum import CumSum
from ir_plugin.operations.arithmetic.round import Round
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.bitwise import binary as bits
from ir_plugin.operations.bitwise.unary import BitwiseNot
from ir_plugin.operations.comparison import binary as comparison
from ir_plugin.operations.comparison import unary as tests
from ir_plugin.operations.condition.select import Select
from ir_plugin.operations.logical import binary as logic
from ir_plugin.operations.logical.unary import LogicalNot
from ir_plugin.tensors import ElementType


def aligned(layer: Layer, operands: tuple[int, ...], to: int = 0) -> list[str]:
    """Return operands such that ONNX's broadcasting is the layer's `auto_broadcast`."""
    values = [layer.inputs[position] for position in operands]
    if layer.operation.auto_broadcast != "pdpd":
        return values
    rank, first = layer.rank(to), layer.operation.auto_broadcast_axis
    for at, position in enumerate(operands):
        own = layer.shape(position)
        if position == to or len(own) == rank:
            continue
        axis = rank - len(own) if first == -1 else first
        dropped = max(axis + len(own) - rank, 0)
        if dropped and any(dim != 1 for dim in own[len(own) - dropped :]):
            raise NotExpressibleError(f"input {position} of the shape {own} is longer than its place")
        values[at] = layer.squeeze(values[at], *range(len(own) - dropped, len(own)))
        axes = range(len(own) - dropped, rank - axis)
        values[at] = layer.unsqueeze(values[at], *axes)
    return values


def _binary(op: str) -> Write:
    """Return a writer of a node with two broadcast operands."""

    def write(layer: Layer) -> str:
        return layer.emit(op, *aligned(layer, (0, 1)))

    return write


def _unary(op: str) -> Write:
    """Return a writer of a node with one operand."""

    def write(layer: Layer) -> str:
        return layer.emit(op, layer.inputs[0])

    return write


def _real(op: str) -> Write:
    """Return a writer of a function of real numbers, which for integers is computed in f64."""

    def write(layer: Layer) -> str:
        return layer.emit(op, real(layer))

    return write


def real(layer: Layer, position: int = 0) -> str:
    """Return an input as floats: integers in f64, of which the result is rounded."""
    value = layer.inputs[position]
    return value if layer.type_of(value).is_floating else layer.cast(value, ElementType.f64)


_BINARY: dict[OperationClass, str] = {
    binary.Add: "Add", binary.Subtract: "Sub", binary.Maximum: "Max", binary.Minimum: "Min",
    comparison.Equal: "Equal", comparison.Greater: "Greater", comparison.GreaterEqual: "GreaterOrEqual",
    comparison.Less: "Less", comparison.LessEqual: "LessOrEqual",
}  # fmt: skip
_UNARY: dict[OperationClass, str] = {unary.Abs: "Abs", unary.Sign: "Sign", tests.IsNaN: "IsNaN"}
_REAL: dict[OperationClass, str] = {
    unary.Log: "Log", unary.Sin: "Sin", unary.Cos: "Cos", unary.Tan: "Tan", unary.Asin: "Asin", unary.Acos: "Acos",
    unary.Atan: "Atan", unary.Sinh: "Sinh", unary.Cosh: "Cosh", unary.Tanh: "Tanh", unary.Asinh: "Asinh",
    unary.Acosh: "Acosh", unary.Erf: "Erf", Exp: "Exp",
}  # fmt: skip
for _operation, _op in _BINARY.items():
    writes(_operation)(_binary(_op))
for _operation, _op in _UNARY.items():
    writes(_operation)(_unary(_op))
for _operation, _op in _REAL.items():
    writes(_operation)(_real(_op))


@writes(binary.Multiply)
def multiply(layer: Layer) -> str:
    """Return Mul, or DequantizeLinear of constant weights of few bits."""
    return dequantized(layer) or layer.emit("Mul", *aligned(layer, (0, 1)))


@writes(unary.Atanh)
def atanh(layer: Layer) -> str:
    """Return Atanh; OpenVINO truncates the result for integers."""
    if not layer.info().element_type.is_floating:
        raise NotExpressibleError("the inverse hyperbolic tangent of integers has limits of its own")
    return layer.emit("Atanh", layer.inputs[0])


@writes(unary.Sqrt)
def sqrt(layer: Layer) -> str:
    """Return Sqrt; of integers of up to 32 bits in f64, whose roots round as the exact ones do."""
    if layer.info().element_type.name in ("i64", "u64"):
        raise NotExpressibleError("the exact root of integers of 64 bits has no operator")
    return layer.emit("Sqrt", real(layer))


@writes(unary.Negative)
def negative(layer: Layer) -> str:
    """Return Neg, or for unsigned integers the difference to zero, which wraps."""
    value = layer.inputs[0]
    if layer.type_of(value).kind == "uint":
        return layer.emit("Sub", layer.like(0, value), value)
    return layer.emit("Neg", value)


def _whole(op: str) -> Write:
    """Return a writer of a rounding, which leaves integers as they are."""

    def write(layer: Layer) -> str:
        value = layer.inputs[0]
        return layer.emit(op, value) if layer.type_of(value).is_floating else value

    return write


writes(unary.Floor)(_whole("Floor"))
writes(unary.Ceiling)(_whole("Ceil"))


@writes(Round)
def rounded(layer: Layer) -> str:
    """Return Round, or a composition where halves go away from zero."""
    value = layer.inputs[0]
    if not layer.type_of(value).is_floating:
        return value
    if layer.operation.mode == "half_to_even":
        return layer.emit("Round", value)
    size = layer.emit("Abs", value)
    whole = layer.emit("Floor", size)
    is_half = layer.emit("GreaterOrEqual", layer.emit("Sub", size, whole), layer.like(0.5, size))
    up = layer.emit("Where", is_half, layer.emit("Add", whole, layer.like(1, whole)), whole)
    return layer.emit("Mul", layer.emit("Sign", value), up)


@writes(binary.SquaredDifference)
def squared_difference(layer: Layer) -> str:
    """Return the square of Sub."""
    difference = layer.emit("Sub", *aligned(layer, (0, 1)))
    return layer.emit("Mul", difference, difference)


@writes(binary.Power)
def power(layer: Layer) -> str:
    """Return Pow of operands of one type; negative exponents of integers are not ONNX's."""
    base, exponent = aligned(layer, (0, 1))
    exponent_type = layer.info(1).element_type
    if not exponent_type.is_floating:
        values = layer.value(1)
        if values is None or (values.size and values.min() < 0) or layer.info(0).element_type.bits < 32:
            raise NotExpressibleError(
                "powers of integers wrap exactly only in types and exponents that ONNX leaves open"
            )
    return layer.emit("Pow", base, exponent)


@writes(division.Divide)
def divide(layer: Layer) -> str:
    """Return Div; quotients of integers are rounded down where `m_pythondiv` is set, ONNX's towards zero."""
    a, b = aligned(layer, (0, 1))
    quotient = layer.emit("Div", a, b)
    if layer.type_of(a).kind != "int" or not layer.operation.m_pythondiv:
        return quotient
    remainder = layer.emit("Sub", a, layer.emit("Mul", quotient, b))
    zero = layer.like(0, remainder)
    inexact = layer.emit("Not", layer.emit("Equal", remainder, zero))
    differs = layer.emit("Xor", layer.emit("Less", remainder, zero), layer.emit("Less", b, zero))
    lower = layer.emit("And", inexact, differs)
    return layer.emit("Where", lower, layer.emit("Sub", quotient, layer.like(1, quotient)), quotient)


@writes(division.Mod)
def mod(layer: Layer) -> str:
    """Return Mod as C's fmod."""
    return layer.emit("Mod", *aligned(layer, (0, 1)), fmod=1)


@writes(division.FloorMod)
def floor_mod(layer: Layer) -> str:
    """Return Mod, of floats the remainder of fmod moved to the sign of the divisor; by infinity it is NaN."""
    a, b = aligned(layer, (0, 1))
    if not layer.type_of(a).is_floating:
        return layer.emit("Mod", a, b, fmod=0)
    remainder = layer.emit("Mod", a, b, fmod=1)
    zero = layer.like(0, remainder)
    inexact = layer.emit("Not", layer.emit("Equal", remainder, zero))
    differs = layer.emit("Xor", layer.emit("Less", remainder, zero), layer.emit("Less", b, zero))
    moved = layer.emit("Where", layer.emit("And", inexact, differs), layer.emit("Add", remainder, b), remainder)
    is_infinite = layer.emit("Equal", layer.emit("Abs", b), layer.like(np.inf, b))
    return layer.emit("Where", is_infinite, layer.like(np.nan, moved), moved)


@writes(comparison.NotEqual)
def not_equal(layer: Layer) -> str:
    """Return Not of Equal."""
    return layer.emit("Not", layer.emit("Equal", *aligned(layer, (0, 1))))


@writes(tests.IsInf)
def is_inf(layer: Layer) -> str:
    """Return IsInf with its signs."""
    operation = layer.operation
    return layer.emit(
        "IsInf",
        layer.inputs[0],
        detect_negative=int(operation.detect_negative),
        detect_positive=int(operation.detect_positive),
    )


@writes(tests.IsFinite)
def is_finite(layer: Layer) -> str:
    """Return whether the number is neither infinite nor NaN."""
    value = layer.inputs[0]
    return layer.emit("Not", layer.emit("Or", layer.emit("IsInf", value), layer.emit("IsNaN", value)))


def _logical(op: str) -> Write:
    """Return a writer of a node with two broadcast truth values."""

    def write(layer: Layer) -> str:
        return layer.emit(op, *(layer.cast(value, ElementType.boolean) for value in aligned(layer, (0, 1))))

    return write


writes(logic.LogicalAnd)(_logical("And"))
writes(logic.LogicalOr)(_logical("Or"))
writes(logic.LogicalXor)(_logical("Xor"))
writes(logic.Xor)(_logical("Xor"))


@writes(LogicalNot)
def logical_not(layer: Layer) -> str:
    """Return Not."""
    return layer.emit("Not", layer.cast(layer.inputs[0], ElementType.boolean))


def _bitwise(op: str) -> Write:
    """Return a writer of an operator of bits, or of truth values."""

    def write(layer: Layer) -> str:
        operands = aligned(layer, (0, 1))
        is_boolean = layer.type_of(operands[0]) is ElementType.boolean
        return layer.emit(op if is_boolean else f"Bitwise{op}", *operands)

    return write


writes(bits.BitwiseAnd)(_bitwise("And"))
writes(bits.BitwiseOr)(_bitwise("Or"))
writes(bits.BitwiseXor)(_bitwise("Xor"))


@writes(BitwiseNot)
def bitwise_not(layer: Layer) -> str:
    """Return the complement of the bits, or of truth values."""
    value = layer.inputs[0]
    return layer.emit("Not" if layer.type_of(value) is ElementType.boolean else "BitwiseNot", value)


def _shift(direction: str) -> Write:
    """Return a writer of a shift by the low bits of the second operand."""

    def write(layer: Layer) -> str:
        value, count = aligned(layer, (0, 1))
        element_type = layer.type_of(value)
        unsigned = unsigned_of(element_type)
        bits = max(element_type.bits, 32)
        count = layer.cast(layer.emit("BitwiseAnd", count, layer.like(bits - 1, count)), unsigned)
        limit = layer.constant(element_type.bits, unsigned)
        beyond = layer.emit("GreaterOrEqual", count, limit)
        inside = layer.emit("Where", beyond, layer.constant(0, unsigned), count)
        flips = direction == "RIGHT" and element_type.kind == "int"
        source = (
            layer.emit("Where", below_zero(layer, value), layer.emit("BitwiseNot", value), value) if flips else value
        )
        shifted = layer.emit("BitShift", layer.cast(source, unsigned), inside, direction=direction)
        shifted = layer.cast(layer.emit("Where", beyond, layer.constant(0, unsigned), shifted), element_type)
        if not flips:
            return shifted
        return layer.emit("Where", below_zero(layer, value), layer.emit("BitwiseNot", shifted), shifted)

    return write


writes(bits.BitwiseLeftShift)(_shift("LEFT"))
writes(bits.BitwiseRightShift)(_shift("RIGHT"))


def unsigned_of(element_type: ElementType) -> ElementType:
    """Return the unsigned type of as many bits."""
    unsigned = ElementType.from_name(f"u{element_type.bits}")
    if unsigned is None:
        raise NotExpressibleError(f"{element_type.name} has no bits to shift")
    return unsigned


def below_zero(layer: Layer, value: str) -> str:
    """Write a comparison with 0, and return the name of its output: true for negative elements."""
    return layer.emit("Less", value, layer.like(0, value))


@writes(Select)
def select(layer: Layer) -> str:
    """Return Where."""
    cond, then, otherwise = aligned(layer, (0, 1, 2), to=1)
    return layer.where(cond, then, otherwise)


@writes(CumProd)
def cum_prod(layer: Layer) -> str:
    """Return CumProd."""
    operation = layer.operation
    axis = layer.reshape(layer.inputs[1]) if layer.rank(1) else layer.inputs[1]
    return layer.emit(
        "CumProd", layer.inputs[0], axis, exclusive=int(operation.exclusive), reverse=int(operation.reverse)
    )


@writes(CumSum)
def cum_sum(layer: Layer) -> str:
    """Return CumSum; without an axis along the first one."""
    operation = layer.operation
    axis = layer.inputs[1] if layer.has(1) else layer.constant(0)
    if layer.rank() == 0:
        value = layer.inputs[0]
        return layer.like(0, value) if operation.exclusive else value
    if layer.has(1) and layer.rank(1):
        axis = layer.reshape(axis)
    return layer.emit(
        "CumSum", layer.inputs[0], axis, exclusive=int(operation.exclusive), reverse=int(operation.reverse)
    )
