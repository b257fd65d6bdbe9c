"""Metadata of an ONNX file: runtime information, and what this library writes of inputs and outputs beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ir_plugin.errors import Error
from ir_plugin.model import Model, Node

FRAMEWORK = "framework"
"""The section of runtime information that holds metadata with any other key, as OpenVINO's front end has it."""
INFO = "rt_info."
"""What precedes the keys of other runtime information, whose sections are separated by points."""
LAYOUT, NAMES, LAYER_NAME, RESULT_NAME = "layout.", "names.", "layer.", "result."
"""What precedes the name of a value in the keys of its layout, its further names, and the names of its layers."""


def restore_metadata(model: Model, proto: Any) -> None:
    """Set runtime information, layouts and further names of a model from the metadata of its file."""
    pairs = [(entry.key, entry.value) for entry in proto.metadata_props]
    entries = {key: value for key, value in pairs if isinstance(key, str) and isinstance(value, str)}
    for node in (*model.parameters, *model.results):
        _restore_end(node, entries)
    _restore_names(model, entries)
    info: dict[str, Any] = {}
    for key, value in entries.items():
        sections = _sections(key.removeprefix(INFO)) if key.startswith(INFO) else [FRAMEWORK, key]
        _set(info, sections, value)
    for key, value in info.items():
        model.rt_info[key] = value


def result_name(output: str) -> str:
    """Return the name that the Result of an output has, as in OpenVINO."""
    return f"{output}/sink_port_0"


def computing_layer(node: Node) -> Node:
    """Return the layer that computes the value of a Parameter or Result."""
    source = node.sources[0] if node.sources else None
    return node if source is None else source.node


def key_of(sections: Sequence[str]) -> str:
    """Return the key of an entry of runtime information in nested sections."""
    if len(sections) == 2 and sections[0] == FRAMEWORK:
        return sections[1]
    return INFO + ".".join(section.replace("\\", "\\\\").replace(".", "\\.") for section in sections)


def _sections(key: str) -> list[str]:
    """Return the parts that the points of a key separate; a backslash precedes what is no separator."""
    parts = re.findall(r"(?:\\.|[^.\\])+", key)
    return [re.sub(r"\\(.)", r"\1", part) for part in parts] or [key]


def _restore_end(node: Node, entries: dict[str, str]) -> None:
    """Set the layout and the names of a Parameter or Result and its source, and drop their entries."""
    for name in node.outputs[0].names:
        for layer, key in ((computing_layer(node), LAYER_NAME), (node, RESULT_NAME)):
            friendly_name = entries.pop(f"{key}{name}", "")
            if friendly_name:
                layer.set_friendly_name(friendly_name)
        layout = entries.pop(f"{LAYOUT}{name}", "")
        if layout:
            with suppress(Error):
                node.set_layout(layout)


def _restore_names(model: Model, entries: dict[str, str]) -> None:
    """Add further names of tensors that no tensor has, and drop their entries."""
    if not any(key.startswith(NAMES) for key in entries):
        return
    outputs = {name: output for node in model.ordered() for output in node.outputs for name in output.names}
    for name, output in list(outputs.items()):
        further = _texts(entries.pop(f"{NAMES}{name}", "")) - outputs.keys()
        output.add_names(further)
        outputs.update(dict.fromkeys(further, output))


def _texts(text: str) -> set[str]:
    """Return the texts of a list in JSON, none if it is another value."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return set()
    return {value for value in values if isinstance(value, str)} if isinstance(values, list) else set()


def _set(info: dict[str, Any], sections: Sequence[str], value: str) -> None:
    """Set an entry of runtime information in nested sections."""
    *outer, name = sections
    for section in outer:
        if not isinstance(info.get(section), dict):
            info[section] = {}
        info = info[section]
    info[name] = value
