"""Functions of one number, to the accuracy of f32, which compiled kernels use inside their loops."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels.in_place import GELU_QUOTIENT
from ir_plugin.kernels.numba.runtime.jit import compiled

_HALF = np.float32(0.5)
_ABOVE_0, _ABOVE_1, _ABOVE_2, _ABOVE_3, _ABOVE_4, _ABOVE_5, _ABOVE_6 = map(np.float32, GELU_QUOTIENT[0])
_BELOW_0, _BELOW_1, _BELOW_2, _BELOW_3, _BELOW_4 = map(np.float32, GELU_QUOTIENT[1])


@compiled("f4(f4, f4, f4)")
def limited(x: float, low: float, high: float) -> float:
    """Return x cut to [low, high]; NaN stays NaN. Comparisons of Python's would get no vector form."""
    result: float = np.minimum(np.maximum(low, x), high)
    return result


@compiled("f4(i4)")
def _power_of_two(n: int) -> float:
    """Return 2**n, built from the bits of a float."""
    power: float = np.int32((n + np.int32(127)) << np.int32(23)).view(np.float32)
    return power


@compiled("f4(f4, f4)")
def _exp_of_rest(x: float, n: float) -> float:
    """Return exp(x) / 2**n, as Cephes' polynomial."""
    r = x - n * np.float32(0.693359375) + n * np.float32(2.12194440e-4)
    p = np.float32(1.9875691500e-4) * r + np.float32(1.3981999507e-3)
    p = p * r + np.float32(8.3334519073e-3)
    p = p * r + np.float32(4.1665795894e-2)
    p = p * r + np.float32(1.6666665459e-1)
    p = p * r + np.float32(5.0000001201e-1)
    result: float = p * r * r + r + np.float32(1)
    return result


@compiled("f4(f4)")
def exp(x: float) -> float:
    """Return the exponential, to 2e-7 of its value; 0 where it is no normal number, infinity from 2**127.5 on."""
    x = limited(x, np.float32(-88), np.float32(89))
    n = np.floor(x * np.float32(1.44269504088896341) + _HALF)
    result: float = _exp_of_rest(x, n) * _power_of_two(np.int32(n))
    return result


@compiled("f4(f4)")
def whole_exp(x: float) -> float:
    """Return the exponential to 2e-7 of its value up to the largest number, and down to the smallest, by two powers."""
    x = limited(x, np.float32(-104), np.float32(89))
    n = np.floor(x * np.float32(1.44269504088896341) + _HALF)
    half = np.int32(n) >> np.int32(1)
    result: float = _exp_of_rest(x, n) * _power_of_two(half) * _power_of_two(np.int32(n) - half)
    return result


@compiled("f4(f4)")
def sigmoid(x: float) -> float:
    """Return 1 / (1 + exp(-x)), which keeps the digits of tiny results; half of 1 + tanh(x / 2) does not."""
    result: float = np.float32(1) / (np.float32(1) + exp(-x))
    return result


@compiled("f4(f4)")
def tanh(x: float) -> float:
    """Return tanh within 1e-7: by exp(-2 |x|) from 0.625 on, below by Cephes' polynomial."""
    size = abs(x)
    t = exp(np.float32(-2) * size)
    large = np.float32(1) - np.float32(2) * t / (np.float32(1) + t)
    s = x * x
    p = np.float32(-5.70498872745e-3) * s + np.float32(2.06390887954e-2)
    p = p * s + np.float32(-5.37397155531e-2)
    p = p * s + np.float32(1.33314422036e-1)
    p = p * s + np.float32(-3.33332819422e-1)
    small = p * s * x + x
    result: float = np.copysign(large if size > np.float32(0.625) else small, x)
    return result


@compiled("f4(f4)")
def gelu(x: float) -> float:
    """Return x (1 + erf(x / √2)) / 2 within 1.2e-6, with erf as a quotient of polynomials of x².

    It takes a third of the time of erf by tanh.
    """
    s = x * x
    s = np.float32(32) if s > np.float32(32) else s
    p = _ABOVE_0 * s + _ABOVE_1
    p = p * s + _ABOVE_2
    p = p * s + _ABOVE_3
    p = p * s + _ABOVE_4
    p = p * s + _ABOVE_5
    p = p * s + _ABOVE_6
    q = _BELOW_0 * s + _BELOW_1
    q = q * s + _BELOW_2
    q = q * s + _BELOW_3
    q = q * s + _BELOW_4
    result: float = x * (limited(x * p / q, -_HALF, _HALF) + _HALF)
    return result


@compiled("f4(f4)")
def gelu_by_tanh(x: float) -> float:
    """Return x (1 + tanh(u)) / 2 with u = √(2/π) (x + 0.044715 x³), as x times the sigmoid of 2 u."""
    u = x * (np.float32(1.5957691216) + np.float32(0.0713548163) * x * x)
    result: float = x * sigmoid(u)
    return result


@compiled("f4(f4)")
def erf(x: float) -> float:
    """Return the error function within 2e-7: `kernels.in_place.erf`."""
    s = x * x
    s = np.float32(25) if s > np.float32(25) else s
    p = np.float32(1.58967949e-7) * s + np.float32(-5.98579732e-6)
    p = p * s + np.float32(8.9713061e-5)
    p = p * s + np.float32(-6.25720324e-4)
    p = p * s + np.float32(-1.84383488e-4)
    p = p * s + np.float32(0.102765482)
    p = p * s + np.float32(1.12837971)
    result: float = tanh(x * p)
    return result


@compiled("f4(f4, f4, f4, f4, f4, f4, f4)", exact=True)
def round_to_levels(
    x: float, inverse: float, shift: float, low: float, high: float, scale: float, offset: float
) -> float:
    """Return x rounded to levels and back, to the bit: `operations.quantization.levels.round_to_levels`."""
    level = np.rint(x * inverse + shift)
    level = low if level < low else level
    level = high if level > high else level
    result: float = level * scale + offset
    return result
