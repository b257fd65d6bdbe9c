"""Elementwise operations in place, on blocks of f32 or f64 that fit a cache."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.elu import Elu
from ir_plugin.operations.activation.gelu import Gelu
from ir_plugin.operations.activation.prelu import PRelu
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.activation.unary import Exp, HSigmoid, HSwish, Relu, Sigmoid
from ir_plugin.operations.arithmetic.binary import Add, Maximum, Minimum, Multiply, Subtract
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.arithmetic.unary import (
    Abs,
    Ceiling,
    Cos,
    Erf,
    Floor,
    Log,
    Negative,
    Sin,
    Sqrt,
    Square,
    Tanh,
)
from ir_plugin.operations.base import Operation, OperationClass
from ir_plugin.operations.elementwise import Binary
from ir_plugin.operations.quantization.levels import QuantizeDequantize
from ir_plugin.operations.table import OperationTable
from ir_plugin.tensors import Array

InPlace: TypeAlias = "Callable[[Array], None]"
"""Applies a function to an array in place."""

_ERF = (1.12837971, 0.102765482, -1.84383488e-4, -6.25720324e-4, 8.9713061e-5, -5.98579732e-6, 1.58967949e-7)
"""atanh(erf(x)) / x by powers of x²; the error of erf is below 1.4e-7."""

GELU_QUOTIENT = (
    (
        -1.50599506e-12,
        3.06119941e-10,
        -4.64265104e-08,
        -2.51575617e-06,
        -6.49646074e-05,
        -0.00052230439,
        -0.00569080716,
    ),
    (-9.1037949e-07, -2.66717569e-05, -0.000420706744, -0.00368666458, -0.0142647391),
)
"""erf(x / √2) / 2x as a quotient of polynomials of x², from Eigen's erf(x) / x."""


class _Scratch(threading.local):
    """Scratch memory of a thread that is reused, as new memory costs a page fault for each 4 KB."""

    def __init__(self) -> None:
        self._memory = np.empty(0, np.float32)

    def arrays(self, count: int, like: Array) -> list[Array]:
        """Return uninitialized arrays of the shape and type of another."""
        shape, size = like.shape, like.size
        if count * size > SCRATCH_ELEMENTS or like.dtype != np.float32:
            return [np.empty(shape, like.dtype) for _ in range(count)]
        if self._memory.size < count * size:
            self._memory = np.empty(count * size, np.float32)
        return [self._memory[number * size : (number + 1) * size].reshape(shape) for number in range(count)]


SCRATCH_ELEMENTS = 2**20
"""The largest scratch memory that a thread keeps, in elements: room for three blocks of an epilogue."""

_SCRATCH = _Scratch()

_UFUNCS: OperationTable[np.ufunc] = OperationTable({
    Abs: np.abs, Negative: np.negative, Floor: np.floor, Ceiling: np.ceil, Sqrt: np.sqrt, Exp: np.exp, Log: np.log,
    Tanh: np.tanh, Sin: np.sin, Cos: np.cos, Square: np.square,
})  # fmt: skip

Combine: TypeAlias = "Callable[..., Any]"
"""Fills its keyword argument `out` from two operands, of which the first may be the same array.

NumPy deprecates a third positional argument of `maximum` and `minimum`.
"""


def _prelu(x: Array, slope: Array, out: Array) -> None:
    """Multiply by the slopes or by 1, selected by arithmetic of their bits; `np.where` takes 4 times as long."""
    bits = np.dtype(f"i{x.itemsize}")
    ones = np.ones((), x.dtype).view(bits)
    factor = np.less(x, 0).astype(bits)
    factor *= slope.view(bits) - ones
    factor += ones
    np.multiply(x, factor.view(x.dtype), out=out)


_BINARY: OperationTable[Combine] = OperationTable({
    Add: np.add, Subtract: np.subtract, Multiply: np.multiply, Divide: np.divide, Maximum: np.maximum,
    Minimum: np.minimum, PRelu: _prelu,
})  # fmt: skip


def can_follow(operation: Operation, inputs: int, dtype: np.dtype[np.generic]) -> bool:
    """Return whether an operation can be applied in place to arrays of a dtype (f32 or f64)."""
    if not operation.is_built_in:
        return False
    if inputs == 1:
        accurate = dtype == np.float32 or not operation.is_a(Erf, Gelu)
        return accurate and unary(operation) is not None
    if inputs != 2 or _BINARY.get(operation) is None:
        return False
    return not isinstance(operation, Binary) or operation.auto_broadcast == "numpy"


def binary(operation: Operation, operand_first: bool = False) -> Combine:
    """Return the function that fills its argument `out` with an elementwise operation of data and an operand.

    With `operand_first` the operand stands before the data.
    """
    compute = _BINARY[operation]
    return (lambda data, operand, out: compute(operand, data, out=out)) if operand_first else compute


def limits_of(operation: Operation) -> tuple[float, float] | None:
    """Return the numbers that an operation limits others to, if that is all that it does."""
    if isinstance(operation, Clamp):
        return operation.min, operation.max
    return (0.0, np.inf) if operation.is_a(Relu) else None


