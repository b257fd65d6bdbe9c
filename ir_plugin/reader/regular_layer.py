"""A layer as OpenVINO writes it, read without the parser and validated without its schema.

Less is accepted than by the schema: an accepted layer has no finding, and any other is left to the parser.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from ir_plugin.model import Declared
from ir_plugin.model.ports import NOTHING_DECLARED
from ir_plugin.reader.regular import is_plain
from ir_plugin.schema import AttributeSpec, Interface, ValueTextError
from ir_plugin.tensors import MAX_RANK, ElementType, FrozenShape, shared

_BLANKS = r"[ \t\r\n]*"
_WHOLE = r"(?:0|[1-9][0-9]{0,17})"
_ATTRIBUTE = r'[ \t\r\n]+([A-Za-z_][A-Za-z0-9_.-]*)="([^"&<>]*)"'
_DIMS = rf"(?:{_BLANKS}<dim>(?:-1|{_WHOLE})</dim>)*"
_PORT = rf'<port id="({_WHOLE})"(?: precision="([A-Z0-9]+)")?( names="")?{_BLANKS}(?:/>|>({_DIMS}){_BLANKS}</port>)'


def _repeated(pattern: str) -> str:
    """Return a pattern that captures all repetitions of `pattern` in one group."""
    without_groups = re.sub(r"\((?!\?)", "(?:", pattern)
    return rf"((?:{without_groups})*)"


_PORTS = _repeated(_BLANKS + _PORT)
_LAYER = re.compile(
    rf"{_BLANKS}(?:<data{_repeated(_ATTRIBUTE)}{_BLANKS}/>{_BLANKS})?(?:<input>{_PORTS}{_BLANKS}</input>{_BLANKS})?"
    rf"(?:<output>{_PORTS}{_BLANKS}</output>{_BLANKS})?</layer>"
)
_EACH_ATTRIBUTE, _EACH_PORT, _EACH_LENGTH = map(re.compile, (_ATTRIBUTE, _PORT, r">([-0-9]+)<"))
_SECTIONS = ("data", "input", "output")
_PRECISIONS = {each.precision: each for each in ElementType.all if not each.is_dynamic}

PortParts = list[tuple[int, Declared]]


class LayerParts(NamedTuple):
    """The attributes of a layer as texts and as values, and the ids and declarations of its ports."""

    attributes: dict[str, str]
    values: dict[str, Any]
    inputs: PortParts
    outputs: PortParts
    named: list[bool]
    """Whether each output has tensor names."""


def read_parts(text: str, interface: Interface) -> LayerParts | None:
    """Parse the text after a layer's start tag, without tensor names; None if the XML parser has to read the layer."""
    match = _LAYER.fullmatch(text)
    if match is None:
        return None
    data, input, output = match.groups()
    present = {name for name, part in zip(_SECTIONS, match.groups(), strict=True) if part is not None}
    if not present.issuperset(interface.required_children) or not present.issubset(interface.children):
        return None
    attributes = {} if data is None else _attributes(data, interface)
    inputs, outputs = (_ports(part or "") for part in (input, output))
    if attributes is None or inputs is None or outputs is None:
        return None
    if any(named for *_, named in inputs) or any(declared.element_type is None for _, declared, _ in outputs):
        return None
    counts = (input, interface.inputs, inputs), (output, interface.outputs, outputs)
    if any(part is not None and not (ports and count.allows(len(ports))) for part, count, ports in counts):
        return None
    values = {interface.attributes[name].python_name: value for name, (_, value) in attributes.items()}
    return LayerParts(
        {name: text for name, (text, _) in attributes.items()},
        interface.values_when_absent | values,
        [(id, declared) for id, declared, _ in inputs],
        [(id, declared) for id, declared, _ in outputs],
        [named for *_, named in outputs],
    )


def of_end(parts: LayerParts, is_named: bool) -> LayerParts:
    """Return the parts of a layer that declares no output, but has one for its tensor names."""
    return parts._replace(outputs=[(-1, NOTHING_DECLARED)], named=[is_named])


def _attributes(data: str, interface: Interface) -> dict[str, tuple[str, Any]] | None:
    """Return the texts and values of attributes, None if the schema may refuse them."""
    attributes: dict[str, tuple[str, Any]] = {}
    for name, text in _EACH_ATTRIBUTE.findall(data):
        spec: AttributeSpec | None = interface.attributes.get(name)
        if spec is None or name in attributes or not is_plain(text) or not spec.is_plain(text):
            return None
        try:
            attributes[name] = text, spec.parse(text)
        except ValueTextError:
            return None
    return attributes if interface.required_attributes.issubset(attributes) else None


def _ports(section: str) -> list[tuple[int, Declared, bool]] | None:
    """Return id, declaration and whether there are names of each port, None if one may be refused."""
    ports: list[tuple[int, Declared, bool]] = []
    for id, precision, names, dims in _EACH_PORT.findall(section):
        declared = _declared(precision, dims)
        if declared is None:
            return None
        ports.append((int(id), declared, bool(names)))
    return ports if len({id for id, *_ in ports}) == len(ports) else None


@lru_cache(maxsize=4096)
def _declared(precision: str, dims: str) -> Declared | None:
    lengths = list(map(int, _EACH_LENGTH.findall(dims)))
    if len(lengths) > MAX_RANK or (precision and precision not in _PRECISIONS):
        return None
    return Declared(shared(FrozenShape(lengths)) if lengths else None, _PRECISIONS.get(precision))
