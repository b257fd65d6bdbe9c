"""Selects the kernel of a pooling."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.selection.kernel import (
    Execute,
    Kernel,
    OnViews,
    Options,
    StaticKernel,
    ViewsOf,
    as_channels_last,
    is_out_of_proportion,
    without_operands,
)
from ir_plugin.compiler.selection.reduction import with_job
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys
from ir_plugin.kernels.numpy.pooling import Axis, Pooling, Windows, separable
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.pooling.avg_pool import AvgPool
from ir_plugin.operations.pooling.max_pool import MaxPool, lowest
from ir_plugin.operations.pooling.pools import Layout, Pool
from ir_plugin.tensors import Array


@selects(MaxPool, AvgPool)
def select_pool(op: Op, options: Options) -> Kernel | None:
    """Return a mean, or a max pool without indices, over one to three axes, in f32 or f64."""
    data, output, operation = op.inputs[0] if op.inputs else None, op.outputs[0], op.operation
    if not isinstance(operation, Pool) or data is None or not _is_computed(op, data):
        return None
    shape, dtype = data.shape or (), data.dtype
    if 0 in (*shape, *(output.shape or (0,))):
        return None
    layout = operation.layout(shape)
    if _is_mostly_pads(shape, layout):
        return None
    mean = isinstance(operation, AvgPool)
    if mean and _is_global(operation, shape, layout):
        return global_mean(data, options)
    last = data.channels_last
    axes, reduction = _axes(operation, shape, layout), _Reduction.of(operation, dtype)
    factors = _factors(operation, shape, layout, dtype) if isinstance(operation, AvgPool) else None

    def make(pool: ThreadPool) -> Execute:
        is_job = last and dtype == np.float32
        spin = options.kernels.build(keys.POOLING, shape[0], axes, shape[1], factors, pool) if is_job else None
        if spin is not None:
            return OnViews(spin, _views(last))
        pooling = _pools(axes, shape, last, factors, reduction, pool)
        has_nan = dtype.kind == "f" and not mean
        return OnViews(without_operands(_above(pooling, reduction.start) if has_nan else pooling), _views(last))

    return StaticKernel([data], make, channels_last=last, variant="separable")


def _is_computed(op: Op, data: Value) -> bool:
    """Return whether kernels have the type of the data, and nothing but the first output is read."""
    types = ("f32", "f64", "u8") if op.is_a(MaxPool) else ("f32", "f64")
    if data.element_type.name not in types or op.epilogue:
        return False
    return not any(value.users or value.is_result for value in op.outputs[1:2])


def _is_mostly_pads(shape: tuple[int, ...], layout: Layout) -> bool:
    """Return whether the padded data would be many times as large as data and output; evaluation has a limit for it."""
    wide = prod(map(sum, zip(shape[2:], layout.begin, layout.end, strict=True)))
    return is_out_of_proportion(wide, prod(shape[2:]), prod(layout.outputs))


def _is_global(operation: Pool, shape: tuple[int, ...], layout: Layout) -> bool:
    plain = not any(layout.begin) and not any(layout.end) and all(step == 1 for step in layout.windows.dilations)
    return plain and tuple(operation.kernel) == shape[2:]


def global_mean(data: Value, options: Options) -> Kernel:
    """Return the means over all spatial axes of [N, C, …], as products with a vector."""
    shape = data.shape or ()
    count = prod(shape[2:])
    weights = np.full(count, 1 / count, data.dtype)

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        rows = np.moveaxis(inputs[0], 1, -1).reshape(shape[0], count, shape[1])
        outputs[0][...] = np.matmul(weights, rows).reshape(outputs[0].shape)

    make, spins = with_job(execute, (shape[0], count, shape[1]), 1 / count, True, data, options)
    return StaticKernel([data], make, channels_last=True, variant="gemv", uses_spin_pool=spins)


def _axes(operation: Pool, shape: tuple[int, ...], layout: Layout) -> list[Axis]:
    """Return how windows move along depth, lines and pixels; axes that are not there have one element."""
    windows = layout.windows
    columns = (shape[2:], operation.kernel, windows.strides, windows.dilations, layout.outputs, layout.begin)
    axes = [Axis(*row) for row in zip(*columns, strict=True)]
    return [Axis(1, 1, 1, 1, 1, 0)] * (3 - len(axes)) + axes


class _Reduction(NamedTuple):
    """How the elements of a window become one: by a function, from a number on."""

    ufunc: np.ufunc
    start: float
    dtype: np.dtype[np.generic]

    @classmethod
    def of(cls, operation: Pool, dtype: np.dtype[np.generic]) -> _Reduction:
        """Return the sum of a mean, or the maximum."""
        if isinstance(operation, AvgPool):
            return cls(np.add, 0.0, dtype)
        return cls(np.maximum, 0.0 if dtype == np.uint8 else lowest(dtype), dtype)


def _pools(
    axes: Sequence[Axis], shape: tuple[int, ...], last: bool, factors: Array | None, reduction: _Reduction,
    pool: ThreadPool,
) -> Pooling:  # fmt: skip
    """Return the reduction over depth, if there is any, then over lines and pixels.

    Without channels last every channel is a sample of one channel.
    """
    depth, lines, pixels = axes
    ufunc, start, dtype = reduction
    samples, channels = (shape[0], shape[1]) if last else (shape[0] * shape[1], 1)
    area, deepens = lines.length * pixels.length, depth.size > 1 or depth.length > 1
    planes = Windows(samples * depth.outputs, lines, pixels, channels)
    flat = separable(planes, ufunc, start, None if deepens else factors, dtype, pool)
    before = (planes.samples, lines.length, pixels.length, channels)
    after = (planes.samples, lines.outputs, pixels.outputs, channels)
    if not deepens:
        return lambda data, output: flat(data.reshape(before), output.reshape(after))
    deep = separable(Windows(samples, depth, Axis(area, 1, 1, 1, area, 0), channels), ufunc, start, None, dtype, pool)
    sums = np.empty((samples, depth.outputs, area, channels), dtype)

    def run(data: Array, output: Array) -> None:
        deep(data.reshape(samples, depth.length, area, channels), sums)
        flat(sums.reshape(before), output.reshape(after))
        if factors is not None:
            np.multiply(output, factors, out=output)

    return run


def _above(pool: Pooling, least: float) -> Pooling:
    """Return a maximum that passes over what is no number above `least`; data with NaN or -inf is pooled twice."""

    def run(data: Array, output: Array) -> None:
        pool(data, output)
        if not output.min() >= least:
            pool(np.where(data > least, data, data.dtype.type(least)), output)

    return run


def _factors(operation: AvgPool, shape: tuple[int, ...], layout: Layout, dtype: np.dtype[np.generic]) -> Array:
    """Return one over the number of elements that count in each window: a number, or [D, H, W, 1] (or [H, W, 1])."""
    has_pads = any(layout.begin) or any(layout.windows.pads_end) or layout.windows.is_same
    if not operation.exclude_pad and has_pads:
        return np.array(1 / prod(operation.kernel), dtype)
    counts = operation.counts(shape[2:], layout)
    if counts.min() == counts.max():
        return np.array(1 / max(int(counts.max()), 1), dtype)
    factors = np.asarray(1 / np.maximum(counts, 1), dtype)
    return factors[None, :, None] if factors.ndim == 1 else factors[..., None]


def _views(last: bool) -> ViewsOf:
    def views(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
        data, output = (as_channels_last(array) if last else array[..., None] for array in (inputs[0], outputs[0]))
        return data, output, []

    return views
