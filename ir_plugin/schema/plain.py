"""Layers that a schema surely accepts, as they are written like OpenVINO writes them: it need not be compiled."""

from __future__ import annotations

import re

from lxml import etree

from ir_plugin.schema.interface import Interface
from ir_plugin.schema.values import ValueTextError
from ir_plugin.tensors import ElementType

_MANDATORY = frozenset(["id", "name", "type", "version"])
_WHOLE = "(?:0|[1-9][0-9]{0,17})"
_PRECISION = "|".join(sorted(each.precision for each in ElementType.all if not each.is_dynamic))
_ATTRIBUTES = rf'id="{_WHOLE}"(?: precision="(?:{_PRECISION})")?(?: names="[^"]*")?'
_PORT = re.compile(rf"<port {_ATTRIBUTES}(?:/>|>(?:<dim>(?:-1|{_WHOLE})</dim>)*</port>)")
_PLAIN_PORT = "\0"
"""What takes the place of a port: no XML has this character, and no stack is needed to match any number of it."""
_LAYER = re.compile(
    rf"<layer [^<>]*>(<data(?: [^<>]*)?/>)?"
    rf"(?:<input>({_PLAIN_PORT}+)</input>)?(?:<output>({_PLAIN_PORT}+)</output>)?</layer>"
)
_SECTIONS = ("data", "input", "output")


def is_plain_layer(layer: etree._Element, interface: Interface) -> bool:
    """Return whether the schema of an interface surely accepts a layer."""
    text = etree.tostring(layer, encoding="unicode", with_tail=False)
    match = _LAYER.fullmatch(_PORT.sub(_PLAIN_PORT, text))
    names = set(layer.keys())
    if match is None or not _MANDATORY <= names <= _MANDATORY | interface.layer_attributes:
        return False
    present = {section for section, part in zip(_SECTIONS, match.groups(), strict=True) if part is not None}
    if not set(interface.required_children) <= present <= set(interface.children):
        return False
    for ports, count in ((match[2], interface.inputs), (match[3], interface.outputs)):
        if ports is not None and not count.allows(len(ports)):
            return False
    return re.fullmatch(_WHOLE, layer.get("id", "")) is not None and _has_plain_data(layer, interface)


def _has_plain_data(layer: etree._Element, interface: Interface) -> bool:
    data = layer.find("data")
    texts = {} if data is None else dict(data.attrib)
    for name, text in texts.items():
        spec = interface.attributes.get(name)
        if spec is None or not spec.is_plain(text):
            return False
        try:
            spec.parse(text)
        except ValueTextError:
            return False
    return data is None or interface.required_attributes <= texts.keys()
