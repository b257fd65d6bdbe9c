"""Arithmetic of two operands. Integers wrap as C's do."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.elementwise import Binary
from ir_plugin.tensors import Array


class Add(Binary, version=1):
    """The sum. Specification: arithmetic/Add-1."""

    ufunc = np.add

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array]:
        """Return the sums of both ends."""
        return a + b, a_max + b_max


class Subtract(Binary, version=1):
    """The difference. Specification: arithmetic/Subtract-1."""

    ufunc = np.subtract

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array]:
        """Return the differences of opposite ends."""
        return a - b_max, a_max - b


class Multiply(Binary, version=1):
    """The product. Specification: arithmetic/Multiply-1."""

    ufunc = np.multiply

    def corners(self, a: Array, a_max: Array, b: Array, b_max: Array) -> tuple[Array, Array]:
        """Return the extremes of the products of all ends."""
        products = [a * b, a * b_max, a_max * b, a_max * b_max]
        return np.minimum.reduce(products), np.maximum.reduce(products)
