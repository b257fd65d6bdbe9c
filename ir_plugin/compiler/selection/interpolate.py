"""Selects the kernel of an interpolation: rows copied to their places, or weighted sums along one axis at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import TypeAlias

import numpy as np

from ir_plugin.compiler.graph import Op
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
from ir_plugin.kernels.numpy.finite import ByFiniteness
from ir_plugin.kernels.numpy.resize import Resize, Sums, is_product, resized, shapes_between
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.image.interpolate import Interpolate
from ir_plugin.operations.image.resampling import Axis, Method, Resampler, Resampling, nearest, resize
from ir_plugin.tensors import Array

_Steps: TypeAlias = "list[tuple[Sums, Axis]]"
"""The sums along each axis that changes, in order."""


@selects(Interpolate)
def select_interpolate(op: Op, options: Options) -> Kernel | None:
    """Return Interpolate of f32 or f64 without pads, of which all inputs but the data are constants."""
    resampling = _resampling(op)
    data, output = op.inputs[0] if op.inputs else None, op.outputs[0]
    if resampling is None or data is None or not data.shape or not output.shape:
        return None
    if any(map(any, resampling.pads)) or 0 in (*data.shape, *output.shape):
        return None
    shape, last = data.shape, data.channels_last
    if resampling.method.mode == "nearest":
        return _nearest(op, resampling, shape)
    if last and any(axis.index < 2 and axis.length != axis.target for axis in resampling.axes):
        return None
    steps = _sums(resampling, last, data.dtype)
    if not steps or not all(_is_inside(step, axis.length) for step, axis in steps):
        return None
    stored = (shape[0], *shape[2:], shape[1]) if last else shape
    sums = [step for step, _ in steps]
    spins = data.element_type.name == "f32" and options.kernels.find(keys.RESIZE) is not None

    def make(pool: ThreadPool) -> Execute:
        job = options.kernels.build(keys.RESIZE, stored, sums, pool) if spins else None
        kernel = job or without_operands(_resized(stored, steps, pool, resampling.method, last))
        return OnViews(kernel, partial(_views, last), movers(options, pool))

    variant = "sums, numba" if spins else "sums"
    return StaticKernel([data], make, channels_last=last, variant=variant, uses_spin_pool=spins)


def _resampling(op: Op) -> Resampling | None:
    """Return the resampling of an op, or None if it is no interpolation of known shape and method."""
    operation, data = op.operation, op.inputs[0] if op.inputs else None
    if not isinstance(operation, Resampler) or data is None or data.shape is None:
        return None
    if op.epilogue or data.element_type.name not in ("f32", "f64"):
        return None
    others = [None if value is None else value.constant for value in op.inputs[1:]]
    if any(array is None and value is not None for array, value in zip(others, op.inputs[1:], strict=True)):
        return None
    return operation.resampling(data.shape, *others)


def _sums(resampling: Resampling, last: bool, dtype: np.dtype[np.generic]) -> _Steps:
    """Return the sums along each axis that changes: first those that shrink, and of equal ones the innermost."""
    axes = [axis for axis in resampling.axes if axis.length != axis.target]
    taps_by_axis = list(zip(axes, resampling.method.taps(axes), strict=True))
    taps_by_axis.sort(key=lambda pair: (pair[0].target / pair[0].length, -pair[0].index))
    return [
        (Sums(axis.index - 1 if last else axis.index, taps.positions, np.ascontiguousarray(taps.weights, dtype)), axis)
        for axis, taps in taps_by_axis
    ]


def _is_inside(sums: Sums, length: int) -> bool:
    """Return whether all positions are inside an axis, which compiled loops do not check."""
    return bool((sums.positions >= 0).all() and (sums.positions < length).all())


def _resized(shape: tuple[int, ...], steps: _Steps, pool: ThreadPool, method: Method, last: bool) -> Resize:
    """Return NumPy's kernel; the plain evaluation resizes data that are not finite, which products would spread."""
    sums, axes = [step for step, _ in steps], [axis for _, axis in steps]
    run = resized(shape, sums, pool)
    if not any(map(is_product, shapes_between(shape, sums), sums)):
        return run

    def evaluated(data: Array, output: Array) -> None:
        source, target = (np.moveaxis(array, -1, 1) if last else array for array in (data, output))
        target[...] = resize(source, axes, method)

    return ByFiniteness(run, evaluated)


def _views(last: bool, inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
    data, output = (as_channels_last(array) if last else array for array in (inputs[0], outputs[0]))
    return data, output, []


def _nearest(op: Op, resampling: Resampling, shape: tuple[int, ...]) -> Kernel | None:
    """Return a kernel that copies pixels, for nearest interpolation of spatial axes."""
    data, output = op.inputs[0], op.outputs[0].shape
    if data is None or output is None or output[:2] != shape[:2] or len(shape) < 3:
        return None
    method = resampling.method
    picks = [np.arange(length) for length in shape[2:]]
    for axis in resampling.axes:
        if axis.length != axis.target:
            picks[axis.index - 2] = nearest(axis, method)
    positions = picks[0]
    for length, pick in zip(shape[3:], picks[1:], strict=True):
        positions = (positions[:, None] * length + pick).reshape(-1)
    samples, channels, count = shape[0], shape[1], prod(shape[2:])
    last = data.channels_last

    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        if last:
            rows = np.moveaxis(inputs[0], 1, -1).reshape(samples, count, channels)
            target = np.moveaxis(outputs[0], 1, -1).reshape(samples, len(positions), channels)
            for sample in range(samples):
                np.take(rows[sample], positions, axis=0, mode="clip", out=target[sample])
        else:
            planes = inputs[0].reshape(samples * channels, count)
            np.take(planes, positions, axis=1, mode="clip", out=outputs[0].reshape(samples * channels, -1))

    return StaticKernel([data], lambda _pool: execute, channels_last=last, variant="rows")
