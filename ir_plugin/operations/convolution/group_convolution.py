"""GroupConvolution: convolutions of groups of channels. Specification: convolution/GroupConvolution-1."""

from __future__ import annotations

from ir_plugin.errors import ShapeError
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.tensors import Dimension


class GroupConvolution(Convolution, version=1):
    """As Convolution-1, for each group of channels alone: `data` [N, G*I, …], `filters` [G, O, I, …], out [N, G*O, …].

    The number of groups is the first dimension of `filters`.
    """

    grouped = True

    def _outputs(self, channels: Dimension, weights: tuple[Dimension, ...]) -> Dimension:
        return group_count(channels, weights[0], weights[2]) * weights[1]


def group_count(channels: Dimension, groups: Dimension, per_group: Dimension) -> Dimension:
    """Return the number of groups, from the filters' groups and inputs a group and from the channels of data."""
    if channels.merge(groups * per_group) is None or _indivisible(channels, groups):
        raise ShapeError(
            "filters",
            f"data has {channels} channels (dimension 1), the filters take {groups} groups of {per_group}",
        )
    if per_group.is_dynamic or per_group == 0 or channels == Dimension():
        return groups
    size = per_group.get_length()
    found = Dimension(-(-channels.lower // size), channels.upper // size if channels.is_bounded else -1) if (
        not channels.is_bounded or -(-channels.lower // size) <= channels.upper // size
    ) else None
    merged = groups.merge(found) if found is not None else None
    if merged is None:
        raise ShapeError("filters", f"data has {channels} channels, no whole number of groups of {per_group}")
    return merged


def _indivisible(channels: Dimension, groups: Dimension) -> bool:
    return channels.is_static and groups.is_static and groups.lower > 0 and channels.lower % groups.lower != 0
