"""What ONNX has no field for, as metadata: runtime information, and layouts and names of inputs and outputs."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping
from typing import Any

from ir_plugin.frontends.onnx.metadata import (
    LAYER_NAME,
    LAYOUT,
    NAMES,
    RESULT_NAME,
    computing_layer,
    key_of,
    result_name,
)
from ir_plugin.model import Node, Output
from ir_plugin.model.type_info import plain_info
from ir_plugin.writer.rt_info import value_text


def info_metadata(info: Mapping[str, Any], outer: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield the entries of runtime information, that in its sections too."""
    for name, value in plain_info(info).items():
        if isinstance(value, Mapping):
            yield from info_metadata(value, (*outer, name))
        else:
            yield key_of((*outer, name)), value_text(value)


def end_metadata(node: Node, name: str) -> Iterator[tuple[str, str]]:
    """Yield the layout of a Parameter or Result whose value has a name in ONNX, and names that differ from it."""
    if not node.layout.empty:
        yield f"{LAYOUT}{name}", str(node.layout)
    computing = computing_layer(node)
    if computing.name not in (name, computing.get_name()):
        yield f"{LAYER_NAME}{name}", computing.name
    if computing is not node and node.name not in (result_name(name), node.get_name()):
        yield f"{RESULT_NAME}{name}", node.name


def names_metadata(values: Mapping[Output, str], others: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield the further names of values, besides those in ONNX."""
    for output, name in values.items():
        names = sorted(item for item in output.names if item != name and item not in others)
        if names:
            yield f"{NAMES}{name}", json.dumps(names)
