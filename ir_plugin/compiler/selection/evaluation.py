"""Direct evaluations: functions of arrays for ops without a kernel, with what the op fixes computed beforehand.

`operations.base.compute` converts types and rounds, and inference checks shapes that only a run decides, which may take
longer than the layer itself. What a direct evaluation does not accept raises, and the layer is then inferred and
evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.indexing import INDEXING
from ir_plugin.compiler.selection.kernel import NEGLIGIBLE_ELEMENTS, DirectEvaluation, FallbackRequired
from ir_plugin.compiler.shapes.symbolic import rank_of, static_length
from ir_plugin.operations.base import Operation
from ir_plugin.operations.condition.select import Select
from ir_plugin.operations.elementwise import Binary, RealUnary, Unary
from ir_plugin.operations.generation.range import Range
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.movement.broadcast import Broadcast
from ir_plugin.operations.movement.concat import Concat
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.gather_elements import GatherElements
from ir_plugin.operations.movement.slice import Slice, slices
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.shape.unsqueeze import Unsqueeze, inserted_axes
from ir_plugin.operations.table import OperationTable
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import Array, ElementType


def direct_evaluation(op: Op) -> DirectEvaluation | None:
    """Return the direct evaluation of an op with one output; None where its operation has to be evaluated."""
    operation = op.operation
    if not op.type or op.epilogue or len(op.outputs) != 1 or operation.computed_as_floats:
        return None
    for value in (*op.inputs, *op.outputs):
        if value is None or value.element_type.is_dynamic or value.element_type.is_low_bit or value.dtype.hasobject:
            return None
        if _is_small_float(value.element_type) and (operation.widen or op.is_a(Convert)):
            return None
    if isinstance(operation, Binary):
        return _binary(op, operation)
    if isinstance(operation, Unary):
        return _unary(op, operation)
    select = _DIRECT.get(op.operation)
    return None if select is None else select(op)


def may_evaluate(op: Op, operation: Operation) -> bool:
    """Return whether `operation.evaluate`, on inputs without conversion, equals inference and `compute`."""
    if not (operation.is_built_in or operation.is_internal) or operation.subgraphs:
        return False
    types = [None if value is None else value.element_type for value in op.inputs]
    if operation.widen and any(type is not None and _is_small_float(type) for type in types):
        return False
    floats = [types[position] for position in operation.computed_as_floats if position < len(types)]
    return all(type is None or type.is_floating for type in floats)


def _is_small_float(element_type: ElementType) -> bool:
    return element_type.is_floating and element_type.bits < 32


def _unary(op: Op, operation: Unary) -> DirectEvaluation | None:
    """Return the function of an op's elements, unless the operation does more."""
    own = type(operation)
    if own.evaluate is not Unary.evaluate:
        return None
    if own.apply is Unary.apply:
        return own.ufunc
    if isinstance(operation, RealUnary) and own.apply is RealUnary.apply and op.outputs[0].element_type.is_floating:
        return operation.real
    return operation.apply


def _binary(op: Op, operation: Binary) -> DirectEvaluation | None:
    """Return the function of pairs of elements that broadcast as in NumPy, unless the operation does more."""
    own = type(operation)
    if own.evaluate is not Binary.evaluate or operation.auto_broadcast != "numpy":
        return None
    function = own.ufunc if own.apply is Binary.apply else operation.apply
    return _of_products(function) if op.is_dynamic else function


def _of_products(function: Callable[..., Any]) -> DirectEvaluation:
    """Return a broadcasting function that refuses outputs much larger than its inputs before they are allocated."""

    def evaluate(*arrays: Array) -> Any:
        if prod([array.size for array in arrays]) > NEGLIGIBLE_ELEMENTS:
            shape = np.broadcast_shapes(*[array.shape for array in arrays])
            if prod(shape) > sum([array.size for array in arrays]) + NEGLIGIBLE_ELEMENTS:
                raise FallbackRequired
        return function(*arrays)

    return evaluate


def _select(op: Op) -> DirectEvaluation | None:
    return _of_products(np.where) if attributes(op, Select).auto_broadcast == "numpy" else None


