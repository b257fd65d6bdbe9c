"""Selects the kernel of a mean, sum or L2 norm over neighbouring axes, computed as a product with a vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.selection.kernel import Execute, Kernel, OnViews, Options, StaticKernel
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.reduction.reducing import ReduceL2, ReduceMean, ReduceSum
from ir_plugin.tensors import Array


@selects(ReduceMean, ReduceSum, ReduceL2)
def select_mean(op: Op, options: Options) -> Kernel | None:
    """Return ReduceMean, ReduceSum or ReduceL2 of f32 or f64 over neighbouring axes; norms over the last ones only.

    A mean or sum is a product with a vector, which BLAS computes faster than NumPy's `sum`.
    """
    data, output, chosen = op.inputs[0], op.outputs[0], _neighbouring_axes(op)
    if data is None or not data.shape or not chosen or data.element_type.name not in ("f32", "f64"):
        return None
    rank = len(data.shape)
    norm, to_last = op.is_a(ReduceL2), chosen[-1] == rank - 1
    across, by_channel = data.channels_last and chosen == [1], data.channels_last and chosen[0] == 2 and to_last
    if norm and not across and (by_channel or not to_last):
        return None
    count = prod(data.shape[axis] for axis in chosen)
    weights = np.full(count, 1 / count if op.is_a(ReduceMean) else 1, data.dtype)
    if norm:
        run = _norms(count, across)
    elif by_channel:
        run = _of_channels(data.shape, weights)
    else:
        run = _of_rows(weights, across) if to_last or across else _of_columns(data.shape[: chosen[0]], weights)
    last = by_channel and len(output.shape or ()) == rank
    if norm:
        return StaticKernel([data], lambda _pool: run, channels_last=last, variant="gemv")
    turned = across or by_channel
    lead = data.shape[0] if by_channel else prod(data.shape) // count if across else prod(data.shape[: chosen[0]])
    sizes = (lead, count, prod(data.shape) // (lead * count))
    make, spins = with_job(run, sizes, float(weights[0]), turned, data, options)
    return StaticKernel([data], make, channels_last=last, variant="gemv", uses_spin_pool=spins)


def _neighbouring_axes(op: Op) -> list[int]:
    """Return the axes of a reduction in order; none where they are not constant or no neighbours, or no data."""
    data, axes = (*op.inputs, None, None)[:2]
    if len(op.inputs) != 2 or op.epilogue or data is None or not data.shape or 0 in data.shape:
        return []
    if axes is None or axes.constant is None:
        return []
    chosen = sorted({int(axis) % len(data.shape) for axis in axes.constant.reshape(-1)})
    return chosen if chosen and chosen == list(range(chosen[0], chosen[-1] + 1)) else []


def with_job(
    run: Execute, sizes: tuple[int, int, int], factor: float, turned: bool, data: Value, options: Options
) -> tuple[Callable[[ThreadPool], Execute], bool]:
    """Return a factory of sums over the second of three axes, times a factor, and whether it uses the spin pool.

    In f32 the sums are a job, else `run`. If `turned`, channels are moved to the last axis first.
    """
    spins = data.element_type.name == "f32" and options.has_spin_pool

    def views(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
        return (np.moveaxis(inputs[0], 1, -1) if turned else inputs[0]), outputs[0], []

    def make(pool: ThreadPool) -> Execute:
        samples, rows, columns = sizes
        means = options.kernels.build(keys.MEANS, samples, rows, columns, factor, pool) if spins else None
        return run if means is None else OnViews(means, views)

    return make, spins


def _norms(count: int, across: bool) -> Execute:
    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        rows = (np.moveaxis(inputs[0], 1, -1) if across else inputs[0]).reshape(-1, count)
        outputs[0][...] = np.sqrt(np.vecdot(rows, rows)).reshape(outputs[0].shape)

    return execute


def _of_columns(lead: tuple[int, ...], weights: Array) -> Execute:
    """Return the products along an axis that is not the last: with matrices [axes, rest], one for each of `lead`."""

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        columns = inputs[0].reshape(prod(lead), len(weights), -1)
        outputs[0][...] = np.matmul(weights, columns).reshape(outputs[0].shape)

    return execute


def _of_channels(shape: tuple[int, ...], weights: Array) -> Execute:
    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        rows = np.moveaxis(inputs[0], 1, -1).reshape(shape[0], len(weights), shape[1])
        outputs[0][...] = np.matmul(weights, rows).reshape(outputs[0].shape)

    return execute


def _of_rows(weights: Array, across: bool) -> Execute:
    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        rows = (np.moveaxis(inputs[0], 1, -1) if across else inputs[0]).reshape(-1, len(weights))
        outputs[0][...] = np.matmul(rows, weights).reshape(outputs[0].shape)

    return execute
