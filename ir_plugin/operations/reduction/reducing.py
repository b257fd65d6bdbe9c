"""Reductions along axes. Specification: reduction/ReduceL1-4 to reduction/ReduceSum-1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import ClassVar

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import note_departure, require_type
from ir_plugin.operations.shapes import axis_or_scalar, normalize_axis, values_of
from ir_plugin.operations.traits import Along
from ir_plugin.tensors import Array, Bounds, Dimension, PartialShape, TensorInfo


class Reduce(Operation):
    """Reduce the elements of `data` along `axes`, which are kept with length 1 if `keep_dims`, and removed otherwise.

    `axes` is a scalar or a list of distinct axes in [-rank, rank - 1]; an empty list reduces each element on its own.
    An axis that is named twice counts once, as in OpenVINO, with a warning. ReduceSum-1 says which axes a scalar has.
    """

    traits = (Along(1),)
    needs_values = (1,)
    kind: ClassVar[str] = "number"
    reduce: ClassVar[Callable[..., Array]]
    """Returns data reduced along the axes."""

    keep_dims: bool

    def infer(self, data: TensorInfo, axes: TensorInfo) -> TensorInfo:
        """Return the type of `data` and the shape without the axes."""
        require_type("data", data, self.kind)
        require_type("axes", axes, "integer")
        if axes.shape.ndim is not None and axes.shape.ndim > 1:
            raise ShapeError("axes", f"axes has the shape {axes.shape}; it must be a scalar or 1-D")
        return data.with_shape(self._reduced(data.shape, axes))

    def _reduced(self, shape: PartialShape, axes: TensorInfo) -> PartialShape:
        values = values_of(axes)
        if shape.dims is None:
            return shape
        if values is None:
            if self.keep_dims:
                return PartialShape.dynamic(len(shape))
            is_single = axes.shape.size == 1
            return PartialShape.dynamic(len(shape) - 1 if len(shape) else 0) if is_single else PartialShape(None)
        resolve = normalize_axis if self.keep_dims else axis_or_scalar
        reduced = {resolve("axes", axis, len(shape)) for axis in values}
        if len(reduced) < len(values):
            note_departure("axes", f"axes {list(values)} names an axis of {shape} twice; it counts once")
        if self.keep_dims:
            return PartialShape([Dimension(1) if i in reduced else dim for i, dim in enumerate(shape)])
        return PartialShape([dim for i, dim in enumerate(shape) if i not in reduced])

    def evaluate(self, data: Array, axes: Array) -> Array:
        """Return the reduction."""
        return self.reduce(data, _positions(axes, data.ndim))


def _positions(axes: Array, rank: int) -> tuple[int, ...]:
    """Return the axes counted from the front, each once; a scalar has none."""
    positions = {axis_or_scalar("axes", int(axis), rank) for axis in axes.reshape(-1)}
    return tuple(sorted(positions)) if rank else ()


def summed(data: Array, axes: tuple[int, ...], keep: bool) -> Array:
    """Return the sum; integers wrap in their own type."""
    return np.asarray(data.sum(axis=axes, dtype=data.dtype, keepdims=keep))


class ReduceSum(Reduce, version=1):
    """Sum the elements along `axes`; no elements give 0, and integers wrap.

    Differs from the page: a scalar may have the axis 0 or -1 where `keep_dims` is false, in every reduction.
    Example: the sum of 2.5 along axis 0 is 2.5.
    """

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the sums."""
        return summed(data, axes, self.keep_dims)


