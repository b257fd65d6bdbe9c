"""Sums of windows on memory with channels last, one axis after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ir_plugin.tensors import Array

Pooling: TypeAlias = "Callable[[Array, Array], None]"
"""Computes [N, …, C] from [N, …, C]."""


class Axis(NamedTuple):
    """How windows move along one axis, and the pads of the data there."""

    size: int
    stride: int
    dilation: int
    outputs: int
    begin: int
    end: int

    @property
    def reach(self) -> int:
        """Elements from the first to the last that windows meet."""
        return (self.outputs - 1) * self.stride + (self.size - 1) * self.dilation + 1


def separable(
    shape: tuple[int, ...], axes: Sequence[Axis], ufunc: np.ufunc, start: float, dtype: np.dtype[np.generic]
) -> Pooling:
    """Return the reduction of windows by `ufunc`, with pads of `start`; `shape` is that of the data [N, …, C]."""
    samples, spatial, channels = shape[0], shape[1:-1], shape[-1]
    lengths = [max(a.begin + n + a.end, a.reach) for a, n in zip(axes, spatial, strict=True)]
    padded = any(length != n for length, n in zip(lengths, spatial, strict=True))
    wide = np.full((samples, *lengths, channels), start, dtype) if padded else None
    inner = (slice(None), *(slice(a.begin, a.begin + n) for a, n in zip(axes, spatial, strict=True)))
    outputs = [axis.outputs for axis in axes]
    buffers = [
        np.empty((samples, *lengths[:place], *outputs[place:], channels), dtype) for place in range(1, len(axes))
    ]

    def run(data: Array, output: Array) -> None:
        source = data
        if wide is not None:
            wide[inner] = data
            source = wide
        for place in reversed(range(len(axes))):
            target = output if place == 0 else buffers[place - 1]
            _along(source, target, place + 1, axes[place], ufunc)
            source = target

    return run


def _along(source: Array, target: Array, axis: int, windows: Axis, ufunc: np.ufunc) -> None:
    reach = (windows.outputs - 1) * windows.stride + 1
    starts = [number * windows.dilation for number in range(windows.size)]
    views = [source[_place(axis, slice(first, first + reach, windows.stride))] for first in starts]
    if windows.size == 1:
        np.copyto(target, views[0])
        return
    ufunc(views[0], views[1], out=target)
    for view in views[2:]:
        ufunc(target, view, out=target)


def _place(axis: int, part: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, part)
