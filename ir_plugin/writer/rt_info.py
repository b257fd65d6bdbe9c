"""Runtime information as XML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ir_plugin.model.type_info import plain_info
from ir_plugin.writer.text import Xml

_XML_NAME = re.compile(r"(?!xml)[A-Za-z_][A-Za-z0-9_.\-]*", re.IGNORECASE)


def write_layer_info(xml: Xml, info: Mapping[str, Any]) -> None:
    """Write the runtime information of a layer or a port, if any."""
    if not info:
        return
    xml.open("rt_info")
    for name, value in plain_info(info).items():
        _write_entry(xml, name, value)
    xml.close()


def _write_entry(xml: Xml, name: str, value: Any) -> None:
    """Write an entry as `<attribute>` if it has a version, else as `<user_data>`, like OpenVINO."""
    values = value if isinstance(value, Mapping) else {"value": value_text(value)}
    plain = {key: value_text(item) for key, item in values.items() if not isinstance(item, Mapping)}
    nested = {key: item for key, item in values.items() if isinstance(item, Mapping)}
    tag = "attribute" if "version" in values else "user_data"
    head = {"name": name} | plain
    if not nested:
        xml.leaf(tag, head)
        return
    xml.open(tag, head)
    for key, item in nested.items():
        _write_entry(xml, key, item)
    xml.close()


def write_model_info(xml: Xml, info: Mapping[str, Any], tag: str = "rt_info", name: str = "") -> None:
    """Write the nested runtime information of a model."""
    head = {"name": name} if name else {}
    if not info:
        xml.leaf(tag, head)
        return
    xml.open(tag, head)
    for key, value in plain_info(info).items():
        plain = bool(_XML_NAME.fullmatch(key)) and key != "info"
        inner, own = (key, "") if plain else ("info", key)
        if isinstance(value, Mapping):
            write_model_info(xml, value, inner, own)
        else:
            xml.leaf(inner, ({"name": own} if own else {}) | {"value": value_text(value)})
    xml.close()


def value_text(value: Any) -> str:
    """Return a value of the runtime information as OpenVINO writes it: YES and NO, lists separated by blanks."""
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if isinstance(value, (list, tuple)):
        return " ".join(map(value_text, value))
    return str(value)
