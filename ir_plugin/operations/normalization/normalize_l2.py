"""NormalizeL2: divide by the Euclidean norm. Specification: normalization/NormalizeL2-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.normalization.axes import axis_tuple, check_axes
from ir_plugin.operations.traits import Along
from ir_plugin.tensors import Array, TensorInfo


class NormalizeL2(Operation, version=1):
    """Divide `data` by the root of its sum of squares along `axes`.

    `eps` is added to the sum (`eps_mode` add) or bounds it below (max). Without axes every nonzero element becomes 1.

    OpenVINO's CPU differs: empty axes that are not constant divide each element by its own norm, keeping the sign and
    `eps`. Example: `data` [-2], no axes, `eps` 0 give 1; the CPU gives -1 where `axes` is a Parameter.

    Differs from the page: `data` may have an integer or boolean type; results are rounded.
    Example: [3, 4] of i32 becomes [1, 1]: the quotients 0.6 and 0.8, rounded.

    Differs from the page: `axes` may name an axis twice, which counts once.
    Example: `axes` [1, 1] is `axes` [1].
    """

    traits = (Along(1),)
    needs_values = (1,)
    float_inputs = (0,)

    eps: float
    eps_mode: str

    def infer(self, data: TensorInfo, axes: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        note_type("data", data, "float")
        check_axes(data, axes, 0, 1, repeated=True)
        return data.with_shape(data.shape)

    def evaluate(self, data: Array, axes: Array) -> Array:
        """Return the normalized data."""
        if axes.size == 0:
            return np.not_equal(data, 0).astype(data.dtype)
        total = np.square(data).sum(axis=axis_tuple(axes, data.ndim), keepdims=True)
        eps = data.dtype.type(self.eps)
        return np.asarray(data / np.sqrt(total + eps if self.eps_mode == "add" else np.maximum(total, eps)))
