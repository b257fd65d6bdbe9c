"""Activations that a graph spells out, in the compiler's graph and in models alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ir_plugin.compiler.matching import (
    EXACT,
    AnyOp,
    AnyValue,
    ValueT,
    commuted_operands,
    is_near,
    number_beside,
    producer_of,
    product_of,
    scaled,
    single_use_producer,
    with_number,
)  # fmt: skip
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.gelu import Gelu
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.activation.unary import HSigmoid, HSwish, Sigmoid
from ir_plugin.operations.arithmetic.binary import Add, Maximum, Minimum, Multiply, Power
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.arithmetic.unary import Erf, Tanh
from ir_plugin.operations.base import Operation, OperationClass

LAST_OPS = (Multiply, Divide)
"""Operations with which a spelled activation ends."""


def fused_activation(op: AnyOp[ValueT], tolerance: float = EXACT) -> tuple[Operation, ValueT] | None:
    """Return the activation that ends with an op, and its data x; None for any other op.

    These are x * sigmoid(x), x * clip(x + 3, 0, 6) / 6, clip(x + 3, 0, 6) / 6, x * (1 + erf(x / √2)) / 2, and
    x * (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2. All parts read one x, and no number raises its rank; numbers may
    differ by `tolerance`. Others may read the parts, but not the HSigmoid of an HSwish.
    """
    for operation, match in _PATTERNS:
        source = match(op, tolerance)
        if source is not None:
            return operation, source
    return None


def _swish(op: AnyOp[ValueT], tolerance: float) -> ValueT | None:
    for x, gate_value in _factors(op):
        gate = producer_of(gate_value, Sigmoid)
        if gate is not None and (gate.sources[0] is x or _is_same(gate.sources[0], x, tolerance)):
            return x
    return None


def _is_same(value: AnyValue[Any] | None, x: AnyValue[Any], tolerance: float) -> bool:
    """Return whether a value is x times 1, as Paddle writes the gate of a swish with factor 1."""
    product = scaled(producer_of(value))
    return product is not None and product[0] is x and is_near(product[1], 1, tolerance)


def _hsigmoid(op: AnyOp[ValueT], tolerance: float) -> ValueT | None:
    clipped = _divided_by_6(op, tolerance)
    return None if clipped is None else _clipped(clipped)


def _hswish(op: AnyOp[ValueT], tolerance: float) -> ValueT | None:
    """Return x of x * (clip / 6) or (x * clip) / 6; x / 6 * clip is rare and not matched."""
    for x, factor in _factors(op):
        gate, fused = producer_of(factor), single_use_producer(factor, HSigmoid)
        if (gate is not None and _hsigmoid(gate, tolerance) is x) or (fused is not None and fused.sources[0] is x):
            return x
    product = _divided_by_6(op, tolerance)
    if product is None or product.producer is None:
        return None
    for x, factor in _factors(product.producer):
        if _clipped(factor) is x:
            return x
    return None


def _divided_by_6(op: AnyOp[ValueT], tolerance: float) -> ValueT | None:
    """Return the value that an op divides by 6, or multiplies by 1 / 6."""
    for dividend, factor in _factors(op):
        if is_near(number_beside(dividend, factor), 1 / 6, tolerance):
            return dividend
    if op.is_a(Divide) and is_near(number_beside(*op.sources), 6):
        return op.sources[0]
    return None


def _clipped(value: ValueT) -> ValueT | None:
    """Return x of clip(x + 3, 0, 6)."""
    clamp = producer_of(value, Clamp)
    inner: ValueT | None
    if clamp is not None:
        inner = clamp.sources[0] if (clamp.operation.min, clamp.operation.max) == (0, 6) else None
    else:
        inner = _limited(_limited(value, Minimum, 6), Maximum, 0) or _limited(_limited(value, Maximum, 0), Minimum, 6)
    return _limited(inner, Add, 3)


def _limited(value: ValueT | None, definition: OperationClass, number: float) -> ValueT | None:
    """Return the operand that the producer of a value, this operation, combines with this number."""
    producer = producer_of(value, definition)
    pairs: list[tuple[ValueT, ValueT]] = [] if producer is None else commuted_operands(producer)
    return next((operand for operand, limit in pairs if is_near(number_beside(operand, limit), number)), None)


def _factors(op: AnyOp[ValueT]) -> list[tuple[ValueT, ValueT]]:
    return commuted_operands(op) if op.is_a(Multiply) else []


def _gelu(op: AnyOp[ValueT], tolerance: float) -> ValueT | None:
    """Return x of x * (1 + erf(x / √2)) / 2, in any order of the factors."""
    for x, erf in _gated(op, Erf):
        argument = scaled(producer_of(erf.sources[0]))
        if argument is not None and argument[0] is x and is_near(argument[1], math.sqrt(0.5), tolerance):
            return x
    return None


def _gelu_by_tanh(op: AnyOp[ValueT], tolerance: float) -> ValueT | None:
    """Return x of x * (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, in any order of the factors."""
    for x, tanh in _gated(op, Tanh):
        product = producer_of(tanh.sources[0])
        factors, number = product_of(product) if product is not None else ([], 0)
        if is_near(number, math.sqrt(2 / math.pi), tolerance) and _is_cubic(factors, x, tolerance):
            return x
    return None


def _gated(op: AnyOp[ValueT], definition: OperationClass) -> list[tuple[ValueT, AnyOp[ValueT]]]:
    """Return each x with the op f where an op is x * (1 + f(…)) / 2 with this operation as f."""
    factors, number = product_of(op)
    if len(factors) != 2 or not is_near(number, 0.5):
        return []
    matches = []
    for x, gate in (factors, factors[::-1]):
        total = with_number(producer_of(gate), Add)
        function = None if total is None or not is_near(total[1], 1) else producer_of(total[0], definition)
        if function is not None:
            matches.append((x, function))
    return matches


def _is_cubic(factors: list[ValueT], x: ValueT, tolerance: float) -> bool:
    """Return whether the product of factors is x + 0.044715 x³ or x * (1 + 0.044715 x²)."""
    outside = [value for value in factors if value is not x]
    total = producer_of(outside[0], Add) if len(outside) == 1 else None
    if total is None or len(factors) > 2:
        return False
    for addend, cubic in commuted_operands(total):
        linear = addend is x if len(factors) == 1 else is_near(number_beside(cubic, addend), 1)
        product = producer_of(cubic)
        inner, number = product_of(product) if linear and product is not None else ([], 0)
        if is_near(number, 0.044715, tolerance) and _degree(inner, x) == (3 if len(factors) == 1 else 2):
            return True
    return False


def _degree(factors: list[ValueT], x: ValueT) -> float:
    """Return the power of x that the product of factors is, or NaN where it is none."""
    degree = 0.0
    for value in factors:
        power = producer_of(value, Power)
        if value is x:
            degree += 1
        elif power is not None and power.sources[0] is x:
            degree += number_beside(x, power.sources[1]) or math.nan
        elif (square := producer_of(value, Multiply)) is not None and square.sources == [x, x]:
            degree += 2
        else:
            return math.nan
    return degree


_PATTERNS: tuple[tuple[Operation, Callable[[Any, float], Any]], ...] = (
    (Swish(), _swish),
    (HSwish(), _hswish),
    (HSigmoid(), _hsigmoid),
    (Gelu(approximation_mode="erf"), _gelu),
    (Gelu(approximation_mode="tanh"), _gelu_by_tanh),
)
