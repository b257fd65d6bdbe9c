"""Direct evaluations of NonZero, GatherND and PRelu, in fewer calls than their plain evaluations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import NEGLIGIBLE_ELEMENTS, DirectEvaluation, FallbackRequired
from ir_plugin.compiler.shapes.symbolic import rank_of, static_length
from ir_plugin.operations.activation.prelu import PRelu
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.condition.non_zero import NonZero
from ir_plugin.operations.movement.gather_nd import GatherND
from ir_plugin.tensors import Array


def _non_zero(op: Op) -> DirectEvaluation | None:
    """Return the positions of elements that are not zero."""
    dtype = attributes(op, NonZero).output_type.dtype

    def evaluate(data: Array) -> Array:
        if data.size * data.ndim > NEGLIGIBLE_ELEMENTS or not data.ndim:
            raise FallbackRequired
        if data.ndim == 1:
            return data.nonzero()[0].astype(dtype, copy=False)[None]
        positions = data.reshape(-1).nonzero()[0]
        output = np.empty((data.ndim, positions.size), dtype)
        for axis in range(data.ndim - 1, 0, -1):
            positions, output[axis] = np.divmod(positions, data.shape[axis])
        output[0] = positions
        return output

    return evaluate


def _gather_nd(op: Op) -> DirectEvaluation | None:
    """Return slices at tuples of indices, all of which are in the data and none negative."""
    data_value, tuples = op.inputs
    length = None if tuples is None else static_length(tuples, (rank_of(tuples) or 1) - 1)
    rank = rank_of(data_value)
    if attributes(op, GatherND).batch_dims or length is None or rank is None or not 0 < length <= rank:
        return None

    def evaluate(data: Array, indices: Array) -> Array:
        if indices.size * data.size > NEGLIGIBLE_ELEMENTS * max(data.shape[0], 1):
            raise FallbackRequired
        lengths = data.shape[:length]
        if indices.size == 0:
            return np.empty((*indices.shape[:-1], *data.shape[length:]), data.dtype)
        if indices.min() < 0 or any(indices[..., axis].max() >= count for axis, count in enumerate(lengths)):
            raise FallbackRequired
        if length == 1:
            return data.take(indices[..., 0], axis=0)
        return np.asarray(data[tuple(indices[..., axis] for axis in range(length))])

    return evaluate


def _prelu(op: Op) -> DirectEvaluation | None:
    """Return PRelu of f32 whose factors are constants between 0 and 1: the maximum of data and product."""
    data, slope = op.inputs
    rank = rank_of(data)
    if data is None or slope is None or slope.constant is None or not rank:
        return None
    factors = slope.constant
    if {data.element_type.name, slope.element_type.name} != {"f32"} or factors.ndim > 1 or factors.size == 0:
        return None
    if not bool(((factors > 0) & (factors <= 1)).all()):
        return None
    if factors.size > 1:
        if rank < 2 or static_length(data, 1) != factors.size:
            return None
        factors = factors.reshape(-1, *[1] * (rank - 2))

    def evaluate(data: Array, _slope: Array) -> Array:
        product: Array = data * factors
        return np.maximum(data, product, out=product)

    return evaluate


INDEXING: dict[OperationClass, Callable[[Op], DirectEvaluation | None]] = {
    GatherND: _gather_nd,
    NonZero: _non_zero,
    PRelu: _prelu,
}
