"""Axes of reductions, as `openvino.utils.reduction`."""

from __future__ import annotations

from collections.abc import Iterable

from ir_plugin.model import Node

__all__ = ["get_reduction_axes"]


def get_reduction_axes(node: Node, reduction_axes: Iterable[int] | None) -> set[int]:
    """Return the axes as a set: all axes of the node's output for None."""
    return set(range(len(node.shape))) if reduction_axes is None else set(reduction_axes)
