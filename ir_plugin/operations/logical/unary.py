"""Logical operations of one boolean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.operations.elementwise import Unary
from ir_plugin.tensors import Bounds


class LogicalNot(Unary, version=1):
    """Whether the operand is false. Specification: logical/LogicalNot-1."""

    kinds = ("boolean",)
    ufunc = np.logical_not

    def infer_bounds(self, *inputs: Bounds | None) -> Sequence[Bounds | None]:
        """Return the negated bounds."""
        (data,) = inputs
        return [] if data is None else [Bounds(np.logical_not(data.upper), np.logical_not(data.lower))]
