"""Gelu: the Gaussian error linear unit. Specification: activation/GELU-7, GELU-2."""

from __future__ import annotations

import math

import numpy as np

from ir_plugin.operations.elementwise import RealUnary
from ir_plugin.operations.error_function import erfc
from ir_plugin.tensors import Array


class Gelu(RealUnary, version=7):
    """x · Φ(x), where Φ is the cumulative normal distribution, or the approximation of it by tanh.

    `approximation_mode` erf gives the exact function.
    """

    kinds = ("float",)

    approximation_mode: str

    def real(self, data: Array) -> Array:
        """Return the function of floating-point numbers."""
        result: Array
        if self.approximation_mode == "erf":
            result = 0.5 * data * erfc(data * data.dtype.type(-math.sqrt(0.5)))
            return result
        inner = math.sqrt(2 / math.pi) * (data + 0.044715 * data * data * data)
        result = 0.5 * data * (1 + np.tanh(inner))
        return result


class Gelu2(Gelu, version=2):
    """As Gelu-7, but always the exact function."""

    approximation_mode = "erf"
