"""Logical operations of two booleans."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.elementwise import Binary


class LogicalAnd(Binary, version=1):
    """Whether both operands are true. Specification: logical/LogicalAnd-1."""

    kinds = ("boolean",)
    ufunc = np.logical_and


class LogicalOr(Binary, version=1):
    """Whether at least one operand is true. Specification: logical/LogicalOr-1."""

    kinds = ("boolean",)
    carriers = "all"
    ufunc = np.logical_or


class LogicalXor(Binary, version=1):
    """Whether exactly one operand is true. Specification: logical/LogicalXor-1."""

    kinds = ("boolean",)
    ufunc = np.logical_xor


class Xor(LogicalXor, version=1):
    """As LogicalXor-1, under the name of opset1's table."""
