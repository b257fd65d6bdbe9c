"""RDFT: the discrete Fourier transform of real numbers over some axes. Specification: signals/RDFT-9."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.ranges import KnownInputs, Ranges
from ir_plugin.operations.signals.fourier import Fourier, as_pairs, from_front, full_sizes, resized, resized_dim
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class RDFT(Fourier, version=9):
    """The Fourier transform along `axes` of real `data`, with real and imaginary parts in a new last dimension.

    `signal_size` first truncates each axis, or pads it with zeros at the end (-1 keeps its length). On the last of
    `axes`, of length n, only the first n // 2 + 1 results are kept, as the others are their conjugates.
    """

    needs_values = (1, 2)

    def infer(self, data: TensorInfo, axes: TensorInfo, signal_size: TensorInfo | None = None) -> TensorInfo:
        """Return the type of the data and its shape with the signal sizes and a last dimension of 2."""
        transformed = self._transformed_axes(data, axes, data.shape.ndim)
        sizes = self._sizes(axes, signal_size)
        require_axes(axes)
        if transformed is None:
            return data.with_shape(PartialShape(None) if data.shape.ndim is None else [*[-1] * data.shape.ndim, 2])
        dims = list(data.shape)
        for position, axis in enumerate(transformed):
            dims[axis] = dims[axis] if signal_size is None else resized_dim(dims[axis], sizes, position)
        dims[transformed[-1]] = dims[transformed[-1]].map(lambda length: length // 2 + 1 if length else 0)
        return data.with_shape([*dims, 2])

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the axes."""
        return {1: inputs.axes(0)}

    def evaluate(self, data: Array, axes: Array, signal_size: Array | None = None) -> Array:
        """Return the transform."""
        transformed = from_front(axes, data.ndim)
        data = resized(data, transformed, full_sizes(data.shape, transformed, signal_size))
        if data.size:
            return as_pairs(np.fft.rfftn(data, axes=transformed))
        half_axis = transformed[-1]
        half_length = data.shape[half_axis] // 2 + 1 if data.shape[half_axis] else 0
        return np.zeros((*data.shape[:half_axis], half_length, *data.shape[half_axis + 1 :], 2), data.dtype)


def require_axes(axes: TensorInfo) -> None:
    """Raise if there is no axis, as the last one is halved."""
    if axes.shape.size.upper == 0:
        raise ShapeError("axes", "axes has no element; it must name at least one axis")
