"""Selects the kernel of a 3-D convolution: a 2-D one of data that has the depths of a window side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.convolution import Forms, is_mostly_pads, on_channels_last, pair
from ir_plugin.compiler.selection.epilogue import split_for_jobs
from ir_plugin.compiler.selection.in_turn import with_unfused
from ir_plugin.compiler.selection.kernel import Execute, Kernel, Options, StaticKernel
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import policy
from ir_plugin.kernels.numpy.convolution import Geometry, Run
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.tensors import Array

BLOCK_BYTES = 2**23
"""Bytes of slices with their depths beside each other that are made at a time, if one alone is not larger."""


class _Depth(NamedTuple):
    """How windows move along the first axis: the depths that each reads, and the number of groups of channels."""

    length: int
    outputs: int
    kernel: int
    stride: int
    dilation: int
    begin: int
    slices: tuple[int, ...]
    """Some slices [N, H, W, G, C / G], with the depths of a window beside each other on one more axis."""
    axis: int
    """The axis of these depths: after the lines, or after the groups of channels."""

    def read(self, output: int) -> list[tuple[int, int]]:
        """Return the depths of kernel and data that an output reads, without those in the pads."""
        depths = ((k, output * self.stride - self.begin + k * self.dilation) for k in range(self.kernel))
        return [(k, depth) for k, depth in depths if 0 <= depth < self.length]

    @property
    def is_plain(self) -> bool:
        """Whether every depth is read alone."""
        return self.kernel == self.stride == 1 and self.outputs == self.length


@selects(Convolution, GroupConvolution)
def select_convolution_3d(op: Op, options: Options) -> Kernel | None:
    """Return the form of a convolution over three axes with constant weights, in f32 or f64.

    Depths that a window covers become channels, so that a slice of the output is a convolution over two axes with
    kd * C channels, in the form that suits that. In a depthwise one they become lines: kd * H lines, kd * kh of which a
    window covers; one with dilated lines is left to its evaluation.
    """
    data, weights, shape = op.inputs[0], _weights(op), op.outputs[0].shape or ()
    if data is None or weights is None:
        return None
    if _is_depthwise(weights) and attributes(op, Convolution).windows(3).dilations[1] != 1:
        return None
    geometry, depth = _geometry(op, weights, data.shape or (), shape)
    if is_mostly_pads(geometry, (geometry.data[0], shape[1], *shape[3:])):
        return None
    epilogue = split_for_jobs(op.epilogue, shape, 1, options)
    flat = _flat_weights(weights, geometry)
    name, form, uses_spin_pool = Forms(flat if len(flat) > 1 else flat[0], epilogue, options).kernel_for(geometry)
    dtype = data.dtype

    def make(pool: ThreadPool) -> Execute:
        slices = _by_slices(geometry, depth, form(pool), dtype, pool)
        return with_unfused(on_channels_last(slices, epilogue), epilogue, op, options, pool)

    values = [data, *epilogue.row_values, *epilogue.unfused_values]
    return StaticKernel(values, make, channels_last=True, variant=f"{name} of slices", uses_spin_pool=uses_spin_pool)


def _weights(op: Op) -> Array | None:
    """Return the constant weights [G, O, C, kd, kh, kw] of a convolution of f32 or f64 over three axes."""
    data, filters = op.inputs[:2]
    if data is None or filters is None or filters.constant is None or data.element_type.name not in ("f32", "f64"):
        return None
    shape, output = data.shape or (), op.outputs[0].shape or ()
    if len(shape) != 5 or not output or 0 in (*shape, *output, *filters.constant.shape):
        return None
    return filters.constant if op.is_a(GroupConvolution) else filters.constant[None]


def _is_depthwise(weights: Array) -> bool:
    groups, outputs, channels = weights.shape[:3]
    return bool(groups > 1 and channels == outputs == 1)


def _flat_weights(weights: Array, geometry: Geometry) -> Array:
    """Return weights [G, O, C, kh, kw] whose depths are channels, or lines of a depthwise convolution."""
    order = (0, 1, 2, 4, 3, 5) if _is_depthwise(weights) else (0, 1, 3, 2, 4, 5)
    groups, outputs = weights.shape[:2]
    flat: Array = weights.transpose(order).reshape(groups, outputs, geometry.data[3] // groups, *geometry.kernel)
    return flat


def _geometry(op: Op, weights: Array, data: tuple[int, ...], output: tuple[int, ...]) -> tuple[Geometry, _Depth]:
    """Return the sizes of the convolution over lines and pixels of some slices, and how windows move along depths."""
    windows = attributes(op, Convolution).windows(3)
    begin, end = windows.pads(data[2:], weights.shape[3:])
    groups, deep = len(weights), weights.shape[3]
    lines = deep if _is_depthwise(weights) else 1
    count = _slices_at_once(output[0] * output[2], data[1] * data[3] * data[4] * deep * weights.itemsize)
    slices, axis = [count, *data[3:], groups, data[1] // groups], 2 if lines > 1 else 4
    slices.insert(axis, deep)
    depth = _Depth(data[2], output[2], deep, windows.strides[0], windows.dilations[0], begin[0], tuple(slices), axis)
    kernel, strides, before, after = (
        (lengths[-2] * lines, lengths[-1]) for lengths in (weights.shape, windows.strides, begin, end)
    )
    sizes = (count, data[3] * lines, data[4], deep // lines * data[1])
    dilations, outputs = pair(windows.dilations[-2:], 1), pair(output[-2:], 1)
    return Geometry(sizes, kernel, strides, dilations, before, after, outputs, groups, output[1]), depth


def _slices_at_once(slices: int, size: int) -> int:
    """Return how many slices of `size` bytes to compute at a time: the largest divisor of `slices` that fits."""
    counts = (count for count in range(1, slices + 1) if slices % count == 0 and count * size <= BLOCK_BYTES)
    return max(counts, default=1)


def _by_slices(geometry: Geometry, depth: _Depth, run: Run, dtype: np.dtype[np.generic], pool: ThreadPool) -> Run:
    """Return the convolution [N, D, H, W, C] to [N, D, H, W, O], some slices of the output at a time."""
    count, area = geometry.data[0], geometry.output[0] * geometry.output[1]
    beside = None if depth.is_plain else np.zeros(depth.slices, dtype)

    def convolve(data: Array, output: Array, operands: Sequence[Array]) -> None:
        target = output.reshape(-1, *geometry.output, geometry.channels)
        plain = data.reshape(-1, *geometry.data[1:]) if beside is None else data
        for first in range(0, len(target), count):
            source = plain[first : first + count]
            if beside is not None:
                _copy(data, beside, first, depth, pool)
                source = beside.reshape(geometry.data)
            rows = slice(first * area, (first + count) * area)
            run(source, target[first : first + count], [array[rows] for array in operands])

    return convolve


def _copy(data: Array, beside: Array, first: int, depth: _Depth, pool: ThreadPool) -> None:
    """Fill slices from `first` on with the depths that they read; those in the pads are zero."""
    parts = split(len(beside), pool.size if 4 * beside.size >= policy.SHARED_MIN_MULTIPLICATIONS else 1)
    by_depths = np.moveaxis(beside, depth.axis, 1)
    planes = data.reshape(*data.shape[:2], *by_depths.shape[2:])

    def part(number: int) -> None:
        for row in range(*parts[number]):
            sample, output = divmod(first + row, depth.outputs)
            read = dict(depth.read(output))
            for k in range(depth.kernel):
                by_depths[row, k] = planes[sample, read[k]] if k in read else 0

    pool.run(part, len(parts))
