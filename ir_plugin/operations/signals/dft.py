"""DFT: the discrete Fourier transform over some axes. Specification: signals/DFT-7."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.signals.fourier import (
    Complex,
    Fourier,
    as_complex,
    as_pairs,
    from_front,
    full_sizes,
    pairs_of,
    resized,
    resized_dim,
)
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class DFT(Fourier, version=7):
    """The Fourier transform along `axes` of complex `data`: pairs of a real and an imaginary part.

    The parts are along the last dimension, which `axes` cannot name. `signal_size` first truncates each axis, or pads
    it with zeros at the end; -1 keeps its length.
    """

    needs_values = (1, 2)

    def infer(self, data: TensorInfo, axes: TensorInfo, signal_size: TensorInfo | None = None) -> TensorInfo:
        """Return the type of the data and its shape with the signal sizes."""
        inner = pairs_of("data", data.shape)
        transformed = self._transformed_axes(data, axes, inner.ndim)
        sizes = self._sizes(axes, signal_size)
        if signal_size is None or inner.ndim is None:
            return data.with_shape(data.shape)
        if transformed is None:
            return data.with_shape(PartialShape.dynamic(inner.ndim) + data.shape[-1:])
        dims = list(data.shape)
        for position, axis in enumerate(transformed):
            dims[axis] = resized_dim(dims[axis], sizes, position)
        return data.with_shape(dims)

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the axes."""
        return {1: Range.below(inputs.rank(0) - 1, distinct=True)}

    def evaluate(self, data: Array, axes: Array, signal_size: Array | None = None) -> Array:
        """Return the transform."""
        transformed = from_front(axes, data.ndim - 1)
        data = resized(data, transformed, full_sizes(data.shape, transformed, signal_size))
        return as_pairs(self._transform(as_complex(data), transformed)) if data.size and transformed else data

    def _transform(self, numbers: Complex, axes: list[int]) -> Complex:
        transformed: Complex = np.fft.fftn(numbers, axes=axes)
        return transformed
