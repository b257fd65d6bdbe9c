"""Winograd's transforms of one tile, for `CHANNELS` channels at once.

A tile's elements are contiguous in a scratch array, `CHANNELS` numbers each. A pass along one axis writes `SPAN`
numbers after its input: at constant distances the compiler uses vectors, without proving that arrays do not overlap.
"""

from __future__ import annotations

from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.jit import compiled
from ir_plugin.tensors import Array

CHANNELS = 32
"""Channels that are transformed at once: a multiple of the width of every register."""
SPAN = 36 * CHANNELS
SCRATCH = 3 * SPAN
_2, _3, _4, _5, _6 = (number * CHANNELS for number in range(2, 7))
_8, _12, _16, _18, _20, _24, _30 = (number * CHANNELS for number in (8, 12, 16, 18, 20, 24, 30))


@register_jitable
def _back_2(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    return a + b + c, b - c - d


@register_jitable
def _data_4(
    a: float, b: float, c: float, d: float, e: float, f: float
) -> tuple[float, float, float, float, float, float]:
    far, near = e - c, d - b
    twice, even, odd = near + near, e - (c + c + c + c), d - (b + b + b + b)
    rest = a - c
    return rest + rest + rest + rest + far, even + odd, even - odd, far + twice, far - twice, f - d - (twice + twice)


@register_jitable
def _back_4(a: float, b: float, c: float, d: float, e: float, f: float) -> tuple[float, float, float, float]:
    plus, minus, wide, apart = b + c, b - c, d + e, d - e
    twice = apart + apart
    fourfold = wide + wide + wide + wide
    return a + plus + wide, minus + twice, plus + fourfold, minus + twice + twice + twice + twice + f


@compiled("void(f4[::1])")
def data_2(scratch: Array) -> None:
    """Transform the 4x4 elements of a tile of data; the result lies 2 SPAN numbers further."""
    for line in range(4):
        x = scratch[line * _4 :]
        for c in range(CHANNELS):
            first, second, third, fourth = x[c], x[CHANNELS + c], x[_2 + c], x[_3 + c]
            x[SPAN + c], x[SPAN + CHANNELS + c] = first - third, second + third
            x[SPAN + _2 + c], x[SPAN + _3 + c] = third - second, second - fourth
    for column in range(4):
        x = scratch[SPAN + column * CHANNELS :]
        for c in range(CHANNELS):
            first, second, third, fourth = x[c], x[_4 + c], x[_8 + c], x[_12 + c]
            x[SPAN + c], x[SPAN + _4 + c] = first - third, second + third
            x[SPAN + _8 + c], x[SPAN + _12 + c] = third - second, second - fourth


@compiled("void(f4[::1])")
def back_2(scratch: Array) -> None:
    """Transform the 4x4 elements of a tile of products into 2x2; the result lies 2 SPAN numbers further."""
    for line in range(4):
        x = scratch[line * _4 :]
        y = scratch[SPAN + line * _2 :]
        for c in range(CHANNELS):
            y[c], y[CHANNELS + c] = _back_2(x[c], x[CHANNELS + c], x[_2 + c], x[_3 + c])
    for column in range(2):
        x = scratch[SPAN + column * CHANNELS :]
        y = x[SPAN:]
        for c in range(CHANNELS):
            y[c], y[_2 + c] = _back_2(x[c], x[_2 + c], x[_4 + c], x[_6 + c])


@compiled("void(f4[::1])")
def data_4(scratch: Array) -> None:
    """Transform the 6x6 elements of a tile of data; the result lies 2 SPAN numbers further."""
    for line in range(6):
        x = scratch[line * _6 :]
        y = x[SPAN:]
        for c in range(CHANNELS):
            y[c], y[CHANNELS + c], y[_2 + c], y[_3 + c], y[_4 + c], y[_5 + c] = _data_4(
                x[c], x[CHANNELS + c], x[_2 + c], x[_3 + c], x[_4 + c], x[_5 + c]
            )
    for column in range(6):
        x = scratch[SPAN + column * CHANNELS :]
        y = x[SPAN:]
        for c in range(CHANNELS):
            y[c], y[_6 + c], y[_12 + c], y[_18 + c], y[_24 + c], y[_30 + c] = _data_4(
                x[c], x[_6 + c], x[_12 + c], x[_18 + c], x[_24 + c], x[_30 + c]
            )


@compiled("void(f4[::1])")
def back_4(scratch: Array) -> None:
    """Transform the 6x6 elements of a tile of products into 4x4; the result lies 2 SPAN numbers further."""
    for line in range(6):
        x = scratch[line * _6 :]
        y = scratch[SPAN + line * _4 :]
        for c in range(CHANNELS):
            y[c], y[CHANNELS + c], y[_2 + c], y[_3 + c] = _back_4(
                x[c], x[CHANNELS + c], x[_2 + c], x[_3 + c], x[_4 + c], x[_5 + c]
            )
    for column in range(4):
        x = scratch[SPAN + column * CHANNELS :]
        y = x[SPAN:]
        for c in range(CHANNELS):
            y[c], y[_4 + c], y[_8 + c], y[_12 + c] = _back_4(
                x[c], x[_4 + c], x[_8 + c], x[_12 + c], x[_16 + c], x[_20 + c]
            )
