"""The noise of a quantizer, and the least noise that its number of levels allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import unpack

_SHRINKS = (1.0, 0.93, 0.86, 0.8, 0.73, 0.66, 0.6, 0.5, 0.4, 0.3, 0.2)
"""The parts of the range of the numbers that are tried as the range of the levels."""
_MAX_ELEMENTS = 2**18
_MIN_SHARE = 0.25
"""The least part of the noise of a uniform rounding that a range may be credited with: few numbers fit by chance."""
_FARTHEST = 0.01
_MAX_DB = 100.0


@dataclass(frozen=True)
class Noise:
    """Sums of squares over the numbers of a quantizer."""

    signal: float
    noise: float
    least: float
    """The noise of the best range for as many levels."""
    lost: float
    """Decibels between `noise` and `least`: over the whole tensor, or on average of its channels if that is more."""
    usual_lost: float
    """The same without the 1 % of the numbers that are farthest off, such as outliers beyond the range."""
    clipped: float
    """The part of the numbers beyond the levels."""
    clipping: float
    """The part of the noise that they make."""
    offset: float
    """The part of the noise that is a constant shift."""
    gain: float
    """The slope of the quantized numbers over the numbers."""

    @property
    def sqnr(self) -> float:
        """The signal-to-quantization-noise ratio in decibels."""
        return decibels(self.signal, self.noise)


def decibels(signal: float, noise: float) -> float:
    """Return a ratio of powers in decibels; infinite without noise."""
    if noise <= 0:
        return float("inf")
    return float(10 * np.log10(signal / noise)) if signal > 0 else float("-inf")


@dataclass(frozen=True)
class Levels:
    """The numbers that a quantizer rounds to: `count` uniform levels, or the codes of an element type."""

    count: int | None
    element_type: ElementType | None
    is_symmetric: bool

    @property
    def grid(self) -> int | Array:
        """The number of uniform levels, or the values of the codes between -1 and 1."""
        type = self.element_type
        if type is None or type.is_integer:
            return self.count or (2**type.bits if type is not None else 2)
        return _codes(type)


def noise_of(numbers: Array, quantized: Array, axes: Sequence[int], levels: Levels) -> Noise | None:
    """Return the noise of quantized numbers; None without finite numbers.

    `axes` are those along which the elements share a range. Integer codes are as many levels; floating-point codes
    are scaled so that the largest code is the largest number.
    """
    x, y = _rows(numbers, quantized, axes)
    keep = np.isfinite(x) & np.isfinite(y)
    if not keep.any():
        return None
    x, y = np.where(keep, x, 0.0), np.where(keep, y, 0.0)
    error, grid = y - x, levels.grid
    noise, signal = (error**2).sum(1), (x**2).sum(1)
    least = _least(x, grid, levels.is_symmetric)
    total = float(noise.sum())
    return Noise(
        float(signal.sum()),
        total,
        float(least.sum()),
        _lost(noise, least),
        _lost(_trimmed(error), least),
        *_clipping(x, y, error, grid if isinstance(grid, int) else grid.size),
        float(error.sum() ** 2 / error.size / total) if total else 0.0,
        _gain(x, y),
    )


def _rows(numbers: Array, quantized: Array, axes: Sequence[int]) -> tuple[Array, Array]:
    """Return the numbers as rows that share a range, at most `_MAX_ELEMENTS` of activations."""
    others = [axis for axis in range(numbers.ndim) if axis not in axes]
    order = [*others, *sorted(axes)]
    count = int(np.prod([numbers.shape[axis] for axis in others])) if others else 1
    rows = [np.transpose(array, order).reshape(count, -1) for array in (numbers, quantized)]
    step = max(1, -(-numbers.size // _MAX_ELEMENTS))
    x, y = (row[:, :: step | 1].astype(np.float64) for row in rows)
    return x, y


@lru_cache(maxsize=1024)
def _codes(element_type: ElementType) -> Array:
    bits = element_type.bits
    data = np.arange(2**bits, dtype=np.uint8)
    packed = (data[::2] | data[1::2] << 4) if bits == 4 else data
    values = np.unique(unpack(packed, element_type, 2**bits).astype(np.float64))
    values = values[np.isfinite(values)]
    return np.asarray(values / np.abs(values).max())


def _least(x: Array, grid: int | Array, symmetric: bool) -> Array:
    """Return the least noise of each row over ranges that are parts of the range of its numbers."""
    low, high = x.min(1, keepdims=True), x.max(1, keepdims=True)
    if symmetric or not isinstance(grid, int):
        high = np.maximum(np.abs(low), np.abs(high))
        low = -high
    else:
        low, high = np.minimum(low, 0), np.maximum(high, 0)
    best = np.full(len(x), np.inf)
    for part in _SHRINKS:
        rounded = _rounded(x, low * part, high * part, grid)
        best = np.minimum(best, ((rounded - x) ** 2).sum(1))
    if isinstance(grid, int):
        step = (high - low)[:, 0] / max(grid - 1, 1)
        floor = step**2 / 12 * (x != 0).sum(1)
    else:
        floor = best
    return np.asarray(np.maximum(best, _MIN_SHARE * floor))


def _rounded(x: Array, low: Array, high: Array, grid: int | Array) -> Array:
    if not isinstance(grid, int):
        scale = np.where(high > 0, high, 1.0)
        middles = (grid[1:] + grid[:-1]) / 2
        return np.asarray(grid[np.searchsorted(middles, x / scale)] * scale)
    step = np.where(high > low, (high - low) / max(grid - 1, 1), 1.0)
    first = np.rint(low / step)
    return np.asarray(np.clip(np.rint(x / step), first, first + grid - 1) * step)


def _lost(noise: Array, least: Array) -> float:
    """Return decibels between noise and the least noise, of the whole or on average of the rows."""
    whole = _difference(noise.sum(), least.sum())
    return max(whole, float(np.mean([_difference(a, b) for a, b in zip(noise, least, strict=True)])))


def _trimmed(error: Array) -> Array:
    """Return the noise of each row without the farthest numbers."""
    squares = error**2
    limit = np.quantile(squares, 1 - _FARTHEST)
    return np.asarray(np.where(squares <= limit, squares, 0.0).sum(1))


def _difference(noise: float, least: float) -> float:
    if noise <= least:
        return 0.0
    return min(float(10 * np.log10(noise / least)), _MAX_DB) if least > 0 else _MAX_DB


def _clipping(x: Array, y: Array, error: Array, levels: int) -> tuple[float, float]:
    """Return the part of the numbers half a step beyond the levels of their row, and of the noise."""
    high, low, total = y.max(1, keepdims=True), y.min(1, keepdims=True), float((error**2).sum())
    half = (high - low) / max(levels - 1, 1) / 2
    beyond = np.abs(error) > 1.01 * half
    beyond &= (x > high) | (x < low)
    return float(beyond.mean()), float((error[beyond] ** 2).sum() / total) if total else 0.0


def _gain(x: Array, y: Array) -> float:
    power = float((x * x).sum())
    return float((x * y).sum()) / power if power else 1.0
