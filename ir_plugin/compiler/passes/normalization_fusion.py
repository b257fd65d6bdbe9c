"""Fuses the ops of a decomposed normalization, which are means, difference, square and root, into one op."""

from __future__ import annotations

from abc import abstractmethod

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.matching import is_near, number_beside, producer_of, with_number
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes
from ir_plugin.operations.arithmetic.binary import Add, Multiply, Power, SquaredDifference, Subtract
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.arithmetic.unary import Sqrt
from ir_plugin.operations.normalization.mvn import MVN
from ir_plugin.operations.reduction.reducing import ReduceMean


class QuotientFusion(Pattern):
    """A fusion of what ends with a division by a root, or a multiplication by its inverse."""

    roots = (Divide, Multiply)
    fused: type[MVN]

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        for numerator, square in _quotients(op):
            parts = self.parts(numerator, square)
            if parts is not None:
                x, axes, eps = parts
                operation = self.fused(normalize_variance=True, eps=eps, eps_mode="inside_sqrt")
                rewriter.replace(op, [Op(operation, [x, axes], op.outputs, op.nodes)])
                return

    @abstractmethod
    def parts(self, numerator: Value, square: Value) -> tuple[Value, Value, float] | None:
        """Return the data, axes and eps of a normalization, a numerator divided by the root of a square."""


@follows("routed_experts")
class NormalizationFusion(QuotientFusion):
    """Fuse (x - mean(x)) / sqrt(mean((x - mean(x))²) + eps) into MVN; a later pass fuses scale and offset.

    Means keep the same constant axes, and numbers the rank of x; others may read the parts.
    """

    fused = MVN

    def parts(self, numerator: Value, square: Value) -> tuple[Value, Value, float] | None:
        centre, variance = _difference(numerator), with_number(producer_of(square), Add)
        if centre is None or variance is None or centre[0].element_type.name not in ("f32", "f64"):
            return None
        x, axes = centre
        mean = mean_of(variance[0])
        is_variance = mean is not None and _same_axes(mean[1], axes) and _is_square_of(mean[0], x, axes)
        return (x, axes, variance[1]) if is_variance else None


def _quotients(op: Op) -> list[tuple[Value, Value]]:
    """Return each numerator and squared denominator of an op that divides by a root, or multiplies by its inverse."""
    left, right = [*op.inputs, None, None][:2]
    if left is None or right is None:
        return []
    if op.is_a(Divide):
        square = _under_root(right, 0.5)
        return [] if square is None else [(left, square)]
    matches = []
    for data, factor in ((left, right), (right, left)):
        square = _under_root(factor, -0.5)
        if square is not None:
            matches.append((data, square))
    return matches


def _under_root(value: Value, exponent: float) -> Value | None:
    """Return x of a value x ** `exponent`, which is 0.5 or -0.5."""
    power, root, inverse = (producer_of(value, definition) for definition in (Power, Sqrt, Divide))
    if power is not None and is_near(number_beside(power.inputs[0], power.inputs[1]), exponent):
        return power.inputs[0]
    if root is not None and exponent > 0:
        return root.inputs[0]
    if inverse is not None and exponent < 0 and is_near(number_beside(inverse.inputs[1], inverse.inputs[0]), 1):
        root = producer_of(inverse.inputs[1], Sqrt)
        return None if root is None else root.inputs[0]
    return None


def _difference(value: Value | None) -> tuple[Value, Value] | None:
    """Return x and the axes of x - mean(x)."""
    op = producer_of(value, Subtract)
    x, subtrahend = (None, None) if op is None else op.inputs[:2]
    mean = mean_of(subtrahend)
    return (x, mean[1]) if x is not None and mean is not None and mean[0] is x else None


def mean_of(value: Value | None) -> tuple[Value, Value] | None:
    """Return the data and the constant axes of a mean that keeps dimensions."""
    op = producer_of(value, ReduceMean)
    if op is None or not attributes(op, ReduceMean).keep_dims:
        return None
    data, axes = op.inputs[:2]
    return (data, axes) if data is not None and axes is not None and axes.constant is not None else None


def _same_axes(a: Value, b: Value) -> bool:
    if a.constant is None or b.constant is None:
        return False
    return bool(a.constant.reshape(-1).tolist() == b.constant.reshape(-1).tolist())


def _is_square_of(value: Value, x: Value, axes: Value) -> bool:
    """Return whether a value is the square of x - mean(x) along the axes."""
    producer = producer_of(value)
    if producer is None or len(producer.inputs) != 2:
        return False
    base, operand = producer.inputs
    if producer.is_a(SquaredDifference):
        mean = mean_of(operand)
        return base is x and mean is not None and mean[0] is x and _same_axes(mean[1], axes)
    centre = _difference(base) if is_square(producer) else None
    return centre is not None and centre[0] is x and _same_axes(centre[1], axes)


def is_square(op: Op) -> bool:
    """Return whether an op multiplies its operand by itself, or raises it to the power of 2, and keeps its shape."""
    base, operand = [*op.inputs, None][:2]
    if op.is_a(Multiply):
        return base is operand
    return op.is_a(Power) and is_near(number_beside(base, operand), 2)
