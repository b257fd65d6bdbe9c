"""ROIAlign on channels-last maps: each sample is a sum of four pixels, all channels of which are neighbours.

Products with sparse matrices, the form of NumPy, take longer (`python -m benchmarks.layers`).
"""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.jit import compiled, read_only
from ir_plugin.kernels.numpy.movement import in_order
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool, shares
from ir_plugin.operations.detection.regions import Aligner, Boxes
from ir_plugin.tensors import Array

SAMPLES_OF_A_BOX = 2**24
"""Samples up to which loops pool a box; the plain form sums more by matrices, or refuses them by its memory limit."""


@register_jitable
def _taps(point: float, length: int) -> tuple[int, int, float, float]:
    """Return the pixels around a point of an axis and their weights, none for a point outside."""
    if not (point >= -1 and point <= length):
        return 0, 0, 0.0, 0.0
    cut = min(max(point, 0.0), length - 1.0)
    lower = int(cut)
    share = cut - lower
    return lower, min(lower + 1, length - 1), 1 - share, share


@register_jitable
def _add(p: Array, q: Array, r: Array, s: Array, weights: tuple[float, float, float, float], total: Array) -> None:
    a, b, c, d = weights
    for k in range(total.shape[0]):
        total[k] += a * p[k] + b * q[k] + c * r[k] + d * s[k]


@register_jitable
def _raise(p: Array, q: Array, r: Array, s: Array, weights: tuple[float, float, float, float], total: Array) -> None:
    a, b, c, d = weights
    for k in range(total.shape[0]):
        sample = a * p[k] + b * q[k] + c * r[k] + d * s[k]
        total[k] = sample if sample > total[k] else total[k]


@register_jitable
def _products(above: float, below: float, before: float, after: float) -> tuple[float, float, float, float]:
    """Return the weights of four pixels, from those along both axes."""
    return (
        np.float32(above * before), np.float32(above * after), np.float32(below * before), np.float32(below * after)
    )  # fmt: skip


_CORNERS = read_only(2, "f8")


@compiled(f"void({read_only(4)}, {read_only(1, 'i8')}, {_CORNERS}, {_CORNERS}, i8, b1, f4[:,:,:,::1], i8, i8)")
def _align(
    maps: Array, images: Array, corners: Array, sizes: Array, ratio: int, largest: bool, output: Array,
    first: int, last: int,
) -> None:  # fmt: skip
    """Fill the boxes [first, last) of an output [boxes, C, rows, columns] from maps [N, H, W, C]."""
    height, width, channels = maps.shape[1:]
    rows, columns = output.shape[2:]
    total = np.empty(channels, np.float32)
    for box in range(first, last):
        step_y, step_x = sizes[box, 0] / rows, sizes[box, 1] / columns
        down = ratio if ratio > 0 else max(int(np.ceil(step_y)), 0)
        across = ratio if ratio > 0 else max(int(np.ceil(step_x)), 0)
        plane, scale = maps[images[box]], np.float32(1 / max(down * across, 1))
        for row in range(rows):
            for column in range(columns):
                total[:] = 0
                for i in range(down):
                    y = corners[box, 0] + (row * down + i + 0.5) / down * step_y
                    top, bottom, above, below = _taps(y, height)
                    for j in range(across):
                        x = corners[box, 1] + (column * across + j + 0.5) / across * step_x
                        left, right, before, after = _taps(x, width)
                        weights = _products(above, below, before, after)
                        p, q, r, s = plane[top, left], plane[top, right], plane[bottom, left], plane[bottom, right]
                        if largest:
                            _raise(p, q, r, s, weights, total)
                        else:
                            _add(p, q, r, s, weights, total)
                for channel in range(channels):
                    output[box, channel, row, column] = total[channel] if largest else total[channel] * scale


def _are_countable(boxes: Boxes, pooled: tuple[int, int], ratio: int) -> bool:
    """Return whether boxes are finite, and none has more than `SAMPLES_OF_A_BOX` samples."""
    if not np.isfinite(boxes.sizes).all():
        return False
    counts = [float(ratio)] * 2 if ratio else np.ceil(boxes.sizes / pooled).max(axis=0, initial=1).tolist()
    return pooled[0] * pooled[1] * counts[0] * counts[1] <= SAMPLES_OF_A_BOX


@register(keys.ALIGNER)
class CompiledAligner(Aligner):
    """Pools boxes by compiled loops; the threads of a pool share the boxes."""

    def __init__(self, pool: ThreadPool) -> None:
        self._pool = pool

    def align(self, data: Array, boxes: Boxes, pooled: tuple[int, int], ratio: int, largest: bool) -> Array:
        """Return the bins [boxes, C, rows, columns] of boxes of maps [N, C, H, W]."""
        count, (channels, height, width) = len(boxes.images), data.shape[1:]
        bins, samples = pooled[0] * pooled[1], ratio * ratio if ratio else 4
        is_last = np.moveaxis(data, 1, -1).flags.c_contiguous
        read, pixels = count * bins * samples, len(data) * height * width
        few = not is_last and read < policy.ROI_ALIGN_COMPILED_MIN_READ_SHARE * pixels
        if data.dtype != np.float32 or few or 0 in data.shape or not _are_countable(boxes, pooled, ratio):
            return super().align(data, boxes, pooled, ratio, largest)
        output = np.empty((count, channels, *pooled), np.float32)
        maps = in_order(np.moveaxis(data, 1, -1))
        images, corners, sizes = in_order(boxes.images), in_order(boxes.corners), in_order(boxes.sizes)
        work = count * bins * samples * channels
        parts = shares(count, self._pool, work, policy.GRID_SAMPLE_PART_MIN_PIXELS)

        def part(number: int) -> None:
            _align(maps, images, corners, sizes, ratio, largest, output, *parts[number])

        self._pool.run(part, len(parts))
        return output
