"""RDFT: the discrete Fourier transform of real numbers over some axes. Specification: signals/RDFT-9."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.signals.fourier import Fourier, as_pairs, fitted, from_front, full_sizes, sized
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class RDFT(Fourier, version=9):
    """The Fourier transform along `axes` of real `data`, with real and imaginary parts in a new last dimension.

    By `signal_size` each axis is first cut, or filled with zeros at its end (-1: neither). Of the last of `axes`, of n
    elements, only the first n // 2 + 1 results are kept, as the others are their conjugates.
    """

    def infer(self, data: TensorInfo, axes: TensorInfo, signal_size: TensorInfo | None = None) -> TensorInfo:
        """Return the type of the data, and its shape with the wanted sizes and two parts."""
        transformed = self._transformed_axes(data, axes, data.shape.ndim)
        sizes = self._sizes(axes, signal_size)
        require_some(axes)
        if transformed is None:
            return data.with_shape(PartialShape(None) if data.shape.ndim is None else [*[-1] * data.shape.ndim, 2])
        dims = list(data.shape)
        for position, axis in enumerate(transformed):
            dims[axis] = dims[axis] if signal_size is None else sized(dims[axis], sizes, position)
        dims[transformed[-1]] = dims[transformed[-1]].map(lambda length: length // 2 + 1 if length else 0)
        return data.with_shape([*dims, 2])

    def evaluate(self, data: Array, axes: Array, signal_size: Array | None = None) -> Array:
        """Return the transform."""
        transformed = from_front(axes, data.ndim)
        data = fitted(data, transformed, full_sizes(data.shape, transformed, signal_size))
        if data.size:
            return as_pairs(np.fft.rfftn(data, axes=transformed))
        half_axis = transformed[-1]
        half_length = data.shape[half_axis] // 2 + 1 if data.shape[half_axis] else 0
        return np.zeros((*data.shape[:half_axis], half_length, *data.shape[half_axis + 1 :], 2), data.dtype)


def require_some(axes: TensorInfo) -> None:
    """Raise where there is no axis, and so none of which half is kept."""
    if axes.shape.size.upper == 0:
        raise ShapeError("axes", "axes has no element; it must name at least one axis")
