"""Elu: the exponential linear unit. Specification: activation/Elu-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.elementwise import RealUnary
from ir_plugin.tensors import Array


class Elu(RealUnary, version=1):
    """x where it is positive, alpha · (exp(x) - 1) elsewhere.

    Differs from the page: `data` may be boolean.
    Example: [true, false] gives [true, false].
    """

    accepted = ("boolean",)

    alpha: float

    def real(self, data: Array) -> Array:
        """Return the function of floating-point numbers."""
        result: Array = np.where(data > 0, data, data.dtype.type(self.alpha) * np.expm1(np.minimum(data, 0)))
        return result
