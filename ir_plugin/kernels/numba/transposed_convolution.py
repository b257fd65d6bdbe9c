"""Depthwise transposed convolution on channels-last memory."""

from __future__ import annotations

from ir_plugin.kernels import keys
from ir_plugin.kernels.numba.runtime.jit import compiled, read_only
from ir_plugin.kernels.registry import register
from ir_plugin.tensors import Array


@compiled(f"void({read_only(2)}, {read_only(2)}, f4[:,::1], i8, i8, i8)")
def _add_line(line: Array, weights: Array, target: Array, step: int, far: int, left: int) -> None:
    """Scatter the products of a line of the data and one line of the kernel, and add them to a line of the output."""
    pixels, channels = target.shape
    for k in range(weights.shape[0]):
        for x in range(line.shape[0]):
            at = x * step + k * far - left
            if 0 <= at < pixels:
                for c in range(channels):
                    target[at, c] += line[x, c] * weights[k, c]


@register(keys.TRANSPOSED_DEPTHWISE)
@compiled(f"void({read_only(3)}, {read_only(3)}, f4[:,:,::1], i8[::1], i8, i8)")
def depthwise(data: Array, weights: Array, output: Array, steps: Array, first: int, last: int) -> None:
    """Compute the lines [first, last) of an output [H, W, C].

    `weights` are [kh, kw, C]; `steps` hold strides, dilations, and what is cut off before the output.
    """
    step_y, step_x, far_y, far_x, top, left = steps
    for y in range(first, last):
        target = output[y]
        flat = target.reshape(-1)
        for c in range(flat.shape[0]):
            flat[c] = 0
        for k in range(weights.shape[0]):
            row = y + top - k * far_y
            if row % step_y == 0 and 0 <= row < data.shape[0] * step_y:
                _add_line(data[row // step_y], weights[k], target, step_x, far_x, left)
