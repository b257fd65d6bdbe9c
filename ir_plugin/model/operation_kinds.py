"""Kinds of operations, as names for annotations."""

from __future__ import annotations

from ir_plugin.errors import ArgumentTypeError


class _Kind:
    """A kind of operations, as a name for annotations; nodes are built by the functions of an opset."""

    def __init__(self) -> None:
        raise ArgumentTypeError(
            f"{type(self).__name__} is a kind of operations; build a node with a function of an opset"
        )


class ArithmeticReduction(_Kind):
    """Reductions of numbers, such as ReduceSum."""


class BinaryElementwiseArithmetic(_Kind):
    """Arithmetic of two tensors, such as Add."""


class BinaryElementwiseComparison(_Kind):
    """Comparisons of two tensors, such as Less."""


class BinaryElementwiseLogical(_Kind):
    """Logic of two tensors, such as LogicalAnd."""


class IndexReduction(_Kind):
    """Reductions to an index."""


class UnaryElementwiseArithmetic(_Kind):
    """Functions of one tensor, such as Exp."""