class ReduceMean(Reduce, version=1):
    """Average the elements along `axes`; no elements give 0, and means of integers are rounded towards zero.

    OpenVINO's CPU differs: sums of 8-bit integers overflow. Example: the mean of [100, 100, 100] of i8 is 100; the
    CPU gives 42.
    """

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the means."""
        count = max(prod(data.shape[axis] for axis in axes), 1)
        if data.dtype.kind == "f":
            return np.asarray(summed(data, axes, self.keep_dims) / data.dtype.type(count))
        total = summed(data.astype(np.uint64 if data.dtype == np.uint64 else np.int64), axes, self.keep_dims)
        quotient = total // total.dtype.type(count)
        inexact = (total < 0) & (quotient * total.dtype.type(count) != total)
        return np.asarray(quotient + inexact.astype(total.dtype))


class ReduceProd(Reduce, version=1):
    """Multiply the elements along `axes`; no elements give 1, and integers wrap."""

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the products."""
        return np.asarray(data.prod(axis=axes, dtype=data.dtype, keepdims=self.keep_dims))

    def infer_bounds(self, *inputs: Bounds | None) -> Sequence[Bounds | None]:
        """Return the products of the bounds of nonnegative integers; the largest value of the type means unbounded."""
        data, axes = inputs
        if data is None or axes is None or data.is_exact or not axes.is_exact:
            return super().infer_bounds(*inputs)
        if data.lower.dtype.kind not in "iu" or int(data.lower.min()) < 0:
            return []
        limit = int(np.iinfo(data.lower.dtype).max)
        reduced_axes = _positions(axes.lower, data.lower.ndim)
        lower, upper = (self._clipped(array, reduced_axes, limit) for array in data)
        return [Bounds(lower, upper)]

    def _clipped(self, array: Array, axes: tuple[int, ...], limit: int) -> Array:
        exact = np.asarray(array.astype(object).prod(axis=axes, keepdims=self.keep_dims), object)
        return np.asarray(np.minimum(exact, limit)).astype(array.dtype)


class ReduceMax(Reduce, version=1):
    """Find the maximum along `axes`. NaN wins.

    With `lowest="infinite"` the maximum of -inf only is -inf, also of no elements; that attribute is ours, for ONNX's
    ReduceMax, and OpenVINO ignores it.

    Differs from the page: the result is at least the lowest finite number, also of no elements. Example: the maximum of
    [-inf, -inf] of f32 is -3.4028235e38.
    """

    carriers = (0,)

    lowest: str = "finite"

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the maxima."""
        limit = np.finfo(data.dtype).min if data.dtype.kind == "f" else np.iinfo(data.dtype).min
        if self.lowest == "infinite" and data.dtype.kind == "f":
            limit = -np.inf
        return np.asarray(data.max(axis=axes, keepdims=self.keep_dims, initial=limit))


class ReduceMin(Reduce, version=1):
    """Find the minimum along `axes`; no elements give +inf or the largest integer of the type. NaN wins.

    OpenVINO's CPU differs: the minimum of no elements is the largest finite number.
    Example: [2,0] of f32 reduced along axis 1 gives infinity; the CPU gives 3.4028235e38.
    """

    carriers = (0,)

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the minima."""
        if data.size:
            return np.asarray(data.min(axis=axes, keepdims=self.keep_dims))
        limit = np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).max
        return np.asarray(data.min(axis=axes, keepdims=self.keep_dims, initial=limit))


class ReduceL1(Reduce, version=4):
    """Sum the absolute values along `axes`, also for an empty list of axes; integers wrap.

    The specification calls the operation the identity for an empty list, but its formula gives absolute values.
    """

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the norms."""
        return summed(np.abs(data), axes, self.keep_dims)


class ReduceL2(Reduce, version=4):
    """Compute the root of the sum of squares along `axes`; for integers in f64, rounded towards zero.

    The specification calls the operation the identity for an empty list, but its formula gives absolute values.
    """

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return the norms."""
        wide = data if data.dtype.kind == "f" else data.astype(np.float64)
        return np.sqrt(summed(wide * wide, axes, self.keep_dims))


class ReduceLogicalAnd(Reduce, version=1):
    """Test whether all elements along `axes` are true; no elements give true."""

    kind = "boolean"

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return whether all elements are true."""
        return np.asarray(np.all(data, axis=axes, keepdims=self.keep_dims))


class ReduceLogicalOr(Reduce, version=1):
    """Test whether any element along `axes` is true; no elements give false."""

    kind = "boolean"

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        """Return whether any element is true."""
        return np.asarray(np.any(data, axis=axes, keepdims=self.keep_dims))
