"""GroupConvolution: convolutions of groups of channels. Specification: convolution/GroupConvolution-1."""

from __future__ import annotations

from ir_plugin.errors import ShapeError
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.tensors import UNBOUNDED, Dimension


class GroupConvolution(Convolution, version=1):
    """As Convolution-1, for each group of channels alone: `data` [N, G*I, …], `filters` [G, O, I, …], out [N, G*O, …].

    The number of groups is the first dimension of `filters`.
    """

    grouped = True

    def _outputs(self, channels: Dimension, weights: tuple[Dimension, ...]) -> Dimension:
        return group_count(channels, weights[0], weights[2]) * weights[1]


def group_count(channels: Dimension, groups: Dimension, per_group: Dimension) -> Dimension:
    """Return the number of groups from the data's channels and the filters' groups and inputs per group."""
    size = per_group.lower if per_group.is_static else 0
    if size and channels != Dimension():
        least, most = -(-channels.lower // size), channels.upper // size if channels.is_bounded else UNBOUNDED
        merged = groups.merge(Dimension(least, most)) if least <= most else None
    else:
        fits = channels.is_dynamic or groups.is_dynamic or groups == 0 or channels.lower % groups.lower == 0
        merged = groups if fits else None
    if merged is None:
        raise ShapeError(
            "filters", f"data has {channels} channels (dimension 1), the filters take {groups} groups of {per_group}"
        )
    return merged
