"""ExperimentalDetectronPriorGridGenerator: boxes around the cells of a grid.

Specification: detection/ExperimentalDetectronPriorGridGenerator-6.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.detection import proposals
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class ExperimentalDetectronPriorGridGenerator(Operation, version=6):
    """`priors` [n, 4] shifted to the centers of the cells of a grid: [H · W · n, 4], or [H, W, n, 4] unless `flatten`.

    The grid has the size of `feature_map` [1, C, H, W], or `h` × `w` cells if they are set, and zeros follow. Cells are
    `stride_x` × `stride_y` pixels large, or as large as `image` [1, C, height, width] divided by the grid.
    """

    flatten: bool
    h: int
    w: int
    stride_x: float
    stride_y: float

    def infer(self, priors: TensorInfo, feature_map: TensorInfo, image: TensorInfo) -> TensorInfo:
        """Return the shape of the grid."""
        common = proposals.common_type({"priors": (priors, 2), "feature_map": (feature_map, 4), "image": (image, 4)})
        if priors.shape.dims is not None and not priors.shape[1].compatible(4):
            raise ShapeError("priors", f"priors has the shape {priors.shape}; its second dimension must be 4")
        proposals.require_equal("image", "images", (feature_map, 0, 1), (image, 0, 1))
        height, width = feature_map.shape[2:4] if feature_map.shape.dims is not None else (Dimension(), Dimension())
        for name, cells, length in (("h", self.h, height), ("w", self.w, width)):
            if not 0 <= cells <= length.upper:
                raise ShapeError(
                    name, f"{name} is {cells}, outside [0, {length.upper}] for feature_map {feature_map.shape}"
                )
        count = priors.shape[0]
        dims = [height * width * count] if self.flatten else [height, width, count]
        return TensorInfo(common, PartialShape([*dims, 4]))

    def evaluate(self, priors: Array, feature_map: Array, image: Array) -> Array:
        """Return the shifted boxes."""
        height, width = feature_map.shape[2:]
        rows, columns = self.h or height, self.w or width
        y = (np.arange(rows) + 0.5) * (self.stride_y or image.shape[2] / max(rows, 1))
        x = (np.arange(columns) + 0.5) * (self.stride_x or image.shape[3] / max(columns, 1))
        across, down = np.meshgrid(x, y)
        grid = np.stack([across, down, across, down], axis=-1)[:, :, None] + priors
        result = np.zeros((height * width * len(priors), 4), priors.dtype)
        result[: grid.size // 4] = grid.reshape(-1, 4)
        return result if self.flatten else result.reshape(height, width, len(priors), 4)
