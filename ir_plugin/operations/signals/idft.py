"""IDFT: the inverse discrete Fourier transform over some axes. Specification: signals/IDFT-7."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.signals.dft import DFT
from ir_plugin.operations.signals.fourier import Complex


class IDFT(DFT, version=7):
    """As DFT-7, but the inverse transform, divided by the number of transformed elements."""

    def _transform(self, numbers: Complex, axes: list[int]) -> Complex:
        transformed: Complex = np.fft.ifftn(numbers, axes=axes)
        return transformed
