"""Attributes as OpenVINO's nodes show them: its order, its names, floats of its width, its spelling of words.

Each row of the table is a definition that shows them otherwise than by its fields in order; `:f32` marks floats that
OpenVINO holds in single precision, and other marks are words that it spells with capitals.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np


def shown(type: str, version: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a definition, by OpenVINO's names and in its order."""
    entries = _table().get((type, version))
    if entries is None:
        return dict(values)
    fields = {name: name.replace("-", "_") for name in entries}
    return {name: _as_shown(values[field], entries[name]) for name, field in fields.items() if field in values}


def _as_shown(value: Any, marks: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return next((word for word in marks if word.lower() == value.lower()), value)
    if "f32" not in marks:
        return value
    return np.float32(value).item() if isinstance(value, float) else [np.float32(item).item() for item in value]


@cache
def _table() -> dict[tuple[str, str], dict[str, tuple[str, ...]]]:
    """Return the marks of each attribute, by type and opset of the definition."""
    lines = Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return {(type, f"opset{number}"): dict(map(_entry, names.split())) for type, number, names in rows}


def _entry(text: str) -> tuple[str, tuple[str, ...]]:
    name, *marks = text.split(":")
    return name, tuple(marks)
