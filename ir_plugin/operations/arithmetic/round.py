"""Round: the nearest whole numbers. Specification: arithmetic/Round-5."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.elementwise import Unary
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.tensors import Array


class Round(Unary, version=5):
    """The nearest whole number; halves are rounded to the even one or away from zero, by `mode`."""

    kinds = ("number", "boolean")

    mode: str

    def ranges_for(self, needed: Range, _: KnownInputs) -> Ranges:
        """Return the range that the operand needs for the result to be in a range."""
        return {0: needed}

    def apply(self, data: Array) -> Array:
        """Return the numbers rounded."""
        result: Array
        if data.dtype.kind not in "fV":
            return data
        if self.mode == "half_to_even":
            result = np.rint(data)
            return result
        whole = np.trunc(data)
        result = whole + np.copysign(np.abs(data - whole) >= 0.5, data).astype(data.dtype)
        return np.where(np.isinf(data), data, result)
