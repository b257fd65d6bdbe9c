"""Shape arithmetic that several operations share: axes, broadcasting, reductions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import note_departure
from ir_plugin.tensors import MAX_RANK, UNBOUNDED, Array, Dimension, PartialShape, TensorInfo

MAX_PARTS = 2**16
"""The most outputs that a layer may split its input into."""


def normalize_axis(part: str, axis: int, rank: int) -> int:
    """Return `axis` counted from the front, for a tensor of this rank; `part` names it in the error."""
    if not -rank <= axis < rank:
        allowed = f"[{-rank}, {rank - 1}]" if rank else "none, as the tensor is a scalar"
        raise ShapeError(part, f"{part} {axis} is not an axis of a tensor of rank {rank}; allowed are {allowed}")
    return axis + rank if axis < 0 else axis


def axis_or_scalar(part: str, axis: int, rank: int) -> int:
    """As `normalize_axis`, but a scalar has the axis of its one element, as in OpenVINO, which is noted."""
    if rank == 0 and axis in (-1, 0):
        note_departure(part, f"{part} {axis} is taken of a scalar; the specification gives it no axis")
        return 0
    return normalize_axis(part, axis, rank)


def normalize_axes(part: str, axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Return the axes counted from the front; one named twice is an error."""
    normalized = tuple(normalize_axis(part, int(axis), rank) for axis in axes)
    if len(set(normalized)) != len(normalized):
        raise ShapeError(part, f"{part} {list(axes)} names an axis of a tensor of rank {rank} twice")
    return normalized


def distinct_axes(part: str, axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Return the axes counted from the front, each once; a repeated one is noted, as OpenVINO takes it."""
    normalized = [normalize_axis(part, int(axis), rank) for axis in axes]
    distinct = tuple(dict.fromkeys(normalized))
    if len(distinct) != len(normalized):
        note_repeated(part, axes)
    return distinct


def note_repeated(part: str, axes: Sequence[int]) -> None:
    """Note axes of which some are repeated."""
    note_departure(part, f"{part} {list(axes)} names an axis twice; the specification wants distinct axes")


def scalar_of(part: str, tensor: TensorInfo) -> int | None:
    """Return the value of an input that holds one whole number (a scalar or one element), or None if unknown."""
    size = tensor.shape.size
    if not size.contains(1):
        raise ShapeError(part, f"{part} has the shape {tensor.shape}; it must be a scalar or hold one element")
    return None if tensor.value is None or tensor.value.size != 1 else whole_numbers(part, tensor.value)[0]


def values_of(tensor: TensorInfo) -> tuple[int, ...] | None:
    """Return the whole numbers that an input holds, as Python ints, or None where they are not known."""
    return None if tensor.value is None else tuple(whole_numbers("", tensor.value))


def whole_numbers(part: str, array: Array) -> list[int]:
    """Return all elements as Python ints; floats are cut as OpenVINO cuts them, and must be finite."""
    try:
        return [int(value) for value in array.reshape(-1)]
    except (ValueError, OverflowError):
        raise ShapeError(part, f"{part or 'an input'} holds {array.tolist()}; it must hold whole numbers") from None


def unbounded(dtype: np.dtype[Any]) -> int:
    """Return the number that stands for no upper bound in bounds of a type, as in OpenVINO: the largest of i32 and i64.

    All numbers of other types are bounds.
    """
    return int(np.iinfo(np.int32).max) if dtype == np.int32 else UNBOUNDED


def held_rank(part: str, tensor: TensorInfo) -> int | None:
    """Return the rank of the shape that a 1-D input holds, or None if it is unknown."""
    count = tensor.shape[0]
    if count.lower > MAX_RANK:
        raise ShapeError(part, f"{part} has {count} elements; a tensor has at most {MAX_RANK} dimensions")
    return int(count) if count.is_static else None


def require_parts(part: str, count: int) -> None:
    """Raise if a layer would have more than `MAX_PARTS` outputs."""
    if count > MAX_PARTS:
        raise ShapeError(part, f"{part} stands for {count} outputs; a layer has at most {MAX_PARTS}")


def require_rank(part: str, shape: PartialShape, *allowed: int) -> None:
    """Raise unless the shape may have one of the ranks."""
    if shape.ndim is not None and shape.ndim not in allowed:
        ranks = " or ".join(map(str, allowed))
        raise ShapeError(part, f"{part} has the shape {shape} of rank {shape.ndim}; the rank must be {ranks}")


def broadcast(left: PartialShape, right: PartialShape, names: tuple[str, str] = ("input 0", "input 1")) -> PartialShape:
    """Return the shape of two operands after NumPy's broadcasting."""
    if left.dims is None or right.dims is None:
        return PartialShape(None)
    rank = max(len(left.dims), len(right.dims))
    a = (Dimension(1),) * (rank - len(left.dims)) + left.dims
    b = (Dimension(1),) * (rank - len(right.dims)) + right.dims
    merged = [left_dim.broadcast(right_dim) for left_dim, right_dim in zip(a, b, strict=True)]
    for axis, dim in enumerate(merged):
        if dim is None:
            raise ShapeError(
                names[1],
                f"shapes {left} and {right} cannot be broadcast: dimension {axis - rank} is {a[axis]} in {names[0]} "
                f"and {b[axis]} in {names[1]}",
                "make the two dimensions equal, or one of them 1",
            )
    return PartialShape([dim for dim in merged if dim is not None])


def broadcast_by(rule: str, left: PartialShape, right: PartialShape, axis: int = -1) -> PartialShape:
    """Return the shape of two operands after broadcasting by `rule`: numpy, none (explicit) or pdpd."""
    if rule == "numpy":
        return broadcast(left, right)
    if rule == "pdpd":
        return broadcast_pdpd(left, right, axis)
    merged = left.merge(right)
    if merged is None:
        raise ShapeError(
            "input 1",
            f"shapes {left} and {right} differ, and auto_broadcast is {rule}",
            'make the shapes equal, or write auto_broadcast="numpy"',
        )
    return merged


def broadcast_pdpd(left: PartialShape, right: PartialShape, axis: int = -1) -> PartialShape:
    """Return `left`, after checking that `right` fits into it from dimension `axis` on (-1: at its end)."""
    if left.dims is None or right.dims is None:
        return PartialShape(None)
    dims = right.dims
    start = len(left.dims) - len(dims) if axis == -1 else axis
    while axis != -1 and dims and dims[-1] == 1:
        dims = dims[:-1]
    if start < 0 or start + len(dims) > len(left.dims):
        raise ShapeError("input 1", f"the shape {right} does not fit into {left} from dimension {start} on")
    result = list(left.dims)
    for offset, dim in enumerate(dims):
        target = left.dims[start + offset]
        merged = target if dim == 1 or (target.is_static and dim.contains(target.lower)) else target.broadcast(dim)
        if merged is None or (target.is_static and merged != target):
            raise ShapeError("input 1", f"dimension {offset} of {right} is not 1 and differs from {target} in {left}")
        result[start + offset] = merged
    return PartialShape(result)


def expand_pdpd(array: Array, rank: int, axis: int = -1) -> Array:
    """Return the second operand of a pdpd broadcast, reshaped for NumPy's broadcasting."""
    if axis == -1:
        return array
    shape = array.shape
    while shape and shape[-1] == 1:
        shape = shape[:-1]
    return array.reshape(shape + (1,) * max(rank - axis - len(shape), 0))
