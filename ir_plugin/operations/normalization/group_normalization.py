"""GroupNormalization: mean-variance normalization of groups of channels.

Specification: normalization/GroupNormalization-12.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_types, require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.traits import Batched, DataInputs
from ir_plugin.tensors import Array, Dimension, TensorInfo


class GroupNormalization(Operation, version=12):
    """`scale * (data - mean) / sqrt(variance + epsilon) + bias`, with mean and variance of each group of channels.

    `data` is [N, C, …], `scale` and `bias` are [C]; the C channels make `num_groups` equal groups.

    Differs from the page: `scale` and `bias` may have other types than `data`.
    Example: A scale of i32 beside `data` of f32 is a warning.
    """

    traits = (Batched(), DataInputs(1))
    num_groups: int
    epsilon: float

    def infer(self, data: TensorInfo, scale: TensorInfo, bias: TensorInfo) -> TensorInfo:
        """Return the type and shape of `data`."""
        require_type("data", data, "float")
        element_type = note_types({"data": data, "scale": scale, "bias": bias})
        if self.num_groups < 1:
            raise ShapeError("num_groups", f"num_groups is {self.num_groups}; it must be at least 1")
        if data.shape.ndim is not None and data.shape.ndim < 2:
            raise ShapeError("data", f"data has the shape {data.shape}; it needs a batch and a channel dimension")
        channels = data.shape[1]
        self._check_groups(channels)
        for part, tensor in (("scale", scale), ("bias", bias)):
            require_rank(part, tensor.shape, 1)
            agreed = tensor.shape[0].merge(channels)
            if agreed is None:
                raise ShapeError(
                    part, f"{part} has {tensor.shape[0]} values; the inputs before have {channels} channels"
                )
            channels = agreed
        return TensorInfo(element_type, data.shape)

    def _check_groups(self, channels: Dimension) -> None:
        if channels.upper < self.num_groups or (channels.is_static and channels.lower % self.num_groups):
            raise ShapeError("num_groups", f"{channels} channels do not make {self.num_groups} equal groups")

    def evaluate(self, data: Array, scale: Array, bias: Array) -> Array:
        """Return the normalized data."""
        if data.size == 0:
            return data
        grouped = data.reshape(data.shape[0], self.num_groups, -1)
        centred = grouped - grouped.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        normal = (centred / np.sqrt(variance + data.dtype.type(self.epsilon))).reshape(data.shape)
        shape = (-1,) + (1,) * (data.ndim - 2)
        return np.asarray(normal * scale.reshape(shape) + bias.reshape(shape))
