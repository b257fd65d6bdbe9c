"""Bitwise operations of one operand."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.elementwise import Unary


class BitwiseNot(Unary, version=13):
    """The complement of every bit, or the negation of booleans. Specification: bitwise/BitwiseNot-13."""

    kinds = ("integer", "boolean")
    ufunc = np.invert
