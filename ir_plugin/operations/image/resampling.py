"""Resizing along one axis: coordinates, the input positions of each output position, and their weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ir_plugin.errors import EvaluationError
from ir_plugin.tensors import Array

Indices = npt.NDArray[np.int64]

MANY_TAPS = 8
"""The most taps that are added one after the other; more are gathered at once, which takes more memory."""


@dataclass(frozen=True)
class Axis:
    """One axis that is resized from `length` to `target`; `scale` is the requested one, rounded to f32."""

    index: int
    length: int
    target: int
    scale: np.float32


@dataclass(frozen=True)
class Taps:
    """Output position i is the sum over k of `weights[i, k]` times the input at `positions[i, k]`."""

    positions: Indices
    weights: Array

    def apply(self, data: Array, axis: int) -> Array:
        """Return floating-point data with one axis resized."""
        shape = [-1] + [1] * (data.ndim - 1 - axis)
        if self.positions.shape[1] > MANY_TAPS:
            gathered = np.take(data, self.positions, axis)
            gathered *= self.weights.astype(data.dtype).reshape([*self.weights.shape, *shape[1:]])
            summed: Array = gathered.sum(axis + 1)
            return summed
        total = np.zeros(data.shape[:axis] + self.positions.shape[:1] + data.shape[axis + 1 :], data.dtype)
        for positions, weights in zip(self.positions.T, self.weights.astype(data.dtype).T, strict=True):
            part = np.take(data, positions, axis)
            part *= weights.reshape(shape)
            total += part
        return total


@dataclass(frozen=True)
class Method:
    """How axes are resized, by the attributes of Interpolate-11; `mode` may also be `area`."""

    mode: str
    coordinate_transformation_mode: str
    nearest_mode: str = "simple"
    antialias: bool = False
    cube_coeff: float = -0.75
    is_exact: bool = False
    """Whether nearest computes coordinates as fractions of whole lengths, in place of f32."""

    def taps(self, axes: Sequence[Axis]) -> list[Taps]:
        """Return the taps of each axis, for every mode but nearest."""
        transformation = self.coordinate_transformation_mode
        if self.mode == "linear":
            widened = self.antialias and any(axis.scale < 1 for axis in axes)
            return [triangle(axis, transformation, float(axis.scale) if widened else 1.0) for axis in axes]
        if self.mode == "linear_onnx":
            return [neighbours(axis, transformation) for axis in axes]
        if self.mode == "cubic":
            return [cubic(axis, transformation, self.cube_coeff) for axis in axes]
        if self.mode == "area":
            return [area(axis) for axis in axes]
        return [pillow(axis, self.cube_coeff if self.mode == "bicubic_pillow" else None) for axis in axes]


@dataclass(frozen=True)
class Resampling:
    """How data of a known shape is resized: first padded with zeros, one pair for each dimension, then along axes."""

    pads: Sequence[tuple[int, int]]
    axes: Sequence[Axis]
    method: Method


@runtime_checkable
class Resampler(Protocol):
    """An operation that resizes, with the `Resampling` for the data's shape and the other inputs."""

    resampling: Callable[..., Resampling]


def resize(data: Array, axes: Sequence[Axis], method: Method) -> Array:
    """Return the data with these axes resized, those that shrink most first."""
    axes = sorted(
        (axis for axis in axes if axis.length != axis.target), key=lambda axis: axis.target / max(axis.length, 1)
    )
    shape = list(data.shape)
    for axis in axes:
        shape[axis.index] = axis.target
    if 0 in shape:
        return np.zeros(shape, data.dtype)
    if data.size == 0:
        raise EvaluationError(f"the data has the shape {list(data.shape)}: nothing to interpolate {shape} from")
    if method.mode != "nearest" and axes:
        return _weighted(data, axes, method)
    for axis in axes:
        data = np.take(data, nearest(axis, method), axis.index)
    return data


