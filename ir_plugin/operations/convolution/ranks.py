"""How many spatial axes a convolution has, as far as shapes and attributes tell."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.errors import ShapeError
from ir_plugin.tensors import Dimension, PartialShape


def agreed_axes(
    data: tuple[PartialShape, int, str], filters: tuple[PartialShape, int, str], lists: Sequence[Sequence[int]]
) -> int | None:
    """Return the number of spatial axes, or None; each shape comes with its number of other axes and its name."""
    found: int | None = None
    for shape, lead, name in (data, filters):
        if shape.ndim is None:
            continue
        axes = shape.ndim - lead
        if not 1 <= axes <= 3:
            raise ShapeError(
                name, f"{name} has the shape {shape} of rank {shape.ndim}; the rank must be {lead + 1} to {lead + 3}"
            )
        if found is not None and axes != found:
            raise ShapeError(name, f"{name} {shape} has {axes} spatial axes, {data[2]} {data[0]} has {found}")
        found = axes
    if found is None:
        found = next((len(values) for values in lists if values), None)
        return found if found is None or 1 <= found <= 3 else None
    return found


def known_dims(shape: PartialShape, rank: int) -> tuple[Dimension, ...]:
    """Return the dimensions, unknown ones where the rank is unknown."""
    return (Dimension(),) * rank if shape.dims is None else shape.dims
