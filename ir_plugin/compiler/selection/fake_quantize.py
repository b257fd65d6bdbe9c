"""FakeQuantize with constant limits, one for all elements or one along one axis.

The kernels do the operations of the plain evaluation, so equal data give equal bits, on which the integers that a
Convert after them makes depend. Where a plan gives other levels than the plain layers in a few elements, the data
before the FakeQuantize differ in their last digits, as sums were taken in another order, and lie in the middle between
two levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import (
    Execute,
    Kernel,
    OnViews,
    Options,
    StaticKernel,
    as_channels_last,
    movers,
    without_operands,
)
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys
from ir_plugin.kernels.numpy.fake_quantize import Limits, quantized
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.quantization.fake_quantize import FakeQuantize
from ir_plugin.tensors import Array


@selects(FakeQuantize)
def select_fake_quantize(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a FakeQuantize all of f32 or f64 whose lower limits are below the higher ones."""
    data = op.inputs[0] if op.inputs else None
    levels = attributes(op, FakeQuantize).levels
    if data is None or not data.shape or 0 in data.shape or op.epilogue or levels < 2:
        return None
    arrays = _constant_limits(op, data)
    if arrays is None or not bool((arrays[0] < arrays[1]).all() and np.isfinite(arrays[3] - arrays[2]).all()):
        return None
    last = data.channels_last
    order = (0, *range(2, len(data.shape)), 1) if last else tuple(range(len(data.shape)))
    rows = _rows([array.transpose(order) for array in arrays], tuple(data.shape[axis] for axis in order))
    if rows is None:
        return None
    limits, shape = _limits(rows[0], levels), rows[1]
    spins = data.element_type.name == "f32" and options.kernels.find(keys.FAKE_QUANTIZE) is not None

    def make(pool: ThreadPool) -> Execute:
        job = options.kernels.build(keys.FAKE_QUANTIZE, shape, limits, pool) if spins else None
        return OnViews(job or without_operands(quantized(shape, limits, pool)), views, movers(options, pool))

    def views(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
        source, target = (as_channels_last(array) if last else array for array in (inputs[0], outputs[0]))
        return source.reshape(shape), target.reshape(shape), []

    return StaticKernel(
        [data], make, channels_last=last, variant="rows, numba" if spins else "blocks", uses_spin_pool=spins,
        # Compiled loops use vectors only where both arrays are apart.
        in_place=None if spins else 0,
    )  # fmt: skip


def _constant_limits(op: Op, data: Value) -> list[Array] | None:
    """Return the limits with as many dimensions as the data; None unless all are constants of f32, or all of f64."""
    limits = [value for value in op.inputs[1:] if value is not None]
    arrays = [value.constant for value in limits if value.constant is not None]
    if data.element_type.name not in ("f32", "f64") or len(arrays) < len(op.inputs) - 1:
        return None
    if any(value.element_type is not data.element_type for value in limits):
        return None
    return _expanded(op, arrays, len(data.shape or ()))


def _expanded(op: Op, limits: Sequence[Array], rank: int) -> list[Array]:
    """Return the limits with as many dimensions as the data."""
    limits = attributes(op, FakeQuantize).fitted(limits, rank)
    return [limit.reshape((1,) * (rank - limit.ndim) + limit.shape) for limit in limits]


def _rows(limits: Sequence[Array], shape: tuple[int, ...]) -> tuple[list[Array], tuple[int, int]] | None:
    """Return limits as [1, 1], [1, N] or [P, 1], with the shape [M, N] of the data as rows.

    None where they vary along several axes, or along one that is neither the last nor follows axes of one element.
    """
    varying = {axis for limit in limits for axis, length in enumerate(limit.shape) if length > 1}
    if not varying:
        width = shape[-1] if len(shape) > 1 else 1
        return [limit.reshape(1, 1) for limit in limits], (prod(shape) // width, width)
    axis = varying.pop()
    if varying:
        return None
    count = shape[axis]
    if axis == len(shape) - 1:
        return [np.broadcast_to(limit.reshape(1, -1), (1, count)) for limit in limits], (prod(shape[:-1]), count)
    inner = prod(shape[axis + 1 :])
    return [np.broadcast_to(limit.reshape(-1, 1), (count, 1)) for limit in limits], (prod(shape) // inner, inner)


def _limits(arrays: Sequence[Array], levels: int) -> Limits:
    low, high, out_low, out_high = map(np.ascontiguousarray, arrays)
    return Limits(low, high, high - low, out_high - out_low, out_low, out_high, levels - 1)