def _range(op: Op) -> DirectEvaluation | None:
    """Return a range of integers whose ends are integers."""
    dtype = op.outputs[0].dtype
    if dtype.kind not in "i" or any(value is None or value.dtype.kind != "i" for value in op.inputs):
        return None

    def evaluate(start: Array, stop: Array, step: Array) -> Array:
        first, end, distance = start.item(), stop.item(), step.item()
        if distance == 0 or (end - first) // distance > NEGLIGIBLE_ELEMENTS:
            raise FallbackRequired
        numbers: Array = np.arange(first, end, distance).astype(dtype)
        return numbers

    return evaluate


def _broadcast(op: Op) -> DirectEvaluation | None:
    mode, rank = attributes(op, Broadcast).mode, rank_of(op.inputs[0])
    if mode not in ("numpy", "bidirectional") or len(op.inputs) != 2 or rank is None:
        return None

    def evaluate(data: Array, target: Array) -> Array:
        shape = target.tolist()
        if mode == "bidirectional":
            shape = np.broadcast_shapes(data.shape, tuple(shape))
        elif len(shape) < rank:
            raise FallbackRequired
        if prod(shape) > NEGLIGIBLE_ELEMENTS:
            return np.broadcast_to(data, shape)
        output = np.empty(shape, data.dtype)
        output[...] = data
        return output

    return evaluate


def _reshape(op: Op) -> DirectEvaluation | None:
    zero = attributes(op, Reshape).special_zero

    def evaluate(data: Array, pattern: Array) -> Array:
        shape = pattern.tolist()
        if 0 in shape and zero:
            shape = [data.shape[axis] if length == 0 else length for axis, length in enumerate(shape)]
        if min(shape, default=0) < -1:
            raise FallbackRequired
        reshaped: Array = data.reshape(shape)
        return reshaped

    return evaluate if rank_of(op.inputs[1]) == 1 else None


def _convert(op: Op) -> DirectEvaluation | None:
    """Return a conversion that NumPy does as OpenVINO: of integers and booleans, and to booleans."""
    source, target = op.inputs[0], op.outputs[0].dtype
    if source is None or source.dtype.kind not in "iubf" or target.kind not in "iubf":
        return None
    if source.dtype.kind == "f" and target.kind not in "fb":
        return None
    return lambda data: data.astype(target)


def _shape_of(op: Op) -> DirectEvaluation | None:
    dtype = op.outputs[0].dtype
    return lambda data: np.array(data.shape, dtype)


def _concat(op: Op) -> DirectEvaluation | None:
    axis = attributes(op, Concat).axis
    return lambda *arrays: np.concatenate(arrays, axis)


def _unsqueeze(op: Op) -> DirectEvaluation | None:
    data, axes = op.inputs
    rank = rank_of(data)
    if axes is None or axes.constant is None or rank is None:
        return None
    inserted = inserted_axes([int(axis) for axis in axes.constant.reshape(-1)], rank)
    index = tuple(None if axis in inserted else slice(None) for axis in range(rank + len(inserted)))
    return lambda data, _: data[index]


def _transpose(op: Op) -> DirectEvaluation | None:
    order, rank = op.inputs[1], rank_of(op.inputs[0])
    if order is None or order.constant is None or not order.constant.size or order.constant.size != rank:
        return None
    axes = order.constant.tolist()
    return lambda data, _: data.transpose(axes)


def _slice(op: Op) -> DirectEvaluation | None:
    """Return a slice, with its index computed beforehand where all ends are constant."""
    rank, ends = rank_of(op.inputs[0]), [None if value is None else value.constant for value in op.inputs[1:]]
    start, stop, step, axes = [*ends, None][:4]
    if not rank or step is None or (len(ends) > 3 and axes is None):
        return None
    if start is not None and stop is not None:
        if ((step < 0) & (start < 0)).any():
            return None  # where it begins depends on the length
        index = slices((0,) * rank, start, stop, step, axes)
        return lambda data, *_: data[index]
    if axes is None or axes.size != 1 or step.tolist() != [1]:
        return None
    before = (slice(None),) * (int(axes[0]) % rank)

    def evaluate(data: Array, start: Array, stop: Array, *_: Array) -> Array:
        index = (*before, slice(start.item(), stop.item()))
        part: Array = data[index]
        return part

    return evaluate


