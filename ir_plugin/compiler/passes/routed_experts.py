"""Lets the products of a mixture of experts skip the rows that are not routed to an expert."""

from __future__ import annotations

from collections.abc import Iterator

from ir_plugin.compiler.compressed_ops import BatchedMatMulCompressed, RoutedMatMul, RoutedMatMulCompressed
from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.matching import commuted_operands, number_of, producer_of, single_use_producer
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes
from ir_plugin.compiler.shapes.symbolic import length_of, number, rank_of, static_length
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.gelu import Gelu
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.activation.unary import Relu, Sigmoid
from ir_plugin.operations.arithmetic.binary import Add, Multiply
from ir_plugin.operations.arithmetic.unary import Tanh
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.movement.concat import Concat
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.scatter_elements_update import ScatterElementsUpdate
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.reduction.reducing import ReduceSum
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.shape.unsqueeze import Unsqueeze

_ELEMENTWISE = (Swish, Gelu, Relu, Sigmoid, Tanh, Clamp, Multiply, Add)
_MOVING = (Unsqueeze, Reshape, Transpose)


@follows("activation_fusion")
class RoutedExperts(Pattern):
    """Let the products of experts skip the rows whose routing weights are zero, as OpenVINO's GatherMatmul does.

    A mixture multiplies all rows by all experts' matrices [E, N, K], the results by routing weights, which are
    scattered into zeros, and sums over the experts. Skipped rows are 0, also where an expert's result is NaN.
    Every value in between has one reader; a product of other rows than those with routing weights computes all of them.
    """

    roots = (ReduceSum,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        weighted = single_use_producer(op.inputs[0], Multiply) if number_of(op.inputs[1]) == 0 else None
        for experts, routing in commuted_operands(weighted) if weighted is not None else []:
            chain = _chain(experts, routing)
            if weighted is not None and chain:
                routed = [_routed(item, routing) or item for item in chain]
                rewriter.replace(weighted, [*routed, weighted], chain)
                break


def _chain(experts: Value, routing: Value) -> list[Op]:
    """Return the ops in order from the first products of experts to those that the routing weights multiply."""
    last = single_use_producer(experts)
    product = single_use_producer(last.inputs[0]) if last is not None and last.is_a(Reshape) else last
    if last is None or product is None or not _is_product(product) or not _is_row_by_row(experts, routing, product):
        return []
    chain = [*_preceding(product.inputs[0]), product]
    return chain if last is product else [*chain, last]


def _preceding(value: Value | None) -> Iterator[Op]:
    """Yield the products and elementwise ops that compute a value and nothing else, each after its operands."""
    op = single_use_producer(value)
    if op is None or not (_is_product(op) or op.is_a(*_ELEMENTWISE)):
        return
    if not _is_product(op):
        for operand in op.inputs:
            yield from _preceding(operand)
    yield op


def _is_product(op: Op) -> bool:
    """Return whether an op multiplies matrices by a batch of constant matrices."""
    data = op.inputs[0]
    if rank_of(data) != 3 or op.outputs[0].element_type.name != "f32":
        return False
    if op.is_a(BatchedMatMulCompressed):
        return True
    weights = op.inputs[1] if op.is_a(MatMul) else None
    if weights is None or weights.constant is None or weights.constant.ndim != 3 or weights.constant.shape[0] < 2:
        return False
    return not attributes(op, MatMul).transpose_a and data is not None and data.constant is None


def _is_row_by_row(experts: Value, routing: Value, product: Op) -> bool:
    """Return whether each row of the experts' products has one routing weight, in the same order."""
    rank, output = rank_of(experts), product.outputs[0]
    if rank is None or rank < 3 or rank_of(routing) != rank or not _is_scattered(routing):
        return False
    count, width = (length_of(output, axis) for axis in (0, 2))
    if length_of(experts, 0) != count or length_of(experts, rank - 1) != width:
        return False
    if length_of(routing, 0) != count or length_of(routing, rank - 1) != number(1):
        return False
    return all(_is_same_length(experts, routing, axis) for axis in range(1, rank - 1))


def _is_scattered(routing: Value) -> bool:
    """Return whether routing weights are scattered into a tensor."""
    op = producer_of(routing)
    while op is not None and op.is_a(*_MOVING):
        op = producer_of(op.inputs[0])
    return op is not None and op.is_a(ScatterElementsUpdate)


def _is_same_length(left: Value, right: Value, axis: int) -> bool:
    """Return whether two values have the same length along an axis, or are reshaped to the same."""
    if length_of(left, axis) == length_of(right, axis):
        return True
    target = _target(left, axis)
    return target is not None and target == _target(right, axis)


def _target(value: Value, axis: int) -> tuple[Value | None, int] | None:
    """Return the element of a Reshape's shape for an axis: a value and an index, or None and a constant."""
    op = producer_of(value)
    if op is not None and op.is_a(Unsqueeze) and number_of(op.inputs[1]) in (-1, (rank_of(value) or 0) - 1):
        op = producer_of(op.inputs[0])
    shape = op.inputs[1] if op is not None and op.is_a(Reshape) else None
    if shape is not None and shape.constant is not None:
        return _element(shape, axis)
    joined = producer_of(shape, Concat)
    if joined is None:
        return None
    for part in joined.inputs:
        count = None if part is None else static_length(part, 0)
        if part is None or count is None:
            return None
        if axis < count:
            return _element(part, axis)
        axis -= count
    return None


def _element(part: Value, index: int) -> tuple[Value | None, int] | None:
    """Return an element of a part of a shape; a gathered length as the value whose length it is, and the axis."""
    gather = producer_of(part, Gather)
    shape = None if gather is None else producer_of(gather.inputs[0], ShapeOf)
    axes = None if gather is None or gather.inputs[1] is None else gather.inputs[1].constant
    if shape is not None and axes is not None:
        return shape.inputs[0], int(axes.reshape(-1)[index])
    if part.constant is None:
        return part, index
    length = int(part.constant.reshape(-1)[index])
    return (None, length) if length else None


def _routed(op: Op, routing: Value) -> Op | None:
    """Return the product that skips rows in place of a product; None for any other op."""
    if not _is_product(op):
        return None
    if op.is_a(MatMul):
        return Op(RoutedMatMul(product=op.operation), [*op.inputs, routing], op.outputs, op.nodes)
    batched = attributes(op, BatchedMatMulCompressed)
    fused = RoutedMatMulCompressed(weights=batched.weights, transposed=batched.transposed)
    return Op(fused, [op.inputs[0], routing], op.outputs, op.nodes)
