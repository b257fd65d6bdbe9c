"""Chooses the m of Winograd's F(m, 3) for a convolution, or none, by one estimate of times for each provider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from ir_plugin.kernels import policy
from ir_plugin.kernels.numpy.convolution import Geometry


@dataclass(frozen=True)
class Costs:
    """What a provider's kernels take, in one thread, fitted to the times of `python -m benchmarks.winograd`."""

    flops: float
    """Floating-point operations a nanosecond of a product of great depth."""
    half_depth: float
    """The depth at which a product reaches half of that."""
    weight: float
    """Nanoseconds to read a weight."""
    transform: dict[int, float]
    """Nanoseconds of both transforms by m, for a tile and a channel."""
    start: float
    """Nanoseconds that Winograd takes before any work."""
    batch: float = 1
    """How many times as long Winograd's products take in a batch as in one of all their rows."""

    def product(self, rows: int, depth: int, width: int) -> float:
        """Return the nanoseconds of the product [rows, depth] by [depth, width]."""
        flops = self.flops * depth / (depth + self.half_depth)
        return 2 * rows * depth * width / flops + self.weight * depth * width


NUMPY = Costs(120, 29, 0.1, {2: 6.3, 4: 37.0}, 31_000)
"""The chosen kernels take 1 % longer than the fastest ones over the shapes of the benchmark, at most 31 %."""

NUMPY_SHARED = Costs(200, 29, 0.1, {2: 6.3, 4: 37.0}, 31_000, 1.5)
"""The same where BLAS' threads share products, but not the small ones of a batch; at most 13 %."""

NUMBA = Costs(280, 2, 0.05, {2: 2.7, 4: 6.7}, 1_900)
"""The chosen kernels take as long as the fastest ones in two threads, and 2 % longer in one, at most 35 %."""


def winograd_size(geometry: Geometry, largest: int, costs: Costs, packed: Sequence[int] = ()) -> int:
    """Return the m of the F(m, 3) that is expected to be fastest, at most `largest`, or 0 for no Winograd.

    Filters that another plan has `packed` are reused if that takes little longer, since they are several times the size
    of the weights.
    """
    if not can_transform(geometry):
        return 0
    times = {0: estimate(geometry, 0, costs) * policy.WINOGRAD_MAX_TIME_RATIO}
    times |= {size: estimate(geometry, size, costs) for size in costs.transform if size <= largest}
    fastest = min(times, key=times.__getitem__)
    if fastest == 0 or fastest in packed:
        return fastest
    longest = times[fastest] * policy.WINOGRAD_PACKED_MAX_TIME_RATIO
    return next((size for size in packed if times.get(size, inf) <= longest), fastest)


def can_transform(geometry: Geometry) -> bool:
    """Return whether a convolution is one that Winograd computes, of as many channels as make it worthwhile."""
    is_three = geometry.kernel == (3, 3) and geometry.strides == geometry.dilations == (1, 1)
    return is_three and min(geometry.data[3], geometry.channels) >= policy.WINOGRAD_MIN_CHANNELS


def estimate(geometry: Geometry, size: int, costs: Costs) -> float:
    """Return the expected nanoseconds of a 3x3 convolution by F(size, 3), or without Winograd for 0."""
    (height, width), (samples, *_, depth), outputs = geometry.output, geometry.data, geometry.channels
    if size == 0:
        return costs.product(samples * height * width, 9 * depth, outputs)
    tiles = samples * -(-height // size) * -(-width // size)
    products = costs.batch * (size + 2) ** 2 * costs.product(tiles, depth, outputs)
    return costs.start + products + costs.transform[size] * tiles * (depth + outputs)
