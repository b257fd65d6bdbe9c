"""Positions of dimensions in layouts, as `openvino.layout_helpers`."""

from __future__ import annotations

from ir_plugin.errors import require
from ir_plugin.model import Node, Output
from ir_plugin.tensors import Layout


def get_layout(port: Output | Node) -> Layout:
    """Return the layout of an input or output of a model."""
    return _node(port).get_layout()


def set_layout(port: Output | Node, layout: Layout | str) -> None:
    """Set the layout of an input or output of a model."""
    _node(port).set_layout(layout)


def has_batch(layout: Layout) -> bool:
    """Return whether a dimension is the batch."""
    return _of(layout).has_name("N")


def batch_idx(layout: Layout) -> int:
    """Return the position of the batch."""
    return _of(layout).get_index_by_name("N")


def has_channels(layout: Layout) -> bool:
    """Return whether a dimension is the channels."""
    return _of(layout).has_name("C")


def channels_idx(layout: Layout) -> int:
    """Return the position of the channels."""
    return _of(layout).get_index_by_name("C")


def has_depth(layout: Layout) -> bool:
    """Return whether a dimension is the depth."""
    return _of(layout).has_name("D")


def depth_idx(layout: Layout) -> int:
    """Return the position of the depth."""
    return _of(layout).get_index_by_name("D")


def has_height(layout: Layout) -> bool:
    """Return whether a dimension is the height."""
    return _of(layout).has_name("H")


def height_idx(layout: Layout) -> int:
    """Return the position of the height."""
    return _of(layout).get_index_by_name("H")


def has_width(layout: Layout) -> bool:
    """Return whether a dimension is the width."""
    return _of(layout).has_name("W")


def width_idx(layout: Layout) -> int:
    """Return the position of the width."""
    return _of(layout).get_index_by_name("W")


def _node(port: Output | Node) -> Node:
    require(port, (Output, Node), "an input or output of a model", "port")
    return port if isinstance(port, Node) else port.node


def _of(layout: Layout) -> Layout:
    require(layout, Layout, "a layout", "layout")
    return layout
