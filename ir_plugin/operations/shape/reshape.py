"""Reshape: change the dimensions, keep the elements. Specification: shape/Reshape-1."""

from __future__ import annotations

from math import prod

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import held_rank, require_rank
from ir_plugin.operations.traits import ValueInputs
from ir_plugin.tensors import UNBOUNDED, Array, Bounds, Dimension, PartialShape, TensorInfo


class Reshape(Operation, version=1):
    """Return the elements of `data`, in order, with the dimensions of `pattern`.

    One -1 in the pattern is inferred from the number of elements; with `special_zero` a 0 at position i copies
    dimension i of `data`. Without any elements, where any length would fit, -1 is 1 (as in OpenVINO).
    """

    traits = (ValueInputs((1,)),)
    needs_values = (1,)
    widen = False
    carriers = (0,)

    special_zero: bool

    def infer(self, data: TensorInfo, pattern: TensorInfo) -> TensorInfo:
        """Return the type of `data` with the dimensions of the pattern."""
        require_type("pattern", pattern, "integer")
        require_rank("pattern", pattern.shape, 1)
        rank = held_rank("pattern", pattern)
        if pattern.bounds is None:
            return data.with_shape(PartialShape.dynamic(rank))
        return data.with_shape(self._shape(data.shape, pattern.bounds))

    def _shape(self, shape: PartialShape, bounds: Bounds) -> PartialShape:
        dims = [_read_dim(i, *pair) for i, pair in enumerate(zip(*(array.tolist() for array in bounds), strict=True))]
        unknown = [i for i, dim in enumerate(dims) if dim is None]
        if len(unknown) > 1:
            raise ShapeError("pattern", f"pattern {bounds.lower.tolist()} has -1 at positions {unknown}; one may be -1")
        copied = [i for i, dim in enumerate(dims) if dim == 0] if self.special_zero else []
        for i in copied:
            if shape.ndim is not None and i >= shape.ndim:
                raise ShapeError(
                    "pattern", f"pattern {bounds.lower.tolist()} copies dimension {i}; data {shape} has {shape.ndim}"
                )
            dims[i] = shape[i]
        fixed = [dim for i, dim in enumerate(dims) if dim is not None and i not in copied]
        inside, outside = _uncopied_size(shape, copied), PartialShape(fixed).size
        if unknown:
            dims[unknown[0]] = _inferred_dim(shape, inside, outside, bool(copied))
        elif shape.dims is not None and inside.merge(outside) is None and not any(shape[i].contains(0) for i in copied):
            result = PartialShape([dim for dim in dims if dim is not None])
            count = prod(result.lengths()) if result.is_static else result.size
            raise ShapeError("pattern", f"data {shape} has {shape.size} elements, the pattern {result} has {count}")
        return PartialShape([dim for dim in dims if dim is not None])

    def evaluate(self, data: Array, pattern: Array) -> Array:
        """Return the reshaped data."""
        shape = self._shape(PartialShape(data.shape), Bounds(pattern.reshape(-1), pattern.reshape(-1)))
        return data.reshape(shape.lengths())


def _read_dim(position: int, lower: int, upper: int) -> Dimension | None:
    """Return the dimension for an element of the pattern, or None for -1."""
    if upper < -1:
        raise ShapeError("pattern", f"pattern[{position}] is {upper}; it must be at least -1")
    if lower == upper == -1:
        return None
    unbounded = upper in (np.iinfo(np.int32).max, np.iinfo(np.int64).max)
    return Dimension.between(lower, UNBOUNDED if unbounded else upper)


def _uncopied_size(shape: PartialShape, copied: list[int]) -> Dimension:
    """Return the product of the dimensions that are not copied."""
    if shape.dims is None:
        return Dimension()
    return PartialShape([dim for i, dim in enumerate(shape) if i not in copied]).size


def _inferred_dim(shape: PartialShape, inside: Dimension, outside: Dimension, copies: bool) -> Dimension:
    """Return the dimension for -1: `inside` divided by `outside`."""
    if shape.dims is None:
        return Dimension() if copies or outside == 0 else Dimension(1, -1)
    if outside == 0:
        if inside.lower:
            raise ShapeError(
                "pattern", f"the pattern has a dimension of 0, but data {shape} has elements, so -1 cannot be computed"
            )
        return Dimension(1) if shape.is_static else Dimension()
    if inside == 0:
        return Dimension(0) if outside.lower else Dimension()
    lower = -(-inside.lower // outside.upper)
    upper = inside.upper // outside.lower if inside.is_bounded and outside.lower else UNBOUNDED
    exact = inside.is_static and outside.is_static
    if lower > upper or (exact and inside.lower % outside.lower):
        raise ShapeError("pattern", f"the {inside} elements of data {shape} do not divide by {outside} for -1")
    return Dimension.between(lower, upper)
