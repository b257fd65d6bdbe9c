"""Logical operations of one boolean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.operations.elementwise import Unary
from ir_plugin.tensors import Bounds


class LogicalNot(Unary, version=1):
    """Whether the operand is false. Specification: logical/LogicalNot-1.

    Differs from the page: `data` may be numbers, of which 0 is false; results have their type.
    Example: [0, 3] of f32 gives [1, 0].
    """

    kinds = ("boolean",)
    accepted = ("number",)
    ufunc = np.logical_not

    def infer_bounds(self, *inputs: Bounds | None) -> Sequence[Bounds | None]:
        """Return the negated bounds."""
        (data,) = inputs
        return [] if data is None else [Bounds(np.logical_not(data.upper), np.logical_not(data.lower))]
