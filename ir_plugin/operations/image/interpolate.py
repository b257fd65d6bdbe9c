"""Interpolate: resize a tensor along some axes. Specification: image/Interpolate-11, Interpolate-4, Interpolate-1."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.image.resampling import Axis, Method, Resampling, resize
from ir_plugin.operations.memory import require
from ir_plugin.operations.shapes import distinct_axes, normalize_axes, require_rank, unbounded, values_of
from ir_plugin.operations.traits import DataInputs, ValueInputs
from ir_plugin.tensors import UNBOUNDED, Array, Bounds, Dimension, PartialShape, TensorInfo

INVERSE_TOLERANCE = 10**6
"""A scale may fall below the exact ratio of two lengths by the inverse of this."""

SIZE_TYPES = ("i32", "i64", "u32", "u64")
SCALE_TYPES = ("f32", "f16", "bf16")


class Resizing(Operation):
    """The base of Interpolate-11 and Interpolate-4: padding, the shape from sizes or scales, and resizing."""

    mode: str
    shape_calculation_mode: str
    coordinate_transformation_mode: str
    nearest_mode: str
    antialias: bool
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]
    cube_coeff: float

    @property
    def _is_exact(self) -> bool:
        return False

    @property
    def _by_sizes(self) -> bool:
        return self.shape_calculation_mode == "sizes"

    def inferred_attributes(self, *inputs: TensorInfo) -> Mapping[str, object]:
        """Return a pad for each dimension."""
        rank = inputs[0].shape.ndim
        lists = {"pads_begin": self.pads_begin, "pads_end": self.pads_end}
        return {} if rank is None else {name: _extended(pads, rank) for name, pads in lists.items()}

    def _shape(self, shape: PartialShape, target: TensorInfo, name: str, axes: TensorInfo | None) -> PartialShape:
        _require_pads(self.pads_begin, self.pads_end)
        require_rank(name, target.shape, 1)
        if axes is not None:
            require_type("axes", axes, *SIZE_TYPES)
            require_rank("axes", axes.shape, 1)
        if shape.ndim is None:
            return shape
        chosen = tuple(range(shape.ndim)) if axes is None else values_of(axes)
        if chosen is None:
            return PartialShape.dynamic(shape.ndim)
        begin, end = (_extended(pads, shape.ndim) for pads in (self.pads_begin, self.pads_end))
        padded = [dim + first + last for dim, first, last in zip(shape, begin, end, strict=True)]
        length = _length_by_size if self._by_sizes else _length_by_scale
        return _resized(PartialShape(padded), chosen, target, name, length)

    def _resampling(self, shape: Sequence[int], targets: Array, axes: Array | None) -> Resampling:
        rank = len(shape)
        begin, end = (_extended(pads, rank) for pads in (self.pads_begin, self.pads_end))
        pads = list(zip(begin, end, strict=True))
        chosen = range(rank) if axes is None else axes.tolist()
        make = _axis_by_size if self._by_sizes else _axis_by_scale
        lengths = [length + sum(pads[axis]) for axis, length in enumerate(shape)]
        resized: dict[int, Axis] = {}
        for axis, value in zip(chosen, targets, strict=True):
            earlier = resized.get(axis)
            resized[axis] = make(axis, lengths[axis], value, lengths[axis] if earlier is None else earlier.target)
        transformation = self.coordinate_transformation_mode
        numbers = self.antialias, self.cube_coeff, self._is_exact
        method = Method(self.mode, transformation, self.nearest_mode, *numbers)
        return Resampling(pads, [*resized.values()], method)


class Interpolate(Resizing, version=11):
    """The `image`, padded with zeros, then resized along `axes` to the lengths, or by the scales, of `scales_or_sizes`.

    Axes that are not named keep their padded length. By scales an axis becomes `floor(scale * length)` long, where a
    scale may be 1e-6 too small: 0.7 of 10 is 7, as in OpenVINO. An axis that keeps its length keeps its values.
    Coordinates are computed in f32, as by OpenVINO. Where `coordinates` is "exact", nearest by sizes computes them as
    fractions of whole lengths; that attribute is ours, for ONNX's Resize, and OpenVINO ignores it. Whole numbers are
    rounded once, at the end, halves to even; bytes in Pillow's modes
    after each axis, the innermost first, as OpenVINO's CPU and Pillow do.

    OpenVINO's CPU ignores `cube_coeff` for bicubic_pillow and takes -0.5, has its own weights for `antialias`, gives
    wrong shapes where it pads axes that are not resized, and refuses some sets of axes; here the page holds.

    Differs from the page: `axes` may name an axis twice; the last size counts, and the product of scales.
    Example: `axes` [3, 3] with the sizes [5, 6] makes axis 3 6 long.
    """

    traits = (ValueInputs((1, 2, 3)), DataInputs(1))
    needs_values = (1, 2)
    coordinates: str = "f32"

    @property
    def _is_exact(self) -> bool:
        return self.coordinates == "exact" and self._by_sizes

    def infer(self, image: TensorInfo, scales_or_sizes: TensorInfo, axes: TensorInfo | None = None) -> TensorInfo:
        """Return the type of the image and the shape after resizing."""
        require_type("image", image, "number")
        require_type("scales_or_sizes", scales_or_sizes, *(SIZE_TYPES if self._by_sizes else SCALE_TYPES))
        return image.with_shape(self._shape(image.shape, scales_or_sizes, "scales_or_sizes", axes))

    def evaluate(self, image: Array, scales_or_sizes: Array, axes: Array | None = None) -> Array:
        """Return the resized image."""
        return _resized_data(image, self.resampling(image.shape, scales_or_sizes, axes))

    def resampling(self, shape: Sequence[int], scales_or_sizes: Array, axes: Array | None = None) -> Resampling:
        """Return how an image of this shape is resized."""
        return self._resampling(shape, scales_or_sizes, axes)


class Interpolate4(Resizing, version=4):
    """As Interpolate-11, but with an input for sizes and one for scales, of which only one counts; no Pillow modes.

    Differs from the page: `axes` may name an axis twice; the last size counts, and the product of scales.
    Example: `axes` [3, 3] with the sizes [5, 6] makes axis 3 6 long.
    """

    traits = (ValueInputs((1, 2, 3)), DataInputs(1))
    needs_values = (1, 2, 3)

    def infer(
        self, data: TensorInfo, sizes: TensorInfo, scales: TensorInfo, axes: TensorInfo | None = None
    ) -> TensorInfo:
        """Return the type of the data and the shape after resizing."""
        require_type("data", data, "number")
        require_type("sizes", sizes, *SIZE_TYPES)
        require_type("scales", scales, *SCALE_TYPES)
        target, name = (sizes, "sizes") if self._by_sizes else (scales, "scales")
        return data.with_shape(self._shape(data.shape, target, name, axes))

    def evaluate(self, data: Array, sizes: Array, scales: Array, axes: Array | None = None) -> Array:
        """Return the resized data."""
        return _resized_data(data, self.resampling(data.shape, sizes, scales, axes))

    def resampling(self, shape: Sequence[int], sizes: Array, scales: Array, axes: Array | None = None) -> Resampling:
        """Return how data of this shape is resized."""
        return self._resampling(shape, sizes if self._by_sizes else scales, axes)


class Interpolate1(Operation, version=1):
    """The `data`, resized along `axes` to the lengths of `target_spatial_shape`.

    The page has no formulas; Interpolate-4's are used, to which OpenVINO converts it. Coordinates are
    transformed by `align_corners`, or else `asymmetric`. Nearest rounds as `simple`. Linear is `linear_onnx` (`linear`
    if `antialias` is set), without `align_corners` by `half_pixel` unless `axes` are 2 and 3 of four or there are pads.
    Area, which OpenVINO's CPU lacks, is the mean of the covered input. There is one pad for all `axes`, for each
    of them, or for each dimension, where only `axes` count. OpenVINO sorts `axes`; here their order matters.
    """

    traits = (ValueInputs((1, 2, 3)), DataInputs(1))
    needs_values = (1,)
    axes: tuple[int, ...]
    mode: str
    align_corners: bool
    antialias: bool
    pads_begin: tuple[int, ...]
    pads_end: tuple[int, ...]

    def inferred_attributes(self, *_: TensorInfo) -> Mapping[str, object]:
        """Return the pads, none where they are the default."""
        lists = {"pads_begin": self.pads_begin, "pads_end": self.pads_end}
        return {name: () if pads == (0,) else pads for name, pads in lists.items()}

    def infer(self, data: TensorInfo, target_spatial_shape: TensorInfo) -> TensorInfo:
        """Return the type of the data and the shape after resizing."""
        require_type("data", data, "number")
        require_type("target_spatial_shape", target_spatial_shape, "integer")
        require_rank("target_spatial_shape", target_spatial_shape.shape, 1)
        _require_pads(self.pads_begin, self.pads_end)
        if data.shape.ndim is None:
            return data.with_shape(None)
        name = "target_spatial_shape"
        normalize_axes("axes", self.axes, data.shape.ndim)
        return data.with_shape(_resized(data.shape, self.axes, target_spatial_shape, name, _length_by_size))

    def evaluate(self, data: Array, target_spatial_shape: Array) -> Array:
        """Return the resized data."""
        return _resized_data(data, self.resampling(data.shape, target_spatial_shape))

    def resampling(self, shape: Sequence[int], target_spatial_shape: Array) -> Resampling:
        """Return how data of this shape is resized."""
        rank = len(shape)
        pads = [(0, 0)] * rank
        for position, axis in enumerate(self.axes):
            pads[axis] = self._pad(self.pads_begin, position, rank), self._pad(self.pads_end, position, rank)
        targets = zip(self.axes, target_spatial_shape, strict=True)
        axes = [_axis_by_size(axis, shape[axis] + sum(pads[axis]), size, 0) for axis, size in targets]
        asymmetric = any(map(any, pads)) or (rank == 4 and set(self.axes) == {2, 3})
        return Resampling(pads, axes, self._method(asymmetric))

    def _pad(self, pads: Sequence[int], position: int, rank: int) -> int:
        index = 0 if len(pads) == 1 else self.axes[position] if len(pads) == rank else position
        return pads[index] if index < len(pads) else 0

    def _method(self, asymmetric: bool) -> Method:
        mode = self.mode if self.antialias or self.mode != "linear" else "linear_onnx"
        if self.align_corners:
            return Method(mode, "align_corners", antialias=self.antialias)
        half_pixel = self.mode == "linear" and not asymmetric
        return Method(mode, "half_pixel" if half_pixel else "asymmetric", antialias=self.antialias)


def scaled(length: int, scale: float) -> int:
    """Return how long an axis becomes: `floor(scale * length)`, where the scale may be 1e-6 too small."""
    if scale == 1:
        return length
    numerator, denominator = scale.as_integer_ratio()
    return length * (numerator * INVERSE_TOLERANCE + denominator) // (denominator * INVERSE_TOLERANCE)


def _axis_by_size(axis: int, length: int, size: np.generic, _earlier: int) -> Axis:
    return Axis(axis, length, int(size), np.float32(int(size)) / np.float32(max(length, 1)))


def _axis_by_scale(axis: int, length: int, scale: np.generic, earlier: int) -> Axis:
    """Return how an axis is resized that earlier scales of the same axis have made `earlier` long."""
    return Axis(axis, length, scaled(earlier, float(scale)), np.float32(scale))


def _length_by_size(_: Dimension, target: Bounds, position: int, name: str) -> Dimension:
    low, high = int(target.lower[position]), int(target.upper[position])
    if high < 0:
        raise ShapeError(name, f"{name}[{position}] is {high}; a length must be 0 or more")
    return Dimension.between(low, UNBOUNDED if high == unbounded(target.upper.dtype) else high)


def _length_by_scale(dim: Dimension, target: Bounds, position: int, name: str) -> Dimension:
    low, high = float(target.lower[position]), float(target.upper[position])
    if high < 0 or (low == high and not math.isfinite(high)) or (math.isnan(low) and math.isnan(high)):
        raise ShapeError(name, f"{name}[{position}] is {high}; a scale must be a number that is 0 or more")
    if not (math.isfinite(low) and math.isfinite(high)):
        return Dimension()
    return Dimension.between(scaled(dim.lower, max(low, 0.0)), dim.map(lambda length: scaled(length, high)).upper)


def _resized(
    shape: PartialShape,
    axes: Sequence[int],
    target: TensorInfo,
    name: str,
    length: Callable[[Dimension, Bounds, int, str], Dimension],
) -> PartialShape:
    """Return the shape with the length of each of the axes computed by `length` from its target."""
    dims = list(shape)
    if any(axis < 0 for axis in axes):
        raise ShapeError("axes", f"axes {list(axes)} has a negative number; axes count from 0")
    distinct_axes("axes", axes, len(dims))
    count = target.shape[0]
    if not count.contains(len(axes)):
        raise ShapeError(name, f"{name} has {count} elements; it must have {len(axes)}, one for each axis")
    for position, axis in enumerate(axes):
        bounds = target.bounds
        dims[axis] = Dimension() if bounds is None else length(dims[axis], bounds, position, name)
    return PartialShape(dims)


def _require_pads(begin: Sequence[int], end: Sequence[int]) -> None:
    for part, pads in (("pads_begin", begin), ("pads_end", end)):
        if any(pad < 0 for pad in pads):
            raise ShapeError(part, f"{part} {list(pads)} has a negative number; it must be 0 or more")


def _resized_data(data: Array, resampling: Resampling) -> Array:
    return resize(_filled(data, resampling.pads), resampling.axes, resampling.method)


def _filled(data: Array, pads: Sequence[tuple[int, int]]) -> Array:
    """Return the data with zeros around it."""
    if not any(map(any, pads)):
        return data
    shape = [length + sum(ends) for length, ends in zip(data.shape, pads, strict=True)]
    require("the padded data", shape, data.itemsize)
    return np.pad(data, pads)


def _extended(pads: Sequence[int], rank: int) -> list[int]:
    """Return one pad for each dimension: the list cut to the rank, or extended with zeros."""
    return [*pads[:rank], *[0] * (rank - len(pads))]
