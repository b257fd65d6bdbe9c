"""Runtime information of layers, ports and models, as nested dictionaries."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lxml import etree

from ir_plugin.errors import Error, ReadError
from ir_plugin.model import Node, RTMap
from ir_plugin.reader.reading import Reading
from ir_plugin.schema.values import shown
from ir_plugin.tensors import ElementType, Layout

_MAX_DEPTH = 64


def read_layer_info(node: Node, layer: etree._Element) -> None:
    """Read the runtime information of a layer and of its output ports."""
    info = layer.find("rt_info")
    if info is not None:
        node.rt_info = RTMap(_attributes(info, 0))
    for port, element in zip(node.outputs, layer.iterfind("output/port"), strict=False):
        info = element.find("rt_info")
        if info is not None:
            port.rt_info = RTMap(_attributes(info, 0))


def report_info(reading: Reading, node: Node, layer: etree._Element) -> None:
    """Report what OpenVINO refuses in the information of a layer and of its ports."""
    for info in (layer.find("rt_info"), *(port.find("rt_info") for port in layer.iterfind("*/port"))):
        present: set[str] = set()
        for attribute in () if info is None else info.iterfind("attribute"):
            name = attribute.get("name", "")
            if name not in _REGISTERED or attribute.get("version") != "0":
                continue
            if name in present:
                message = f'the attribute "{name}" is there twice, which OpenVINO refuses'
                reading.report(
                    "IR102", message, attribute, attribute="name", layer=node.ref(), help="delete one of them"
                )
            present.add(name)
            _report_value(reading, node, attribute, name)


def _report_value(reading: Reading, node: Node, attribute: etree._Element, name: str) -> None:
    """Report the value of an attribute that OpenVINO cannot read."""
    if name in _UNREADABLE:
        message = f'OpenVINO writes no attribute "{name}", and refuses to read it'
        reading.report("IR102", message, attribute, attribute="name", layer=node.ref(), help="delete the attribute")
    check = _CHECKED.get(name)
    text = None if check is None else attribute.get(check[0])
    if check is not None and text is not None:
        key, parse, code, help = check
        try:
            parse(text)
        except Error as fault:
            reading.report(code, str(fault), attribute, attribute=key, layer=node.ref(), help=help)


def _order(text: str) -> None:
    """Raise for an order of dimensions that OpenVINO cannot read; a comma may be the last letter."""
    for item in text.removesuffix(",").split(",") if text else ():
        digits = _DIGITS.match(item)
        if digits is None or int(digits[0]) >= 2**64:
            raise ReadError(f"{shown(text)} is not an order of dimensions, as {shown(item)} is not a number from 0 on")


def _type(text: str) -> None:
    if ElementType(text) not in ElementType.all:
        raise ReadError(f"{shown(text)} is not an element type of OpenVINO")


_DIGITS = re.compile(r"\s*[0-9]{1,20}", re.ASCII)
_CHECKED: dict[str, tuple[str, Callable[[str], object], str, str]] = {
    "layout": ("layout", Layout, "IR102", 'write a letter for each dimension, such as layout="[N,C,H,W]"'),
    "old_api_map_element_type": ("value", _type, "IR105", 'write an element type, such as value="f32"'),
    "old_api_map_order": ("value", _order, "IR102", 'write the order of the dimensions, such as value="0,3,1,2"'),
}
"""What is read, by which function, the finding and its help, by the name of an attribute of runtime information."""
_UNREADABLE = frozenset(["DisableConstantFolding", "nms_selected_indices"])
_REGISTERED = frozenset([
    *_CHECKED, *_UNREADABLE, "DisablePrecisionConversion", "decompression", "fused_names", "memory_type", "precise",
    "primitives_priority",
])  # fmt: skip
"""The attributes that OpenVINO knows, all of version 0; it skips the others."""


def _attributes(info: etree._Element, depth: int) -> dict[str, Any]:
    info_of: dict[str, Any] = {}
    for child in info:
        values: dict[str, Any] = {str(name): str(text) for name, text in child.attrib.items()}
        name = values.pop("name", str(child.tag))
        info_of[name] = values if len(child) == 0 or depth == _MAX_DEPTH else values | _attributes(child, depth + 1)
    return info_of


def read_model_info(root: etree._Element) -> dict[str, Any]:
    """Return the runtime information of a model: `<rt_info>`, or `<meta_data>` of older files."""
    for tag in ("rt_info", "meta_data"):
        info = root.find(tag)
        if info is not None:
            return RTMap(_nested(info, 0))
    return RTMap()


def _nested(element: etree._Element, depth: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for child in element:
        name = str(child.get("name") if child.tag == "info" and child.get("name") else child.tag)
        value = child.get("value")
        if value is not None:
            values[name] = str(value)
        elif depth < _MAX_DEPTH:
            values[name] = _nested(child, depth + 1)
    return values
