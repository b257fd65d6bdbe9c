"""IRDFT: real numbers from half of their Fourier transform over some axes. Specification: signals/IRDFT-9."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.signals.fourier import (
    Fourier,
    as_complex,
    from_front,
    full_sizes,
    pairs_of,
    resized,
    resized_dim,
)
from ir_plugin.operations.signals.rdft import require_axes
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class IRDFT(Fourier, version=9):
    """The inverse of RDFT: real numbers from complex `data` whose last dimension is the real and the imaginary part.

    `axes` cannot name that dimension. The last of `axes`, of length m, becomes 2 * (m - 1) long, or n as given by
    `signal_size`, for which it is first truncated or zero-padded to n // 2 + 1; the other axes are truncated or padded
    to their signal sizes. (OpenVINO, which cannot pad, and PyTorch do the same. The page's formulas mirror every axis
    before truncation, which contradicts the shapes it gives.)
    """

    needs_values = (1, 2)

    def infer(self, data: TensorInfo, axes: TensorInfo, signal_size: TensorInfo | None = None) -> TensorInfo:
        """Return the type of the data and its shape with the signal sizes, without the last dimension."""
        inner = pairs_of("data", data.shape)
        transformed = self._transformed_axes(data, axes, inner.ndim)
        sizes = self._sizes(axes, signal_size)
        require_axes(axes)
        if inner.ndim is None or transformed is None:
            return data.with_shape(None if inner.ndim is None else PartialShape.dynamic(inner.ndim))
        dims = list(inner)
        dims[transformed[-1]] = dims[transformed[-1]].map(_doubled)
        for position, axis in enumerate(transformed):
            dims[axis] = dims[axis] if signal_size is None else resized_dim(dims[axis], sizes, position)
        return data.with_shape(dims)

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the axes."""
        return {1: Range.below(inputs.rank(0) - 1, distinct=True)}

    def evaluate(self, data: Array, axes: Array, signal_size: Array | None = None) -> Array:
        """Return the real numbers."""
        transformed = from_front(axes, data.ndim - 1)
        shape = list(data.shape[:-1])
        shape[transformed[-1]] = _doubled(shape[transformed[-1]])
        sizes = full_sizes(shape, transformed, signal_size)
        half = [*sizes[:-1], sizes[-1] // 2 + 1]
        data = resized(data, transformed, half)
        for axis, size in zip(transformed, sizes, strict=True):
            shape[axis] = size
        if 0 in shape:
            return np.zeros(shape, data.dtype)
        return np.fft.irfftn(as_complex(data), sizes, transformed).astype(data.dtype)


def _doubled(length: int) -> int:
    return max(2 * (length - 1), 0)
