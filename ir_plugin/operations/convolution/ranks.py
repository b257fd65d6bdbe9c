"""The number of spatial axes of a convolution, from its shapes and attributes."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.errors import ShapeError
from ir_plugin.tensors import Dimension, PartialShape


def agreed_axes(
    data: tuple[PartialShape, int, str], filters: tuple[PartialShape, int, str], lists: Sequence[Sequence[int]]
) -> int | None:
    """Return the number of spatial axes, or None; each shape comes with its number of other axes and its name."""
    agreed: int | None = None
    for shape, lead, name in (data, filters):
        if shape.ndim is None:
            continue
        axes = shape.ndim - lead
        if not 1 <= axes <= 3:
            raise ShapeError(
                name, f"{name} has the shape {shape} of rank {shape.ndim}; the rank must be {lead + 1} to {lead + 3}"
            )
        if agreed is not None and axes != agreed:
            raise ShapeError(name, f"{name} {shape} has {axes} spatial axes, {data[2]} {data[0]} has {agreed}")
        agreed = axes
    if agreed is None:
        agreed = next((len(values) for values in lists if values), None)
        return agreed if agreed is None or 1 <= agreed <= 3 else None
    return agreed


def dims_of_rank(shape: PartialShape, rank: int) -> tuple[Dimension, ...]:
    """Return the dimensions, unknown ones where the rank is unknown."""
    return (Dimension(),) * rank if shape.dims is None else shape.dims
