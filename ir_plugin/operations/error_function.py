"""The error function, its complement and its inverse, accurate to float64; NumPy has none of them.

Up to 1, erf(x) / x is a polynomial in x². From there on (x + 3) exp(x²) erfc(x) is one in (x - 3) / (x + 3), which maps
all larger numbers into [-1/2, 1]. The coefficients come from Chebyshev interpolation in 40 digits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ir_plugin.tensors import Array

Reals = npt.NDArray[np.float64]

_SMALL = (
    0.9654687386698673, -0.1405360890227171, 0.019852496688983708, -0.0022854855611440673, 0.00021751715604160108,
    -1.75371694414921e-05, 1.223382738352401e-06, -7.511569160678138e-08, 4.11580059766496e-09,
    -2.0352493920247854e-10, 9.167606746069445e-12, -3.7910930392717217e-13, 1.454817075960679e-14,
    -5.166061616805981e-16,
)  # fmt: skip
"""erf(x) / x by powers of 2x² - 1."""

_LARGE = (
    0.885637101864549, -0.4796614430843352, 0.22387273334256325, -0.08762571665290257, 0.027317987192582105,
    -0.005992101445211156, 0.0005111598748078276, 0.00020565983849200474, -8.285365097926504e-05,
    2.2201031255319802e-06, 6.227274095929632e-06, -1.1154404520726076e-06, -4.4449389906874936e-07,
    1.5257553680284013e-07, 3.592315647726054e-08, -1.8292634773908037e-08, -3.621647649520109e-09,
    2.0116117970802663e-09, 4.145778223602259e-10, -1.509662356041803e-10, -3.431427860687693e-11,
)  # fmt: skip
"""(x + 3) exp(x²) erfc(x) by powers of (4t - 1) / 3, where t is (x - 3) / (x + 3)."""

_BLOCK = 1 << 16
_HALF_SQRT_PI = 0.8862269254527580


def erf(x: Array) -> Array:
    """Return the error function: in float64 within 2e-16, for other types rounded from that."""
    return _in_blocks(_erf, x)


def erfc(x: Array) -> Array:
    """Return 1 - erf(x), with the same relative accuracy where it is tiny."""
    return _in_blocks(_erfc, x)


def erfinv(x: Array) -> Array:
    """Return the y with erf(y) = x: infinite at -1 and 1, NaN beyond."""
    return _in_blocks(_erfinv, x)


def _in_blocks(function: Callable[[Reals], Reals], x: Array) -> Array:
    """Return `function` of all elements, computed in float64 in blocks that fit a cache."""
    result = np.empty(x.shape, x.dtype)
    source, target = np.ascontiguousarray(x).reshape(-1), result.reshape(-1)
    with np.errstate(all="ignore"):
        for start in range(0, source.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            target[block] = function(source[block].astype(np.float64))
    return result


def _polynomial(coefficients: tuple[float, ...], u: Reals) -> Reals:
    total = np.full_like(u, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total *= u
        total += coefficient
    return total


def _erf_small(x: Reals) -> Reals:
    result: Reals = x * _polynomial(_SMALL, 2 * x * x - 1)
    return result


def _erfcx(x: Reals) -> Reals:
    """Return exp(x²) erfc(x) for x of at least 1, infinity included."""
    t = np.where(np.isinf(x), 1.0, (x - 3) / (x + 3))
    result: Reals = _polynomial(_LARGE, (4 * t - 1) / 3) / (x + 3)
    return result


def _exp_square(x: Reals) -> Reals:
    """Return exp(-x²), corrected for the rounding error of the square."""
    head = (x * 134217729.0) - (x * 134217729.0 - x)
    tail = x - head
    result: Reals = np.exp(-head * head) * np.exp(-(2 * head + tail) * tail)
    return np.where(np.abs(x) > 30, 0.0, result)


def _erf(x: Reals) -> Reals:
    size = np.abs(x)
    near = np.minimum(size, 1.0)
    far = np.maximum(size, 1.0)
    large = 1.0 - _exp_square(far) * _erfcx(far)
    return np.where(np.isnan(x), x, np.copysign(np.where(size <= 1, _erf_small(near), large), x))


def _erfc(x: Reals) -> Reals:
    far = np.maximum(np.abs(x), 1.0)
    tail = _exp_square(far) * _erfcx(far)
    small = 1.0 - _erf_small(np.clip(x, -1.0, 1.0))
    return np.where(np.abs(x) <= 1, small, np.where(x > 0, tail, np.where(np.isnan(x), x, 2.0 - tail)))


def _erfinv(x: Reals) -> Reals:
    """Return the inverse: an approximation, refined by Newton's method on erf, or on log(erfc) in the tails."""
    size = np.abs(x)
    inside = np.minimum(size, 1 - 2.0**-53)
    log = np.log1p(-inside * inside)
    half = 2 / (np.pi * 0.147) + log / 2
    y = np.sqrt(np.sqrt(half * half - log / 0.147) - half)
    near, far = np.minimum(y, 1.0), np.maximum(y, 1.0)
    rest = np.log1p(-inside)
    for _ in range(4):
        near = near - (_erf_small(near) - inside) * _HALF_SQRT_PI * np.exp(near * near)
        near = np.clip(near, 0.0, 1.0)
        scaled = _erfcx(far)
        far = np.maximum(far + (np.log(scaled) - far * far - rest) * scaled * _HALF_SQRT_PI, 1.0)
    inverse = np.where(inside <= _ERF_OF_1, near, far)
    inverse = np.where(size == 1, np.inf, np.where(size > 1, np.nan, inverse))
    return np.where(np.isnan(x), x, np.copysign(inverse, x))


_ERF_OF_1 = 0.8427007929497149
