"""Functions that read and write one attribute of a node, as OpenVINO's nodes have: `get_axis`, `set_axis`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ir_plugin.tensors import ElementType, PartialShape


def accessor(node: Any, name: str) -> Callable[..., Any] | None:
    """Return the function `get_…` or `set_…` of an attribute, or None if the node has no such attribute."""
    verb, _, attribute = name.partition("_")
    if verb not in ("get", "set") or attribute not in node.get_attributes():
        return None
    if verb == "get":
        return lambda: node.get_attributes()[attribute]
    return lambda value: node.set_attribute(attribute, value)


def plain_attribute(value: Any) -> Any:
    """Return a value of an attribute as OpenVINO shows it."""
    if isinstance(value, ElementType):
        return value.name
    if isinstance(value, PartialShape):
        return [] if value.dims is None else [dim.lower if dim.is_static else -1 for dim in value]
    return list(value) if isinstance(value, (tuple, list, np.ndarray)) else value
