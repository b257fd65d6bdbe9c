"""MVN: mean-variance normalization. Specification: normalization/MVN-6, MVN-1 (which files call opset2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.normalization.axes import axis_tuple, check_axes
from ir_plugin.operations.shapes import normalize_axes
from ir_plugin.operations.traits import Along
from ir_plugin.tensors import Array, TensorInfo


class MVN(Operation, version=6):
    """Subtract the mean of `data` along `axes`, and divide by the standard deviation if `normalize_variance`.

    `eps` is added to the variance (`eps_mode` inside_sqrt) or to its root (outside_sqrt). The variance is the mean of
    squares; the specification writes a sum.

    Differs from the page: `data` may have an integer or boolean type; results are rounded.
    Example: [0, 10] of i32 becomes [-1, 1].

    Differs from the page: `axes` may name an axis twice, which counts once.
    Example: `axes` [1, 1] is `axes` [1].
    """

    traits = (Along(1),)
    needs_values = (1,)
    float_inputs = (0,)

    normalize_variance: bool
    eps: float
    eps_mode: str

    def infer(self, data: TensorInfo, axes: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        note_type("data", data, "float")
        check_axes(data, axes, 1, repeated=True)
        return data.with_shape(data.shape)

    def evaluate(self, data: Array, axes: Array) -> Array:
        """Return the normalized data."""
        inside = self.eps_mode.lower() == "inside_sqrt"
        return normalized(data, axis_tuple(axes, data.ndim), self.normalize_variance, self.eps, inside)


class MVN2(Operation, version=2):
    """As MVN-6 with `eps` under the root, but the axes are attributes: `reduction_axes`, or the spatial axes.

    Without `reduction_axes` each sample (`across_channels`) or each channel of a sample is normalized.
    """

    float_inputs = (0,)

    across_channels: bool
    reduction_axes: tuple[int, ...]
    normalize_variance: bool
    eps: float

    def inferred_attributes(self, *inputs: TensorInfo) -> Mapping[str, object]:
        """Return the axes of the mean."""
        rank = inputs[0].shape.ndim
        return {} if rank is None else {"reduction_axes": [*range(1 if self.across_channels else 2, rank)]}

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        note_type("data", data, "float")
        if data.shape.dims is not None:
            normalize_axes("reduction_axes", self.reduction_axes, len(data.shape))
            if not self.reduction_axes and len(data.shape) < 2:
                raise ShapeError("data", f"data has the shape {data.shape}; it needs a batch and a channel dimension")
        return data.with_shape(data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the normalized data."""
        spatial = tuple(range(1 if self.across_channels else 2, data.ndim))
        return normalized(data, self.reduction_axes or spatial, self.normalize_variance, self.eps, True)


def normalized(data: Array, axes: tuple[int, ...], variance: bool, eps: float, inside: bool) -> Array:
    """Return the data minus its mean along the axes, divided by the root of its variance."""
    if data.size == 0:
        return data
    centred = data - data.mean(axis=axes, keepdims=True)
    if not variance:
        return np.asarray(centred)
    mean_square = np.square(centred).mean(axis=axes, keepdims=True)
    small = data.dtype.type(eps)
    return np.asarray(centred / (np.sqrt(mean_square + small) if inside else np.sqrt(mean_square) + small))