def unary(operation: Operation) -> InPlace | None:
    """Return the function that applies a unary operation in place; None where there is none."""
    ufunc = _UFUNCS.get(operation)
    if ufunc is not None:
        return lambda x: _in_place(ufunc, x)
    if isinstance(operation, Clamp):
        low, high = operation.min, operation.max
        return lambda x: _clip(x, low, high)
    if isinstance(operation, Elu):
        alpha = operation.alpha
        return lambda x: _elu(x, alpha)
    if isinstance(operation, Gelu):
        return _gelu if operation.approximation_mode == "erf" else _gelu_by_tanh
    if isinstance(operation, QuantizeDequantize):
        return operation.apply
    return _PLAIN.get(operation)


def _in_place(ufunc: np.ufunc, x: Array) -> None:
    ufunc(x, out=x)


def _clip(x: Array, low: float, high: float) -> None:
    np.clip(x, low, high, out=x)


def _relu(x: Array) -> None:
    np.maximum(x, 0, out=x)


def _sigmoid(x: Array) -> None:
    """Change x to 1 / (1 + exp(-x)), which keeps all digits of tiny results; (1 + tanh(x / 2)) / 2 does not."""
    np.negative(x, out=x)
    np.exp(x, out=x)
    np.add(x, 1, out=x)
    np.reciprocal(x, out=x)


def _hsigmoid(x: Array) -> None:
    np.add(x, 3, out=x)
    np.clip(x, 0, 6, out=x)
    np.multiply(x, x.dtype.type(1 / 6), out=x)


def _hswish(x: Array) -> None:
    scaled_hswish(x, 1)


def scaled_hswish(x: Array, scale: float) -> None:
    """Change x to its HSwish times a number, in the time of HSwish alone."""
    (gate,) = _SCRATCH.arrays(1, x)
    np.add(x, x.dtype.type(3), out=gate)
    np.clip(gate, 0, 6, out=gate)
    np.multiply(gate, x.dtype.type(scale / 6), out=gate)
    np.multiply(x, gate, out=x)


def _swish(x: Array) -> None:
    """Change x to x / (1 + exp(-x)), which keeps the digits of results below zero; x / 2 (1 + tanh(x / 2)) does not."""
    (divisor,) = _SCRATCH.arrays(1, x)
    np.negative(x, out=divisor)
    np.exp(divisor, out=divisor)
    np.add(divisor, 1, out=divisor)
    np.divide(x, divisor, out=x)


def _elu(x: Array, alpha: float) -> None:
    negative = np.asarray(np.minimum(x, 0))
    np.expm1(negative, out=negative)
    np.multiply(negative, x.dtype.type(alpha), out=negative)
    np.maximum(x, 0, out=x)
    np.add(x, negative, out=x)


def _gelu(x: Array) -> None:
    """Change x to x (1 + erf(x / √2)) / 2, within 1.2e-6, with erf as a quotient of polynomials of x².

    The quotient is faster than a form with tanh.
    """
    square, half, below = _SCRATCH.arrays(3, x)
    np.multiply(x, x, out=square)
    np.minimum(square, np.float32(32), out=square)
    _polynomial(square, GELU_QUOTIENT[0], half)
    _polynomial(square, GELU_QUOTIENT[1], below)
    np.divide(half, below, out=half)
    np.multiply(half, x, out=half)
    np.clip(half, np.float32(-0.5), np.float32(0.5), out=half)
    np.add(half, np.float32(0.5), out=half)
    np.multiply(x, half, out=x)


def _polynomial(x: Array, coefficients: tuple[float, ...], total: Array) -> None:
    """Fill `total` with a polynomial of x, whose coefficients start with the highest power."""
    np.multiply(x, np.float32(coefficients[0]), out=total)
    for coefficient in coefficients[1:-1]:
        np.add(total, np.float32(coefficient), out=total)
        np.multiply(total, x, out=total)
    np.add(total, np.float32(coefficients[-1]), out=total)


def _gelu_by_tanh(x: Array) -> None:
    inner = np.asarray(x * x)
    np.multiply(inner, x.dtype.type(0.044715), out=inner)
    np.add(inner, 1, out=inner)
    np.multiply(inner, x, out=inner)
    np.multiply(inner, x.dtype.type(math.sqrt(2 / math.pi)), out=inner)
    np.tanh(inner, out=inner)
    np.add(inner, 1, out=inner)
    np.multiply(x, 0.5, out=x)
    np.multiply(x, inner, out=x)


def erf_in_place(x: Array) -> None:
    """Change an array of f32 to its error function, within 1.4e-7, as tanh of an odd polynomial."""
    square = np.asarray(x * x)
    np.minimum(square, 25, out=square)
    total = np.asarray(square * np.float32(_ERF[-1]))
    for coefficient in _ERF[-2:0:-1]:
        np.add(total, np.float32(coefficient), out=total)
        np.multiply(total, square, out=total)
    np.add(total, np.float32(_ERF[0]), out=total)
    np.multiply(x, total, out=x)
    np.tanh(x, out=x)


def _erf(x: Array) -> None:
    erf_in_place(x)


_PLAIN: OperationTable[InPlace] = OperationTable(
    {Relu: _relu, Sigmoid: _sigmoid, HSigmoid: _hsigmoid, HSwish: _hswish, Swish: _swish, Erf: _erf}
)
ELEMENTWISE: tuple[OperationClass, ...] = (
    *_UFUNCS.definitions, *_BINARY.definitions, *_PLAIN.definitions, Clamp, Elu, Gelu, QuantizeDequantize,
)  # fmt: skip
"""Operations that have a function in place."""
