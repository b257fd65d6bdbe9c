"""Attributes that have a value for each spatial axis, where a call leaves them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_plugin.model import Output
from ir_plugin.operations.registry import Definition

_PER_AXIS = {"strides": 1, "dilations": 1, "pads_begin": 0, "pads_end": 0, "output_padding": 0}
_FAMILIES = ("convolution", "pooling")


def spatial_lists(
    definition: Definition, written: Mapping[str, Any], inputs: Sequence[Output]
) -> dict[str, tuple[int, ...]]:
    """Return OpenVINO's value for each spatial axis of the lists that are not written, by the attribute's field."""
    attributes = definition.cls.fields() if definition.family in _FAMILIES else ()
    absent = [name for name in attributes if name in _PER_AXIS and not written.get(name)]
    count = _axes(written, inputs) if absent else 0
    return {name: (_PER_AXIS[name],) * count for name in absent}


def _axes(written: Mapping[str, Any], inputs: Sequence[Output]) -> int:
    """Return the number of spatial axes: the length of a written list, else the first input's rank less 2."""
    lengths = [len(written[name]) for name in ("kernel", *_PER_AXIS) if written.get(name)]
    ndim = inputs[0].tensor_info.shape.ndim if inputs else None
    return lengths[0] if lengths else max((ndim or 0) - 2, 0)
