"""Convolutions and products of levels of u8 with i8 weights, which only passes create."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.kernels import convolve
from ir_plugin.operations.windows import padded
from ir_plugin.tensors import Array


class QuantizedConvolution(Convolution):
    """The convolution of levels, of which `zero` means 0, with i8 filters, times a scale for each channel, in f32.

    Sums are exact. Filters of a grouped 2-D convolution have five dimensions.
    """

    type = "QuantizedConvolution"
    is_internal = True

    zero: int

    def evaluate(self, data: Array, filters: Array, *scale: Array) -> Array:
        """Return the scaled sums of products."""
        grouped = filters if filters.ndim > data.ndim else filters[None]
        windows = self.windows(data.ndim - 2)
        begin, end = windows.pads(data.shape[2:], grouped.shape[3:])
        numbers = padded(data.astype(np.float64) - self.zero, begin, end)
        sums = convolve(numbers, grouped.astype(np.float64), windows.strides, windows.dilations)
        scaled: Array = sums.astype(np.float32) * scale[0].reshape(-1, *(1,) * (data.ndim - 2))
        return scaled


class QuantizedMatMul(Operation):
    """The product of levels, of which `zero` means 0, with i8 weights [K, N], times a scale a column, in f32.

    Sums are exact.
    """

    type = "QuantizedMatMul"
    is_internal = True

    zero: int

    def evaluate(self, data: Array, weights: Array, scale: Array) -> Array:
        """Return the scaled products."""
        sums = np.matmul(data.astype(np.float64) - self.zero, weights.astype(np.float64))
        scaled: Array = sums.astype(np.float32) * scale
        return scaled
