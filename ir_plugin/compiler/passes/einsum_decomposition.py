"""Decomposes Einsum of two operands into MatMul, with Transpose and Reshape around it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes, index_constant
from ir_plugin.operations.base import Operation
from ir_plugin.operations.matrix.einsum import Einsum
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.matrix.subscripts import ELLIPSIS, Labels, parsed
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.shape.reshape import Reshape


@follows("known_value_folding")
class EinsumDecomposition(Pattern):
    """Decompose Einsum of two operands of f32 or f64 into MatMul, which attention fusion matches.

    A subscript must not repeat a label, a label must have one length, and one that is summed over must be in both.
    """

    roots = (Einsum,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        ops = _product(op) if len(op.inputs) == 2 else []
        if ops:
            rewriter.replace(op, ops)


def _product(op: Op) -> list[Op]:
    """Return the Transpose, Reshape and MatMul ops that compute an Einsum; an empty list where they cannot."""
    a, b = op.inputs
    equation = parsed(attributes(op, Einsum).equation)
    left, right = equation.inputs
    lengths = None if a is None or b is None else _lengths((left, right), (a, b))
    if a is None or b is None or lengths is None or a.element_type.name not in ("f32", "f64"):
        return []
    output = equation.output
    batch = [label for label in left if label in right and label in output]
    summed = [label for label in left if label in right and label not in output]
    rows, columns = ([label for label in own if label not in (*batch, *summed)] for own in (left, right))
    if {*batch, *rows, *columns} != {*output}:
        return []
    builder = _MatMulBuilder(op, lengths)
    left_matrices, transpose_a = builder.matrices(a, left, batch, rows, summed)
    right_matrices, is_summed_first = builder.matrices(b, right, batch, columns, summed)
    product = builder.product(left_matrices, right_matrices, transpose_a, not is_summed_first)
    builder.finish(product, [*batch, *rows, *columns], output)
    return builder.ops


def _lengths(subscripts: Sequence[Labels], values: Sequence[Value]) -> dict[str, int] | None:
    """Return the length of each label, or None where lengths differ or a subscript repeats a label."""
    lengths: dict[str, int] = {}
    for labels, value in zip(subscripts, values, strict=True):
        if ELLIPSIS in labels or value.shape is None or len({*labels}) != len(labels) or 0 in value.shape:
            return None
        for label, length in zip(labels, value.shape, strict=True):
            if lengths.setdefault(label, length) != length:
                return None
    return lengths


class _MatMulBuilder:
    """Builds the ops that replace an Einsum."""

    def __init__(self, op: Op, lengths: dict[str, int]) -> None:
        self.ops: list[Op] = []
        self._op = op
        self._lengths = lengths

    def matrices(
        self, value: Value, labels: Labels, batch: list[str], own: list[str], summed: list[str]
    ) -> tuple[Value, bool]:
        """Return an operand as batched matrices [batch, own, summed], and whether they are transposed.

        They are [batch, summed, own] where the operand has that order already.
        """
        is_transposed = [*labels] == [*batch, *summed, *own] and bool(summed) and bool(own)
        sides = (summed, own) if is_transposed else (own, summed)
        ordered = self._transposed(value, labels, [*batch, *sides[0], *sides[1]])
        shape = [*(self._lengths[label] for label in batch), *map(self._size, sides)]
        return self._reshaped(ordered, shape), is_transposed

    def product(self, a: Value, b: Value, transpose_a: bool, transpose_b: bool) -> Value:
        """Return the product of two batched matrices."""
        rows, columns = (a.shape or ())[-1 if transpose_a else -2], (b.shape or ())[-2 if transpose_b else -1]
        operation = MatMul(transpose_a=transpose_a, transpose_b=transpose_b)
        return self._add(operation, [a, b], (*(a.shape or ())[:-2], rows, columns))

    def finish(self, product: Value, labels: Sequence[str], output: Labels) -> None:
        unflattened = self._reshaped(product, [self._lengths[label] for label in labels])
        last = self._transposed(unflattened, labels, output)
        (producer,) = (op for op in self.ops if op.outputs[0] is last)
        producer.outputs = self._op.outputs

    def _size(self, labels: Sequence[str]) -> int:
        return prod(self._lengths[label] for label in labels)

    def _transposed(self, value: Value, labels: Sequence[str], order: Sequence[str]) -> Value:
        if [*labels] == [*order]:
            return value
        axes = [[*labels].index(label) for label in order]
        shape = tuple(self._lengths[label] for label in order)
        return self._add(Transpose(), [value, index_constant(axes)], shape)

    def _reshaped(self, value: Value, shape: Sequence[int]) -> Value:
        if value.shape == tuple(shape):
            return value
        return self._add(Reshape(special_zero=False), [value, index_constant(shape)], tuple(shape))

    def _add(self, operation: Operation, inputs: list[Value | None], shape: tuple[int, ...]) -> Value:
        output = Value(self._op.outputs[0].element_type, shape)
        self.ops.append(Op(operation, inputs, [output], list(self._op.nodes)))
        return output
