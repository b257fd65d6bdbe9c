"""Documentation and types of the functions that build nodes, from signatures and schemas."""

from __future__ import annotations

import inspect
from functools import cache
from pathlib import Path
from textwrap import wrap

from ir_plugin.operations.registry import Definition
from ir_plugin.opsets.signatures import Parameter, Signature
from ir_plugin.schema.catalogue import standard
from ir_plugin.schema.interface import AttributeSpec

_TYPES = {
    "int": ("int", "a whole number"),
    "unsigned": ("int", "a whole number"),
    "float": ("float", "a number"),
    "boolean": ("bool", "True or False"),
    "string": ("str", "a text"),
    "ints": ("Ints", "a list of whole numbers"),
    "floats": ("Floats", "a list of numbers"),
    "strings": ("Texts", "a list of texts"),
    "enumeration": ("str", "a word"),
    "element_type": ("ElementTypeLike", ""),
    "partial_shape": ("ShapeLike", "a shape"),
}
"""The Python type of an attribute, and what it is called, by its type in the schema."""

_KINDS = {
    "input": ("NodeInput", "a node, an output, a number or an array"),
    "nodes": ("Nodes", "a list of nodes, outputs, numbers or arrays"),
    "attributes": ("Attributes", "a dictionary"),
}


def annotation(definition: Definition, parameter: Parameter) -> str:
    """Return the type of a parameter as a stub writes it."""
    if parameter.kind == "attribute":
        spec = _spec(definition, parameter)
        label = "Any" if spec is None else _TYPES.get(spec.type, ("Any", ""))[0]
        if label in ("int", "float") and isinstance(parameter.default, (list, tuple)):
            label = "Any"
    else:
        label = _KINDS[parameter.kind][0]
    return f"{label} | None" if parameter.default is None and label != "Any" else label


def documentation(signature: Signature, definition: Definition) -> str:
    """Return the text that `help` shows: what the operation computes, and what each parameter is."""
    summary = inspect.getdoc(definition.cls) or ""
    head = f"Return a node of {signature.type}-{signature.version.removeprefix('opset')}."
    lines = [line for parameter in signature.parameters for line in _described(definition, parameter)]
    return "\n".join([head, "", summary, "", "Parameters:", *lines, "    name: the name of the node"])


def _described(definition: Definition, parameter: Parameter) -> list[str]:
    text = "; ".join(filter(None, [phrases().get(parameter.name, ""), *_kind(definition, parameter)]))
    if parameter.kind in ("input", "nodes"):
        text = _KINDS[parameter.kind][1] + ("; may be left out" if parameter.default is None else "")
    return wrap(f"{parameter.name}: {text}", 110, initial_indent="    ", subsequent_indent="        ")


def _kind(definition: Definition, parameter: Parameter) -> list[str]:
    """Return the values that a parameter accepts: a type, or the words of an enumeration."""
    if parameter.kind == "attributes":
        names = standard().interface(definition).attributes
        return [f"a dictionary of {', '.join(spec.python_name for spec in names.values() if spec.type != 'extra')}"]
    spec = _spec(definition, parameter)
    if spec is None:
        return []
    words = list(dict.fromkeys(word.lower() for word in spec.spellings))
    if spec.type == "enumeration" and words:
        return [" or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))]
    return [_TYPES[spec.type][1]] if spec.type in _TYPES else []


def _spec(definition: Definition, parameter: Parameter) -> AttributeSpec | None:
    specs = standard().interface(definition).attributes.values()
    return next((spec for spec in specs if spec.python_name == parameter.target.replace("-", "_")), None)


@cache
def phrases() -> dict[str, str]:
    """Return the description of each attribute by its name."""
    lines = Path(__file__).with_name("attributes.tsv").read_text("utf-8").splitlines()
    return dict(line.split("\t") for line in lines)
