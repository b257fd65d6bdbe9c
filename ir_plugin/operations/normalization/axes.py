"""Axes given as an input, shared by the normalizations."""

from __future__ import annotations

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import note_type
from ir_plugin.operations.shapes import distinct_axes, normalize_axes, values_of
from ir_plugin.tensors import Array, TensorInfo


def check_axes(data: TensorInfo, axes: TensorInfo, *ranks: int, repeated: bool = False) -> None:
    """Raise unless `axes` can hold axes of `data`, which are distinct unless they may be `repeated`."""
    note_type("axes", axes, "integer", accepted=("number",))
    if axes.shape.ndim is not None and axes.shape.ndim not in ranks:
        allowed = " or ".join({0: "a scalar", 1: "1-D"}[rank] for rank in ranks)
        raise ShapeError("axes", f"axes has the shape {axes.shape}; it must be {allowed}")
    if data.shape.dims is None:
        return
    values = values_of(axes)
    if values is not None and not (repeated and len(values) <= len(data.shape)):
        normalize_axes("axes", values, len(data.shape))
    elif values is not None:
        distinct_axes("axes", values, len(data.shape))
    elif axes.shape.size.lower > len(data.shape):
        raise ShapeError("axes", f"axes holds {axes.shape.size} values, but data {data.shape} has fewer dimensions")


def axis_tuple(axes: Array, rank: int) -> tuple[int, ...]:
    """Return the axes of data of this rank as a tuple of Python ints, counted from the front, each once."""
    return tuple(dict.fromkeys(int(axis) % rank for axis in axes.reshape(-1)))
