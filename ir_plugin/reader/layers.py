"""One `<layer>`: its definition, attributes and ports."""

from __future__ import annotations

from typing import Any

from lxml import etree

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.model import Declared, Input, Node, Output
from ir_plugin.operations.opsets import NEWEST_OPSET, opset_number, resolve
from ir_plugin.operations.registry import Definition
from ir_plugin.reader.reading import ElementOrigin, Reading
from ir_plugin.reader.refusals import explain, explain_value
from ir_plugin.schema import Interface, ValueTextError
from ir_plugin.tensors import ElementType, PartialShape

_MANDATORY = ("id", "name", "type", "version")


def read_layer(reading: Reading, element: etree._Element) -> Node | None:
    """Return the node of a layer; None where it has no usable id."""
    for name in _MANDATORY:
        if element.get(name) is None:
            reading.report(
                "IR103", f'the layer has no attribute "{name}"', element, layer=reading.ref(element),
                help=f'write {name}="…" in <layer>',
            )  # fmt: skip
    id = element.get("id", "")
    if not _is_number(id):
        if id:
            reading.report(
                "IR102", f'the layer id "{id}" is no number', element, attribute="id", layer=reading.ref(element)
            )
        return None
    node = Node(str(int(id)), *(str(element.get(name, "")) for name in _MANDATORY[1:]))
    node.origin = ElementOrigin(reading.document, element)
    node.path = reading.path
    definition = reading.registry.resolve(node.type, node.version)
    if definition is not None:
        _read_operation(reading, element, node, definition)
    _read_ports(reading, element, node)
    return node


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20


def _read_operation(reading: Reading, element: etree._Element, node: Node, definition: Definition) -> None:
    interface = reading.catalogue.interface(definition)
    refused = False
    if reading.strict:
        log = reading.catalogue.refusals(definition, element)
        refused = bool(log)
        if refused:
            explain(reading, element, interface, log)
    values = dict(interface.values_when_absent)
    data = element.find("data")
    if data is not None:
        node.attributes = {str(name): str(text) for name, text in data.attrib.items()}
        _read_attributes(reading, element, node, interface, values, refused)
    node.operation = definition.cls(**values)


def _read_attributes(
    reading: Reading, element: etree._Element, node: Node, interface: Interface, values: dict[str, Any], refused: bool
) -> None:
    for name, text in node.attributes.items():
        spec = interface.attributes.get(name)
        if spec is None:
            continue
        if spec.type == "extra":
            if reading.strict:
                message = f'the operation ignores the attribute "{name}", which older writers left'
                where = reading.ref(element, f'attribute "{name}"')
                reading.report("IR104", message, element.find("data") or element, attribute=name, layer=where)
            continue
        try:
            values[spec.python_name] = spec.parse(text)
        except ValueTextError as fault:
            if reading.strict and not refused:
                explain_value(reading, element, _data(element), spec, text)
            try:
                values[spec.python_name] = spec.parse_loosely(text)
            except ValueTextError:
                if not reading.strict:
                    message = f'attribute "{name}": {fault}'
                    reading.report("IR102", message, _data(element), attribute=name, layer=reading.ref(element))


def _data(element: etree._Element) -> etree._Element:
    data = element.find("data")
    return element if data is None else data


def _read_ports(reading: Reading, element: etree._Element, node: Node) -> None:
    for direction in ("input", "output"):
        seen: set[int] = set()
        for port in element.iterfind(f"{direction}/port"):
            text = port.get("id", "")
            if not _is_number(text):
                if text or not reading.strict:
                    reading.report("IR111", f'the port id "{text}" is no number', port, layer=reading.ref(element))
                continue
            id = int(text)
            if id in seen:
                message = f"the {direction} port id {id} is used twice"
                reading.report(
                    "IR203", message, port, attribute="id", layer=reading.ref(element, f"{direction} port {id}")
                )
                continue
            seen.add(id)
            declared = _declared(reading, element, port, f"{direction} port {id}")
            if direction == "input":
                node.inputs.append(Input(node, len(node.inputs), id, declared))
            else:
                names = frozenset(split_names(str(port.get("names", ""))))
                node.outputs.append(Output(node, len(node.outputs), id, declared, names))


def _declared(reading: Reading, element: etree._Element, port: etree._Element, part: str) -> Declared:
    dims: list[int] = []
    wrong = False
    for dim in port.iterfind("dim"):
        text = (dim.text or "").strip()
        if text == "-1" or _is_number(text):
            dims.append(int(text))
            continue
        wrong = True
        message = f"{text!r} is no dimension" if text else "the dimension is empty"
        where = reading.ref(element, f"{part}, dimension {len(dims)}")
        reading.report(
            "IR111", message, dim, text=True, layer=where, help="write a length, or -1 where it is not known"
        )
    shape = PartialShape([min(dim, 2**63 - 1) for dim in dims]) if dims and not wrong else None
    return Declared(shape, _precision(reading, element, port, part))


def _precision(reading: Reading, element: etree._Element, port: etree._Element, part: str) -> ElementType | None:
    text = port.get("precision")
    if text is None:
        return None
    found = ElementType.from_precision(str(text)) or ElementType.from_precision(str(text).strip())
    if found is None:
        words = sorted({known.precision for known in ElementType.all})
        help = did_you_mean(str(text), words) or f"known are {', '.join(words)}"
        message = f'"{text}" is no precision'
        reading.report("IR105", message, port, attribute="precision", layer=reading.ref(element, part), help=help)
    return None if found is None or found.is_dynamic else found


def split_names(text: str) -> list[str]:
    r"""Return the tensor names of a port: separated by commas, where a comma of a name is written `\,`."""
    if "\\" not in text:
        return [name for name in text.split(",") if name]
    names, name = [], ""
    letters = iter(text)
    for letter in letters:
        if letter == ",":
            names.append(name)
            name = ""
        elif letter == "\\":
            following = next(letters, "")
            name += following if following == "," else letter + following
        else:
            name += letter
    return [name for name in (*names, name) if name]


def report_unknown(reading: Reading, node: Node, element: etree._Element) -> None:
    """Add the finding for a layer whose type and version name no known operation."""
    opset = opset_number(node.version)
    versions = reading.registry.versions_of(node.type)
    if opset is not None and not 1 <= opset <= NEWEST_OPSET:
        message = f'"{node.version}" is no opset; this library knows opset1 to opset{NEWEST_OPSET}'
        reading.report("IR502", message, element, attribute="version", layer=node.ref())
    elif resolve(node.type, node.version) is not None:
        message = f"this library has no implementation of {node.type} of {node.version}"
        help = "add one with Core().add_extension"
        reading.report("IR501", message, element, attribute="type", layer=node.ref(), help=help)
    elif versions:
        message = f"{node.type} is not in {node.version}"
        help = f"{node.type} is defined in {', '.join(versions)}"
        reading.report("IR503", message, element, attribute="version", layer=node.ref(), help=help)
    elif opset is None and not did_you_mean(node.type, reading.registry.types()):
        message = f'there is no operation {node.type} of version "{node.version}"'
        help = "add it with Core().add_extension, or install the plugin that provides it"
        reading.report("IR501", message, element, attribute="type", layer=node.ref(), help=help)
    else:
        message = f"{node.type} is no operation of {node.version}"
        help = did_you_mean(node.type, reading.registry.types())
        reading.report("IR501", message, element, attribute="type", layer=node.ref(), help=help)
