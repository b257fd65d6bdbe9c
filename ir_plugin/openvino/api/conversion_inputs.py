"""The forms in which `convert_model` takes inputs and outputs: names, shapes, types, tuples, lists and dictionaries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ir_plugin.errors import InputError, wrong_type
from ir_plugin.frontends.ends import InputEnd
from ir_plugin.tensors import Dimension, ElementType, PartialShape, Shape

_FORMS = "a name, a shape, a type, or a tuple, list or dictionary of these"
_TYPES = {float: "f64", int: "i64", bool: "boolean", str: "string"}
_SHAPE = re.compile(r"\[([^\[\]]*)\]")
_OUTSIDE_BRACKETS = re.compile(r",(?![^\[\]]*\])")


def input_ends(inputs: Any) -> list[InputEnd]:
    """Return the inputs that the argument `input` describes."""
    if inputs is None:
        return []
    if isinstance(inputs, Mapping):
        return [_of_entry(name, value) for name, value in inputs.items()]
    if not isinstance(inputs, (list, tuple)) or _is_shape(inputs):
        return [] if isinstance(inputs, (list, tuple)) and not inputs else [_end_of(inputs)]
    ends = [_end_of(inputs)] if _is_single(inputs) else [_end_of(item) for item in inputs]
    if len({end.name is None for end in ends}) > 1:
        raise InputError("some inputs have a name and some have none; name all of them, or none")
    return ends


def output_names(outputs: Any) -> list[str]:
    """Return the names that the argument `output` lists."""
    if outputs is None:
        return []
    names = [outputs] if isinstance(outputs, str) else outputs
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise wrong_type("output", "a name or a list of names", outputs)
    return list(names)


def parsed_inputs(texts: Any) -> list[InputEnd]:
    """Return the inputs that texts of the command line describe: `images[1,3,?,8..16],mask`."""
    ends = []
    for item in (item for text in texts for item in _OUTSIDE_BRACKETS.split(text)):
        shapes = _SHAPE.findall(item)
        name = _SHAPE.sub("", item).strip()
        if len(shapes) > 1 or "->" in item or not (name or shapes):
            raise InputError(f"the input {item!r} is not a name with a shape; write it as images[1,3,?,8..16]")
        shape = PartialShape(re.sub(r"[ ,]+", ",", shapes[0].strip())) if shapes and shapes[0].strip() else None
        ends.append(InputEnd(name or None, PartialShape([]) if shapes and shape is None else shape))
    if len({end.name is None for end in ends}) > 1:
        raise InputError("some inputs have a name and some have none; name all of them, or none")
    return ends


def _of_entry(name: Any, value: Any) -> InputEnd:
    if not isinstance(name, str):
        raise wrong_type("input", "a dictionary with names as keys", name)
    end = _end_of(value)
    if end.name not in (None, name):
        raise InputError(f"the input {name!r} is called {end.name!r} in its value")
    return end._replace(name=name)


def _is_single(items: Any) -> bool:
    """Return whether the items describe one input together: at most one name, one shape and one type."""
    kinds = [_kind(item) for item in items]
    return None not in kinds and len(set(kinds)) == len(kinds)


def _kind(item: Any) -> str | None:
    if isinstance(item, str):
        return "name"
    if _is_type(item):
        return "type"
    return "shape" if _is_shape(item) else None


def _end_of(item: Any) -> InputEnd:
    parts = item if isinstance(item, (list, tuple)) and not _is_shape(item) else [item]
    fields: dict[str, Any] = {}
    for part in parts:
        kind = "shape" if part is None and len(parts) > 1 else _kind(part)
        if kind is None:
            raise wrong_type("input", _FORMS, part)
        if kind in fields:
            raise InputError(f"the input {item!r} has more than one {kind}")
        fields[kind] = part
    shape, type = fields.get("shape"), fields.get("type")
    return InputEnd(
        fields.get("name"),
        None if shape is None else PartialShape(shape),
        None if type is None else _element_type(type),
    )


def _is_shape(item: Any) -> bool:
    if isinstance(item, (PartialShape, Shape)):
        return True
    if not isinstance(item, (list, tuple)) or not item:
        return False
    return all(isinstance(length, (int, np.integer, Dimension)) and not isinstance(length, bool) for length in item)


def _is_type(item: Any) -> bool:
    return isinstance(item, (ElementType, type, np.dtype))


def _element_type(item: Any) -> ElementType:
    if isinstance(item, ElementType):
        return item
    name = _TYPES.get(item) if isinstance(item, type) else None
    if name is not None:
        return ElementType(name)
    try:
        return ElementType.from_dtype(np.dtype(item))
    except TypeError:
        raise wrong_type("input", "a type of ov.Type or of NumPy", item) from None
