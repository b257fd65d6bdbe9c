"""Activation functions without attributes."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.elementwise import RealUnary, Unary
from ir_plugin.tensors import Array


class Exp(RealUnary, version=1):
    """The exponential function. Specification: activation/Exp-1."""

    ufunc = np.exp


class Relu(Unary, version=1):
    """The number, or 0 where it is negative; NaN stays. Specification: activation/ReLU-1.

    OpenVINO's CPU differs: NaN becomes 0. Example: NaN gives NaN; the CPU gives 0.
    """

    def apply(self, data: Array) -> Array:
        """Return max(data, 0)."""
        result: Array = np.maximum(data, 0)
        return result


class Sigmoid(RealUnary, version=1):
    """1 / (1 + exp(-x)). Specification: activation/Sigmoid-1."""

    def real(self, data: Array) -> Array:
        """Return the function of floating-point numbers."""
        result: Array = 1 / (1 + np.exp(-data))
        return result


class HSwish(RealUnary, version=4):
    """x · min(max(x + 3, 0), 6) / 6. Specification: activation/HSwish-4."""

    def real(self, data: Array) -> Array:
        """Return the function of floating-point numbers."""
        result: Array = data * (np.clip(data + 3, 0, 6) / 6)
        return result


class HSigmoid(RealUnary, version=5):
    """min(max(x + 3, 0), 6) / 6. Specification: activation/HSigmoid-5."""

    def real(self, data: Array) -> Array:
        """Return the function of floating-point numbers."""
        result: Array = np.clip(data + 3, 0, 6) / 6
        return result


class SoftPlus(RealUnary, version=4):
    """log(1 + exp(x)), computed without overflow. Specification: activation/SoftPlus-4."""

    kinds = ("float",)

    def real(self, data: Array) -> Array:
        """Return the function of floating-point numbers."""
        result: Array = np.maximum(data, 0) + np.log1p(np.exp(-np.abs(data)))
        return result


class Mish(RealUnary, version=4):
    """x · tanh(log(1 + exp(x))). Specification: activation/Mish-4."""

    kinds = ("float",)

    def real(self, data: Array) -> Array:
        """Return the function of floating-point numbers, tanh(log(1 + e)) as e (e + 2) / (e (e + 2) + 2)."""
        grown = np.exp(np.minimum(data, 20))
        grown *= grown + 2
        result: Array = data * np.where(data > 20, 1, grown / (grown + 2)).astype(data.dtype)
        return result


class SoftSign(RealUnary, version=9):
    """x / (1 + |x|). Specification: activation/SoftSign-9."""

    kinds = ("float",)

    def real(self, data: Array) -> Array:
        """Return the function of floating-point numbers."""
        result: Array = data / (1 + np.abs(data))
        return result
