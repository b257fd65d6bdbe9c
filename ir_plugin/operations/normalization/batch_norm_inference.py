"""BatchNormInference: normalize by given means and variances.

Specification: normalization/BatchNormInference-5, BatchNormInference-1.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.traits import Batched
from ir_plugin.tensors import Array, Dimension, TensorInfo

NAMES = ("data", "gamma", "beta", "mean", "variance")


class BatchNormInference(Operation, version=5):
    """`gamma * (data - mean) / sqrt(variance + epsilon) + beta`, channel by channel (the second dimension)."""

    traits = (Batched(),)
    epsilon: float

    def infer(
        self, data: TensorInfo, gamma: TensorInfo, beta: TensorInfo, mean: TensorInfo, variance: TensorInfo
    ) -> TensorInfo:
        """Return the type and shape of `data`, with the number of channels that the other inputs imply."""
        tensors = (data, gamma, beta, mean, variance)
        for part, tensor in zip(NAMES, tensors, strict=True):
            require_type(part, tensor, "float")
        merged = merge_types(*tensors)
        if data.shape.ndim is not None and data.shape.ndim < 2:
            raise ShapeError("data", f"data has the shape {data.shape}; it must have at least two dimensions")
        if not self.epsilon >= 0:
            raise ShapeError("epsilon", f"epsilon is {self.epsilon}; it must be at least 0")
        channels = data.shape[1]
        for part, tensor in zip(NAMES[1:], tensors[1:], strict=True):
            require_rank(part, tensor.shape, 1)
            agreed = channels.merge(tensor.shape[0])
            if agreed is None:
                raise ShapeError(part, f"{part} has {tensor.shape[0]} values; there are {channels} channels")
            channels = agreed
        if channels == 0:
            raise ShapeError("data", f"data has the shape {data.shape}; it must have at least one channel")
        return TensorInfo(merged, data.shape if data.shape.dims is None else data.shape.replace(1, Dimension(channels)))

    def evaluate(self, data: Array, gamma: Array, beta: Array, mean: Array, variance: Array) -> Array:
        """Return the normalized data."""
        shape = (-1,) + (1,) * (data.ndim - 2)
        scale = gamma / np.sqrt(variance + data.dtype.type(self.epsilon))
        return np.asarray((data - mean.reshape(shape)) * scale.reshape(shape) + beta.reshape(shape))


class BatchNormInference1(BatchNormInference, version=1):
    """As BatchNormInference-5, but also accepts the inputs in the order gamma, beta, data, mean, variance.

    OpenVINO reads and writes that order, while the specification has `data` first. The ranks distinguish them: `data`
    has at least two dimensions, the others have one.
    """

    def infer(
        self, data: TensorInfo, gamma: TensorInfo, beta: TensorInfo, mean: TensorInfo, variance: TensorInfo
    ) -> TensorInfo:
        """Return the type and shape of `data`, with the number of channels that the other inputs imply."""
        if data.shape.ndim == 1 or (data.shape.ndim is None and beta.shape.ndim != 1):
            data, gamma, beta = beta, data, gamma
        return super().infer(data, gamma, beta, mean, variance)

    def evaluate(self, data: Array, gamma: Array, beta: Array, mean: Array, variance: Array) -> Array:
        """Return the normalized data."""
        if data.ndim == 1:
            data, gamma, beta = beta, data, gamma
        return super().evaluate(data, gamma, beta, mean, variance)
