"""Convolutions and products of u8 with i8 by products of floats that are whole numbers, so that sums are exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ir_plugin.kernels.numpy.convolution import Geometry, Run
from ir_plugin.kernels.numpy.epilogue import by_rows
from ir_plugin.kernels.numpy.quantization import SumsEpilogue, finish
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array

EXACT = 2**24
"""Whole numbers up to which f32 has all."""

MakeRun = Callable[[Array, ThreadPool], Run]
"""Makes a convolution with weights of floats."""


def float_weights(weights: Array) -> Array:
    """Return i8 weights [..., K] as floats in which no sum of products with u8 is rounded."""
    largest = 255 * int(np.abs(weights.astype(np.int64)).reshape(-1, *weights.shape[-3:]).sum((1, 2, 3)).max())
    return weights.astype(np.float32 if largest < EXACT else np.float64)


def integer_convolution(
    geometry: Geometry, weights: Array, zero: int, epilogue: SumsEpilogue, make: MakeRun, pool: ThreadPool
) -> Run:
    """Return the convolution of levels, of which `zero` means 0, by one of floats that `make` makes."""
    floats = float_weights(weights)
    convolution = make(floats, pool)
    data_shape, output_shape = geometry.data, (geometry.data[0], *geometry.output, geometry.channels)
    numbers, sums = np.empty(data_shape, floats.dtype), np.empty(output_shape, floats.dtype)
    rows = by_rows(epilogue.rest.stages, geometry.channels)

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        np.subtract(data, floats.dtype.type(zero), out=numbers, dtype=floats.dtype)
        convolution(numbers, sums, ())
        width = geometry.channels
        finish(sums.reshape(-1, width), epilogue, rows, output.reshape(-1, width), operands)

    return run
