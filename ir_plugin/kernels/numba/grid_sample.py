"""Samples of an image at given points, by blocks of points whose positions and weights stay in the cache.

Every step is computed as in `operations.image.grid_sample`, in f32 and in the same order.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.jit import compiled, read_only
from ir_plugin.kernels.numpy.movement import in_order
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool, shares
from ir_plugin.tensors import Array

BLOCK = 256
"""Places that are done at once: with the 16 taps of bicubic their positions and weights take 48 KB."""

TAPS = {"nearest": 1, "bilinear": 2, "bicubic": 4}
"""Pixels along an axis that make up one place."""
ZEROS, BORDER, REFLECTION = range(3)
PADDINGS = {"zeros": ZEROS, "border": BORDER, "reflection": REFLECTION}

_ZERO, _HALF, _ONE, _FAR = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2.0**40)
_A = np.float32(-0.75)
_NEAR, _NEARER = np.float32(-0.75 + 2), np.float32(-0.75 + 3)
_FIVE, _EIGHT, _FOUR_A = np.float32(5), np.float32(8), np.float32(4 * -0.75)


@register_jitable
def _coordinates(points: Array, length: int, corners: bool, at: Array) -> None:
    """Fill `at` with where points in [-1, 1] lie along an axis, in pixels."""
    size = np.float32(length)
    for k in range(len(points)):
        x = points[k] + _ONE
        x = x * _HALF * (size - _ONE) if corners else (x * size - _ONE) * _HALF
        at[k] = np.minimum(np.maximum(x if x == x else _ZERO, -_FAR), _FAR)  # noqa: PLR0124


@register_jitable
def _move_inside(at: Array, length: int, padding: int, corners: bool) -> None:
    """Clamp or reflect coordinates into the image; with padding by zeros they stay."""
    last = np.float32(length - 1)
    if padding == REFLECTION:
        edge = _ZERO if corners else _HALF
        period = np.float32(2 * (length - 1) if corners else 2 * length)
        for k in range(len(at)):
            folded = abs(at[k] + edge)
            if folded >= period:
                folded = np.float32(np.fmod(folded, period)) if period > _ZERO else _ZERO
            at[k] = np.minimum(folded, period - folded) - edge
    if padding != ZEROS:
        for k in range(len(at)):
            at[k] = np.minimum(np.maximum(at[k], _ZERO), last)


@register_jitable
def _note(at: Array, length: int, padding: int, positions: Array, weights: Array) -> None:
    """Note the pixels at whole coordinates; one that is outside weighs nothing where zeros are there."""
    last = np.float32(length - 1)
    for k in range(len(at)):
        cut = np.minimum(np.maximum(at[k], _ZERO), last)
        positions[k] = np.int32(cut)
        weights[k] = weights[k] if cut == at[k] or padding != ZEROS else _ZERO


@register_jitable
def _taps(
    points: Array, length: int, padding: int, corners: bool, positions: Array, weights: Array, room: Array
) -> None:
    """Note the pixels along an axis that make up each point, and their weights, in arrays [taps, points]."""
    taps, count = len(positions), len(points)
    at, moved = room[0, :count], room[1, :count]
    _coordinates(points, length, corners, at)
    if taps < 4:
        _move_inside(at, length, padding, corners)
    for tap in range(taps):
        weight = weights[tap, :count]
        for k in range(count):
            left = np.float32(np.floor(at[k]))
            s = at[k] - left
            if taps == 1:
                moved[k], weight[k] = np.float32(np.rint(at[k])), _ONE
            elif taps == 2:
                moved[k], weight[k] = left + np.float32(tap), s if tap == 1 else _ONE - s
            else:
                moved[k], weight[k] = left + np.float32(tap - 1), _cubic(s, tap)
        if taps == 4:
            _move_inside(moved, length, padding, corners)
        _note(moved, length, padding, positions[tap, :count], weight)


@register_jitable
def _cubic(s: float, tap: int) -> float:
    """Return the cubic weight of pixel `tap` of four, for a point at the distance `s` after pixel 1."""
    x = s if tap == 1 else _ONE - s if tap == 2 else s + _ONE if tap == 0 else np.float32(2) - s
    near = (_NEAR * x - _NEARER) * x * x + _ONE
    weight: float = near if 0 < tap < 3 else ((x - _FIVE) * x + _EIGHT) * x * _A - _FOUR_A
    return weight


@register_jitable
def _sum_taps(pixels: Array, at: Array, by: Array, taps: int, target: Array) -> None:
    """Fill points with the pixels of their taps, at positions [taps², points], times their weights."""
    count = target.shape[0]
    if taps == 1:
        for k in range(count):
            target[k] = pixels[at[0, k]] if by[0, k] > _ZERO else _ZERO
    elif taps == 2:
        for k in range(count):
            upper = pixels[at[0, k]] * by[0, k] + pixels[at[1, k]] * by[1, k]
            target[k] = upper + pixels[at[2, k]] * by[2, k] + pixels[at[3, k]] * by[3, k]
    else:
        for k in range(count):
            total = _ZERO
            for tap in range(16):
                total += pixels[at[tap, k]] * by[tap, k]
            target[k] = total


@compiled(f"void({read_only(4)}, {read_only(3)}, i8, i8, b1, f4[:,:,::1], i8, i8)", exact=True)
def _sample(
    data: Array, grid: Array, taps: int, padding: int, corners: bool, output: Array, first: int, last: int
) -> None:
    """Fill some blocks of points of an output [N, C, points] from data [N, C, H, W] and a grid [N, points, 2]."""
    channels, height, width = data.shape[1:]
    points = output.shape[2]
    blocks = -(-points // BLOCK)
    positions, weights = np.empty((2, taps, BLOCK), np.int32), np.empty((2, taps, BLOCK), np.float32)
    at, by = np.empty((taps * taps, BLOCK), np.uint32), np.empty((taps * taps, BLOCK), np.float32)
    room = np.empty((2, BLOCK), np.float32)
    for number in range(first, last):
        image, start = number // blocks, number % blocks * BLOCK
        count = min(BLOCK, points - start)
        _taps(grid[image, start : start + count, 1], height, padding, corners, positions[0], weights[0], room)
        _taps(grid[image, start : start + count, 0], width, padding, corners, positions[1], weights[1], room)
        for tap in range(taps * taps):
            row, column = tap // taps, tap % taps
            for k in range(count):
                at[tap, k] = np.uint32(positions[0, row, k] * np.int32(width) + positions[1, column, k])
                by[tap, k] = weights[0, row, k] * weights[1, column, k]
        for channel in range(channels):
            pixels, target = data[image, channel].reshape(-1), output[image, channel, start : start + count]
            _sum_taps(pixels, at, by, taps, target)


@register(keys.GRID_SAMPLE)
def sample(data: Array, grid: Array, mode: str, padding: str, corners: bool, output: Array, pool: ThreadPool) -> None:
    """Fill an output [N, C, H_out, W_out] from data [N, C, H, W] at the points of a grid [N, H_out, W_out, 2]."""
    images, channels, *size = output.shape
    points = size[0] * size[1]
    taps, blocks = TAPS[mode], images * -(-points // BLOCK)
    parts = shares(blocks, pool, images * points * (channels + 2) * taps**2, policy.GRID_SAMPLE_PART_MIN_PIXELS)
    pixels, at = in_order(data), in_order(grid)
    at, target = at.reshape(images, points, 2), output.reshape(images, channels, points)

    def part(number: int) -> None:
        _sample(pixels, at, taps, PADDINGS[padding], corners, target, *parts[number])

    pool.run(part, len(parts))
