"""Elementwise functions of NumPy in place, on blocks of f32 or f64 that fit a cache, where one ufunc does not do."""

from __future__ import annotations

import math
import threading

import numpy as np

from ir_plugin.tensors import Array

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


def prelu(x: Array, slope: Array, out: Array) -> None:
    """Fill `out` with x times its slope where x is negative.

    The factors, slopes or 1, are selected by arithmetic of their bits; `np.where` takes 4 times as long.
    """
    bits = np.dtype(f"i{x.itemsize}")
    ones = np.ones((), x.dtype).view(bits)
    factor = np.less(x, 0).astype(bits)
    factor *= slope.view(bits) - ones
    factor += ones
    np.multiply(x, factor.view(x.dtype), out=out)


def clip(x: Array, low: float, high: float) -> None:
    """Limit x to [low, high]."""
    np.clip(x, low, high, out=x)


def relu(x: Array, _low: float = 0, _high: float = math.inf) -> None:
    """Limit x to [0, ∞), in half of the time of `clip`."""
    np.maximum(x, 0, out=x)


def sigmoid(x: Array) -> None:
    """Change x to 1 / (1 + exp(-x)), which keeps all digits of tiny results; (1 + tanh(x / 2)) / 2 does not."""
    np.negative(x, out=x)
    np.exp(x, out=x)
    np.add(x, 1, out=x)
    np.reciprocal(x, out=x)


def hsigmoid(x: Array) -> None:
    """Change x to min(max(x + 3, 0), 6) / 6."""
    np.add(x, 3, out=x)
    np.clip(x, 0, 6, out=x)
    np.multiply(x, x.dtype.type(1 / 6), out=x)


def hswish(x: Array) -> None:
    """Change x to x min(max(x + 3, 0), 6) / 6."""
    scaled_hswish(x, 1)


def scaled_hswish(x: Array, scale: float) -> None:
    """Change x to its HSwish times a number, in the time of HSwish alone."""
    (gate,) = _SCRATCH.arrays(1, x)
    np.add(x, x.dtype.type(3), out=gate)
    np.clip(gate, 0, 6, out=gate)
    np.multiply(gate, x.dtype.type(scale / 6), out=gate)
    np.multiply(x, gate, out=x)


def swish(x: Array) -> None:
    """Change x to x / (1 + exp(-x)), which keeps the digits of results below zero; x / 2 (1 + tanh(x / 2)) does not."""
    (divisor,) = _SCRATCH.arrays(1, x)
    np.negative(x, out=divisor)
    np.exp(divisor, out=divisor)
    np.add(divisor, 1, out=divisor)
    np.divide(x, divisor, out=x)


def elu(x: Array, alpha: float) -> None:
    """Change negative numbers to alpha (exp(x) - 1)."""
    negative = np.asarray(np.minimum(x, 0))
    np.expm1(negative, out=negative)
    np.multiply(negative, x.dtype.type(alpha), out=negative)
    np.maximum(x, 0, out=x)
    np.add(x, negative, out=x)


def gelu(x: Array) -> None:
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


def gelu_by_tanh(x: Array) -> None:
    """Change x to x (1 + tanh(u)) / 2 with u = √(2/π) (x + 0.044715 x³)."""
    inner = np.asarray(x * x)
    np.multiply(inner, x.dtype.type(0.044715), out=inner)
    np.add(inner, 1, out=inner)
    np.multiply(inner, x, out=inner)
    np.multiply(inner, x.dtype.type(math.sqrt(2 / math.pi)), out=inner)
    np.tanh(inner, out=inner)
    np.add(inner, 1, out=inner)
    np.multiply(x, 0.5, out=x)
    np.multiply(x, inner, out=x)


def erf(x: Array) -> None:
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