def _weighted(data: Array, axes: Sequence[Axis], method: Method) -> Array:
    """Return weighted sums along one axis after the other; integers are rounded once, at the end.

    Bytes in Pillow's modes are rounded after each axis, the innermost first, as Pillow and OpenVINO's CPU do.
    """
    whole = data.dtype.kind in "iu"
    stepwise = whole and data.dtype.itemsize == 1 and method.mode.endswith("pillow")
    if stepwise:
        axes = sorted(axes, key=lambda axis: -axis.index)
    working = data.astype(np.float64 if data.dtype.itemsize > 2 else np.float32) if whole else data
    for axis, taps in zip(axes, method.taps(axes), strict=True):
        working = taps.apply(working, axis.index)
        if stepwise:
            working = rounded_to(working, data.dtype).astype(working.dtype)
    return rounded_to(working, data.dtype) if whole else working


def rounded_to(values: Array, dtype: np.dtype[Any]) -> Array:
    """Return whole numbers of a type: rounded, halves to even, and cut to its range."""
    limits = np.iinfo(dtype)
    rounded: Array = np.clip(np.rint(values), limits.min, limits.max).astype(dtype)
    return rounded


def coordinates(axis: Axis, mode: str) -> Array:
    """Return the coordinate of each output position in the input, computed in f32 as by OpenVINO."""
    x: Array = np.arange(axis.target, dtype=np.float32)
    half = np.float32(0.5)
    if mode == "align_corners":
        x = x * np.float32(axis.length - 1) / np.float32(max(axis.target - 1, 1))
    elif mode == "asymmetric":
        x = x / axis.scale
    elif mode == "tf_half_pixel_for_nn":
        x = (x + half) / axis.scale
    elif mode == "pytorch_half_pixel" and axis.target == 1:
        x = np.zeros_like(x)
    else:
        x = (x + half) / axis.scale - half
    return x


def nearest(axis: Axis, method: Method) -> Indices:
    """Return the input position nearest to each output position."""
    if method.is_exact:
        rounded = _rounded_fractions(*fractions(axis, method.coordinate_transformation_mode), method.nearest_mode)
    else:
        at = coordinates(axis, method.coordinate_transformation_mode)
        rounded = ROUNDINGS[method.nearest_mode](at, bool(axis.scale < 1))
    return np.clip(rounded, 0, axis.length - 1).astype(np.int64)


def fractions(axis: Axis, mode: str) -> tuple[Indices, int]:
    """Return numerators and the denominator of the coordinates, whose scale is the quotient of the lengths."""
    x: Indices = np.arange(axis.target, dtype=np.int64)
    if mode == "align_corners":
        return x * (axis.length - 1), max(axis.target - 1, 1)
    if mode == "asymmetric":
        return x * axis.length, axis.target
    if mode == "tf_half_pixel_for_nn":
        return (2 * x + 1) * axis.length, 2 * axis.target
    if mode == "pytorch_half_pixel" and axis.target == 1:
        return np.zeros_like(x), 1
    return (2 * x + 1) * axis.length - axis.target, 2 * axis.target


