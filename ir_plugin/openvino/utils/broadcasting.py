"""Axes that a broadcast adds, as `openvino.utils.broadcasting`."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.errors import InputError
from ir_plugin.tensors import AxisSet

__all__ = ["get_broadcast_axes"]


def get_broadcast_axes(output_shape: Sequence[int], input_shape: Sequence[int], axis: int | None = None) -> AxisSet:
    """Return the axes of an output that an input lacks; `axis` is the first that it has, by default the last ones."""
    rank = len(output_shape)
    first = rank - len(input_shape) if axis is None else axis
    own = range(first, first + len(input_shape))
    if own and not 0 <= own[0] <= own[-1] < rank:
        raise InputError(f"the shape {list(input_shape)} does not lie at axis {first} of {list(output_shape)}")
    return AxisSet(set(range(rank)) - set(own))
