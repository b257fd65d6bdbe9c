"""GridSample: pixels of an image at the positions of a grid. Specification: image/GridSample-9."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, PartialShape, TensorInfo

Indices = npt.NDArray[np.int64]
Taps = tuple[list[Indices], list[Array]]

_FAR = 2.0**40
"""A coordinate that is outside every image, and still exact as an integer."""
_CUBE_COEFF = -0.75


class Sampling(Operation):
    """The base of GridSample-9 and of the extension's: computes which pixels a coordinate on one axis reads."""

    align_corners: bool
    mode: str
    padding_mode: str

    def taps(self, normalized: Array, length: int) -> Taps:
        """Return the pixels along one axis that each coordinate interpolates, and their weights."""
        at = _coordinates(normalized, length, self.align_corners)
        if self.mode == "bicubic":
            left = np.floor(at)
            taps = [(left + k, weight) for k, weight in zip((-1, 0, 1, 2), _cubic(at - left), strict=True)]
        else:
            at = self._inside(at, length)
            if self.mode == "nearest":
                taps = [(np.rint(at), np.ones_like(at))]
            else:
                left = np.floor(at)
                taps = [(left, 1 - (at - left)), (left + 1, at - left)]
        clipped = [self._positions(position, weight, length) for position, weight in taps]
        return [position for position, _ in clipped], [weight for _, weight in clipped]

    def _inside(self, at: Array, length: int) -> Array:
        """Return coordinates moved into the image by `padding_mode`; zeros leaves them unchanged."""
        if self.padding_mode == "border":
            return at.clip(0, length - 1)
        return _reflected(at, length, self.align_corners) if self.padding_mode == "reflection" else at

    def _positions(self, at: Array, weight: Array, length: int) -> tuple[Indices, Array]:
        if self.mode == "bicubic":
            at = self._inside(at, length)
        if self.padding_mode == "zeros":
            weight = np.where((at >= 0) & (at <= length - 1), weight, 0)
        return at.clip(0, length - 1).astype(np.int64), weight


class GridSample(Sampling, version=9):
    """Interpolated pixels of `data` [N, C, H, W] at the positions `grid` [N, H_out, W_out, 2]: x, y, both in [-1, 1].

    With `align_corners` -1 and 1 are the centres of the first and last pixel, else their outer edges. A position
    outside reads zeros, the border, or the image reflected (at the centres, or at the edges). Bicubic's coefficient
    is -0.75. Integers of 8 bits and booleans are rounded, halves to even, wider ones truncated, as by OpenVINO's
    CPU. A position that is NaN is 0.
    """

    def infer(self, data: TensorInfo, grid: TensorInfo) -> TensorInfo:
        """Return the type of the data and the shape [N, C, H_out, W_out]."""
        require_type("grid", grid, "float")
        require_type("data", data, "number", "boolean", *(["string"] if self.mode == "nearest" else []))
        require_rank("data", data.shape, 4)
        require_rank("grid", grid.shape, 4)
        image = PartialShape.dynamic(4) if data.shape.ndim is None else data.shape
        grid_shape = PartialShape.dynamic(4) if grid.shape.ndim is None else grid.shape
        if not grid_shape[3].contains(2):
            raise ShapeError("grid", f"grid has the shape {grid_shape}; its last dimension must be 2")
        batch = image[0].merge(grid_shape[0])
        if batch is None:
            raise ShapeError("grid", f"the first dimension is {grid_shape[0]} in grid and {image[0]} in data")
        return data.with_shape([batch, image[1], grid_shape[1], grid_shape[2]])

    def evaluate(self, data: Array, grid: Array) -> Array:
        """Return the pixels."""
        batch, channels, height, width = data.shape
        if grid.size == 0 or data.size == 0:
            return np.zeros((batch, channels, *grid.shape[1:3]), data.dtype)
        columns, across = self.taps(grid[..., 0], width)
        rows, down = self.taps(grid[..., 1], height)
        number = np.arange(batch)[:, None, None]
        pixels = np.moveaxis(data, 1, -1)
        if self.mode == "nearest":
            taken = pixels[number, rows[0], columns[0]]
            inside = (down[0] * across[0])[..., None] > 0
            return np.moveaxis(np.where(inside, taken, _nothing(taken)), -1, 1)
        total = np.zeros((*grid.shape[:3], channels), data.dtype if data.dtype.kind == "f" else np.float32)
        for row, low in zip(rows, down, strict=True):
            for column, high in zip(columns, across, strict=True):
                total += pixels[number, row, column] * (low * high)[..., None].astype(total.dtype)
        if data.dtype.kind in "iu":
            limits = np.iinfo(data.dtype)
            whole = np.rint(total) if data.dtype.itemsize == 1 else np.trunc(total)
            total = np.clip(whole.astype(np.float64), limits.min, limits.max).astype(data.dtype)
        elif data.dtype.kind == "b":
            total = np.rint(total) != 0
        return np.moveaxis(total, -1, 1)


def _coordinates(normalized: Array, length: int, align_corners: bool) -> Array:
    if normalized.dtype != np.float64:
        normalized = normalized.astype(np.float32)
    half = normalized.dtype.type(0.5)
    at: Array = (normalized + 1) * half * (length - 1) if align_corners else ((normalized + 1) * length - 1) * half
    return np.nan_to_num(at, nan=0.0).clip(-_FAR, _FAR)


def _reflected(at: Array, length: int, align_corners: bool) -> Array:
    """Return coordinates mirrored at the centres of the outer pixels, or at their edges, until they are inside."""
    if align_corners and length == 1:
        return np.zeros_like(at)
    edge = at.dtype.type(0 if align_corners else 0.5)
    period = 2 * (length - 1) if align_corners else 2 * length
    folded = np.abs(at + edge) % period
    mirrored: Array = np.minimum(folded, period - folded) - edge
    return mirrored.clip(0, length - 1)


def _cubic(s: Array) -> list[Array]:
    a = _CUBE_COEFF
    near = [((a + 2) * x - (a + 3)) * x * x + 1 for x in (s, 1 - s)]
    far = [((x - 5) * x + 8) * x * a - 4 * a for x in (s + 1, 2 - s)]
    return [far[0], near[0], near[1], far[1]]


def _nothing(array: Array) -> Array:
    return np.array("" if array.dtype == np.object_ else 0, array.dtype)