def _rounded_fractions(numerators: Indices, denominator: int, rounding: str) -> Indices:
    """Return fractions rounded to whole numbers by a mode of ONNX's."""
    if rounding == "floor":
        return numerators // denominator
    if rounding == "ceil":
        return -(-numerators // denominator)
    if rounding == "round_prefer_floor":
        return -((denominator - 2 * numerators) // (2 * denominator))
    return (2 * numerators + denominator) // (2 * denominator)


ROUNDINGS: dict[str, Callable[[Array, bool], Array]] = {
    "round_prefer_floor": lambda x, _: np.ceil(x - np.float32(0.5)),
    "round_prefer_ceil": lambda x, _: np.floor(x + np.float32(0.5)),
    "floor": lambda x, _: np.floor(x),
    "ceil": lambda x, _: np.ceil(x),
    "simple": lambda x, smaller: np.ceil(x) if smaller else np.trunc(x),
}
"""Functions that round coordinates; the second argument says whether the axis shrinks."""


def triangle(axis: Axis, mode: str, slope: float) -> Taps:
    """Return the positions under a triangle of height 1 around each coordinate, with weights that add up to 1.

    Where there is no such position all weights are 0.
    """
    at = coordinates(axis, mode).astype(np.float64)
    first = np.ceil(at - 1 / slope).astype(np.int64)
    positions = first[:, None] + np.arange(int(2 / slope) + 1)
    weights = np.maximum(1 - np.abs(slope * (at[:, None] - positions)), 0)
    weights[(positions < 0) | (positions >= axis.length)] = 0
    return _normal(positions, weights)


def _normal(positions: Indices, weights: npt.NDArray[np.float64]) -> Taps:
    """Return the taps with weights that add up to 1; taps of weight 0 read the position of another tap."""
    if weights.size == 0:
        return Taps(np.zeros_like(positions), weights)
    heaviest = np.take_along_axis(positions, weights.argmax(1)[:, None], 1)
    total = weights.sum(1, keepdims=True)
    positions = np.where(weights == 0, np.where(total == 0, 0, heaviest), positions)
    return Taps(positions, np.divide(weights, total, out=np.zeros_like(weights), where=total != 0))


def neighbours(axis: Axis, mode: str) -> Taps:
    """Return the two positions around each coordinate, which is cut to the input first."""
    last = axis.length - 1
    at = np.clip(coordinates(axis, mode), 0, last)
    left = np.minimum(at.astype(np.int64), last)
    right = np.minimum(left + 1, last)
    share = np.where(left == right, np.float32(0.5), at - left.astype(np.float32))
    return Taps(np.stack([left, right], 1), np.stack([1 - share, share], 1))


def cubic(axis: Axis, mode: str, a: float) -> Taps:
    """Return the four positions around each coordinate with the weights of a cubic convolution."""
    at = coordinates(axis, mode)
    left = np.floor(at)
    distance = (at - left)[:, None] + np.array([1, 0, -1, -2], np.float32)
    positions = left[:, None].astype(np.int64) + np.array([-1, 0, 1, 2])
    return Taps(np.clip(positions, 0, axis.length - 1), cubic_kernel(distance, a))


def cubic_kernel(distance: Array, a: float) -> Array:
    """Return the weights of a cubic convolution with the coefficient `a` at distances."""
    x = np.abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    kernel: Array = np.where(x <= 1, near, np.where(x < 2, far, 0))
    return kernel


def pillow(axis: Axis, a: float | None) -> Taps:
    """Return the taps of Pillow's resize: a triangle, or a cubic with parameter `a`, widened where the axis shrinks."""
    ratio = axis.length / max(axis.target, 1)
    stretch = max(ratio, 1.0)
    support = stretch if a is None else 2 * stretch
    centre = (np.arange(axis.target) + 0.5) * ratio
    first = np.maximum((centre - support + 0.5).astype(np.int64), 0)
    stop = np.minimum((centre + support + 0.5).astype(np.int64), axis.length)
    positions = first[:, None] + np.arange(int(2 * support) + 2)
    distance = np.abs(positions - centre[:, None] + 0.5) / stretch
    weights = np.maximum(1 - distance, 0) if a is None else cubic_kernel(distance, a)
    weights[positions >= stop[:, None]] = 0
    return _normal(positions, weights)


def area(axis: Axis) -> Taps:
    """Return the positions that each output position covers, weighted by the covered share."""
    ratio = axis.length / max(axis.target, 1)
    begin = np.arange(axis.target) * ratio
    positions = begin.astype(np.int64)[:, None] + np.arange(int(ratio) + 2)
    covered = np.minimum(positions + 1, (begin + ratio)[:, None]) - np.maximum(positions, begin[:, None])
    weights = np.where(positions < axis.length, np.maximum(covered, 0), 0)
    return _normal(positions, weights)
