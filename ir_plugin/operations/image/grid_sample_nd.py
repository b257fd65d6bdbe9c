"""GridSample of any number of spatial axes. ONNX's GridSample-22."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.image.grid_sample import Sampling
from ir_plugin.operations.image.resampling import rounded_to
from ir_plugin.tensors import Array, TensorInfo


class GridSampleND(Sampling, version="extension"):
    """As GridSample-9 for data [N, C, D1, …, Dn] and a grid [N, G1, …, Gn, n], whose last axis names Dn first.

    Mode bilinear stands for linear and bicubic for cubic interpolation along every axis. Whole numbers are rounded,
    halves to even. An operation of ours, for ONNX.
    """

    def infer(self, data: TensorInfo, grid: TensorInfo) -> TensorInfo:
        """Return the type of the data and the shape [N, C, G1, …, Gn]."""
        require_type("grid", grid, "float")
        require_type("data", data, "number", "boolean")
        if data.shape.ndim is None or grid.shape.ndim is None:
            return data.with_shape(None)
        axes = data.shape.ndim - 2
        if axes < 1 or grid.shape.ndim != axes + 2 or not grid.shape[-1].contains(axes):
            raise ShapeError(
                "grid",
                f"grid has the shape {grid.shape}; for the data {data.shape} it must have {axes + 2} dimensions, "
                f"the last of them {axes}",
            )
        batch = data.shape[0].merge(grid.shape[0])
        if batch is None:
            raise ShapeError("grid", f"the first dimension is {grid.shape[0]} in grid and {data.shape[0]} in data")
        return data.with_shape([batch, data.shape[1], *grid.shape[1:-1]])

    def evaluate(self, data: Array, grid: Array) -> Array:
        """Return the pixels."""
        batch, channels, *lengths = data.shape
        if grid.size == 0 or data.size == 0:
            return np.zeros((batch, channels, *grid.shape[1:-1]), data.dtype)
        axes = len(lengths)
        taps = [self.taps(grid[..., axes - 1 - axis], length) for axis, length in enumerate(lengths)]
        number = np.arange(batch).reshape([-1] + [1] * axes)
        pixels = np.moveaxis(data, 1, -1)
        total = np.zeros((*grid.shape[:-1], channels), np.float64)
        for chosen in product(*(range(len(positions)) for positions, _ in taps)):
            indices = [positions[k] for (positions, _), k in zip(taps, chosen, strict=True)]
            weight = np.ones(grid.shape[:-1])
            for (_, weights), k in zip(taps, chosen, strict=True):
                weight = weight * weights[k]
            index: tuple[Array, ...] = (number, *indices)
            total += pixels[index] * weight[..., None]
        return np.moveaxis(_as(total, data.dtype), -1, 1)


def _as(total: Array, dtype: np.dtype[Any]) -> Array:
    """Return sums in a type; whole numbers are rounded and cut to its range."""
    if dtype.kind == "b":
        return np.asarray(np.rint(total) != 0)
    if dtype.kind in "iu":
        return rounded_to(total, dtype)
    result: Array = total.astype(dtype)
    return result