def _gather(op: Op) -> DirectEvaluation | None:
    """Return elements of a vector of known length at constant positions, as of a shape, or rows of a constant table."""
    data, indices, axis = op.inputs
    if data is None or indices is None or axis is None or attributes(op, Gather).batch_dims:
        return None
    if data.constant is not None and axis.constant is not None and not op.operation.wants_context:
        return _rows_of_table(op, data.constant, int(axis.constant.reshape(-1)[0]))
    length = static_length(data, 0) if rank_of(data) == 1 else None
    if length is None and axis.constant is not None and not op.operation.wants_context:
        return _rows_of_data(op)
    positions = indices.constant
    if length is None or positions is None or positions.size == 0 or positions.min() < 0 or positions.max() >= length:
        return None
    if positions.size == 1:
        part, shape = slice(int(positions.reshape(-1)[0]), int(positions.reshape(-1)[0]) + 1), positions.shape
        return lambda data, *_: data[part].reshape(shape)
    return lambda data, *_: data[positions]


def _rows_of_table(op: Op, table: Array, axis: int) -> DirectEvaluation:
    """Return the gather from a constant table, of which many rows are looked at more closely."""
    row, evaluate = table.size // max(table.shape[axis], 1), op.operation.evaluate

    def gather(data: Array, indices: Array, position: Array) -> Any:
        if indices.size * row > 16 * NEGLIGIBLE_ELEMENTS:
            raise FallbackRequired
        return evaluate(data, indices, position)

    return gather


def _rows_of_data(op: Op) -> DirectEvaluation:
    """Return the gather from data of any lengths along a constant axis, unless the output is large."""
    evaluate = op.operation.evaluate

    def gather(data: Array, indices: Array, position: Array) -> Any:
        axis = int(position.reshape(-1)[0])
        if not -data.ndim <= axis < data.ndim or indices.size * data.size > NEGLIGIBLE_ELEMENTS * data.shape[axis]:
            raise FallbackRequired
        return evaluate(data, indices, position)

    return gather


def _gather_elements(op: Op) -> DirectEvaluation | None:
    """Return an evaluation for data and indices of equal dimensions except along the axis; others need a fallback."""
    evaluate, axis, rank = op.operation.evaluate, attributes(op, GatherElements).axis, rank_of(op.inputs[0])
    if not rank or rank != rank_of(op.inputs[1]):
        return None
    axis %= rank

    def gather(data: Array, indices: Array) -> Any:
        shape = list(indices.shape)
        shape[axis] = data.shape[axis]
        if data.shape != tuple(shape):
            raise FallbackRequired
        return evaluate(data, indices)

    return gather


def _matmul(op: Op) -> DirectEvaluation | None:
    """Return the product of matrices, unless the output is much larger than its factors."""
    product, evaluate = attributes(op, MatMul), op.operation.evaluate
    if any((rank_of(value) or 0) < 2 for value in op.inputs):
        return None
    row, column = -1 if product.transpose_a else -2, -2 if product.transpose_b else -1

    def multiply(a: Array, b: Array) -> Any:
        batch = prod(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]))
        if batch * a.shape[row] * b.shape[column] > NEGLIGIBLE_ELEMENTS:
            raise FallbackRequired
        return evaluate(a, b)

    return multiply


_DIRECT: OperationTable[Callable[[Op], DirectEvaluation | None]] = OperationTable(
    {
        Broadcast: _broadcast,
        Concat: _concat,
        Convert: _convert,
        Gather: _gather,
        GatherElements: _gather_elements,
        MatMul: _matmul,
        Range: _range,
        Reshape: _reshape,
        Select: _select,
        ShapeOf: _shape_of,
        Slice: _slice,
        Transpose: _transpose,
        Unsqueeze: _unsqueeze,
        **INDEXING,
    }
)
