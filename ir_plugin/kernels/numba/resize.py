"""Weighted sums along one axis of arrays seen as [outer, length, inner], each output computed at once."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import keys
from ir_plugin.kernels.keys import ResizeKernels
from ir_plugin.kernels.numba.runtime.jit import compiled, read_only
from ir_plugin.kernels.registry import register
from ir_plugin.tensors import Array


@compiled(f"void({read_only(3)}, f4[:,:,::1], {read_only(2, 'i8')}, {read_only(2)}, i8, i8)")
def along(data: Array, output: Array, positions: Array, weights: Array, first: int, last: int) -> None:
    """Compute the rows [first, last) of outer * outputs rows of `inner` elements."""
    count, taps = positions.shape
    inner = data.shape[2]
    for row in range(first, last):
        image, number = data[row // count], row % count
        target = output[row // count, number]
        if taps == 2:
            a, b = image[positions[number, 0]], image[positions[number, 1]]
            left, right = weights[number, 0], weights[number, 1]
            for c in range(inner):
                target[c] = a[c] * left + b[c] * right
        else:
            for c in range(inner):
                target[c] = np.float32(0)
            for k in range(taps):
                source, weight = image[positions[number, k]], weights[number, k]
                for c in range(inner):
                    target[c] += source[c] * weight


@compiled(f"void({read_only(2)}, f4[:,::1], {read_only(2, 'i8')}, {read_only(2)}, i8, i8)")
def elements(data: Array, output: Array, positions: Array, weights: Array, first: int, last: int) -> None:
    """Compute the rows [first, last), each from the same row of the data."""
    count, taps = positions.shape
    for row in range(first, last):
        source, target = data[row], output[row]
        if taps == 2:
            for c in range(count):
                target[c] = source[positions[c, 0]] * weights[c, 0] + source[positions[c, 1]] * weights[c, 1]
        else:
            for c in range(count):
                total = np.float32(0)
                for k in range(taps):
                    total += source[positions[c, k]] * weights[c, k]
                target[c] = total


register(keys.RESIZE)(ResizeKernels(along, elements))
