"""AdaptiveMaxPool: largest elements of as many regions as wanted. Specification: pooling/AdaptiveMaxPool-8."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.pooling.adaptive import adapted, regions, wanted
from ir_plugin.tensors import Array, ElementType, Tensor


class AdaptiveMaxPool(Operation, version=8):
    """The largest element of each of `output_shape` regions of `data` [N, C, …], and its place on the spatial axes.

    Along an axis of length n with m regions, region i reaches from `floor(i * n / m)` to `ceil((i + 1) * n / m)`.
    A place counts elements of the flattened spatial axes; of equal elements the first counts.
    """

    index_element_type: ElementType

    def infer(self, data: Tensor, output_shape: Tensor) -> tuple[Tensor, ...]:
        """Return the type of `data` and `index_element_type`, with the wanted lengths."""
        shape = adapted(data, output_shape)
        return data.with_shape(shape), Tensor(self.index_element_type, shape)

    def evaluate(self, data: Array, output_shape: Array) -> tuple[Array, ...]:
        """Return the largest elements and their places."""
        outputs = wanted(output_shape)
        largest = np.zeros(data.shape[:2] + outputs, data.dtype)
        places = np.zeros(largest.shape, self.index_element_type.dtype)
        numbers = np.arange(int(np.prod(data.shape[2:]))).reshape(data.shape[2:])
        whole = (slice(None), slice(None))
        for position, slices in regions(data.shape[2:], outputs):
            region = data[whole + slices].reshape(*data.shape[:2], -1)
            first = region.argmax(-1)
            largest[whole + position] = np.take_along_axis(region, first[..., None], -1)[..., 0]
            places[whole + position] = numbers[slices].reshape(-1)[first]
        return largest, places
