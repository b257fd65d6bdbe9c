"""Chooses how many pixels NumPy's im2col convolution computes at a time, by one estimate of times."""

from __future__ import annotations

from ir_plugin.kernels import policy
from ir_plugin.kernels.numpy.banded_convolution import wide_geometry
from ir_plugin.kernels.numpy.convolution import Geometry

FLOPS = 120
"""Floating-point operations a nanosecond of a product."""
PANEL = 16
"""Columns of a product that take as long as fewer."""
RUN, ELEMENT, WEIGHT = 6.0, 0.15, 0.1
"""Nanoseconds for each run of elements that is copied, for each element, and to read a weight."""


def banded_pixels(geometry: Geometry) -> int:
    """Return the number of pixels that is expected to be fastest, which divides the width of the output."""
    width = geometry.output[1]
    most = min(width, policy.BANDED_CONVOLUTION_MAX_PIXELS, policy.BANDED_CONVOLUTION_MAX_COLUMNS // geometry.channels)
    times = {pixels: estimate(geometry, pixels) for pixels in range(2, most + 1) if width % pixels == 0}
    fastest = min(times, key=times.__getitem__, default=1)
    plain = estimate(geometry, 1) * policy.BANDED_CONVOLUTION_MAX_TIME_RATIO
    return fastest if fastest in times and times[fastest] < plain else 1


def estimate(geometry: Geometry, pixels: int) -> float:
    """Estimate the time in nanoseconds with `pixels` outputs computed at a time."""
    wide = wide_geometry(geometry, pixels)
    depth = wide.kernel[0] * wide.kernel[1] * wide.data[3]
    rows = wide.data[0] * wide.output[0] * wide.output[1]
    columns = -(-wide.channels // PANEL) * PANEL
    copies = rows * (RUN * wide.kernel[0] + ELEMENT * depth)
    return 2 * rows * depth * columns / FLOPS + copies + WEIGHT * depth * wide.channels
