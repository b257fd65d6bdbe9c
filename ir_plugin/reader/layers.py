"""Reader of a `<layer>`: its definition, attributes and ports."""

from __future__ import annotations

from typing import Any

from lxml import etree

from ir_plugin.diagnostics.suggest import close_matches, did_you_mean
from ir_plugin.model import Declared, Input, Node, Output
from ir_plugin.operations.registry import Definition
from ir_plugin.reader.layer_cache import split_names
from ir_plugin.reader.numbers import whole_number
from ir_plugin.reader.reading import Reading
from ir_plugin.reader.refusals import explain, explain_value, has_wrong_ports
from ir_plugin.schema import AttributeSpec, Interface, ValueTextError
from ir_plugin.schema.values import WORD_TYPES, shown
from ir_plugin.tensors import MAX_RANK, ElementType, FrozenShape, shared

_OF_PORT = frozenset(["id", "names"])
_MANDATORY = ("id", "name", "type", "version")
MAX_LENGTH = 2**63 - 1
"""The greatest length of a dimension that a file may declare."""


def read_layer(reading: Reading, element: etree._Element) -> Node | None:
    """Return the node of a layer, or None if it has no usable id."""
    missing = [name for name in _MANDATORY if element.get(name) is None]
    for name in missing:
        _report_missing(reading, element, name)
    id = element.get("id", "")
    if whole_number(id) is None:
        if "id" not in missing:
            message = f"the layer id {shown(id)} is not a number"
            help = "write a whole number that no other layer has, here and in the edges"
            reading.report("IR102", message, element, attribute="id", layer=reading.ref(element), help=help)
        return None
    name, type, version = (str(element.get(name, "")) for name in _MANDATORY[1:])
    definition = reading.definition(type, version)
    own = None if definition is None else definition.cls.new_node(str(int(id)), name, type, version)
    node = Node.of(str(int(id)), name, type, version) if own is None else own
    node.origin = reading.origin(element)
    node.path = reading.path
    if missing:
        reading.damage.untyped_layers.add(node)
        newest = reading.registry.versions_of(node.type)
        if node.type and newest and not node.version:
            definition = reading.registry.resolve(node.type, newest[-1])
    if definition is not None:
        _read_operation(reading, element, node, definition)
    _read_ports(reading, element, node)
    return node


def _report_missing(reading: Reading, element: etree._Element, name: str) -> None:
    unknown = [str(attribute) for attribute in element.attrib if attribute not in _MANDATORY]
    near = close_matches(name, unknown, 1)
    message = f'the layer has no attribute "{name}"'
    help = f'write {name}="…" in <layer>' + (f'; "{near[0]}" is not an attribute of a layer' if near else "")
    reading.report("IR103", message, element, layer=reading.ref(element), help=help)


def _read_operation(reading: Reading, element: etree._Element, node: Node, definition: Definition) -> None:
    """Give a node the operation of a layer, with its attributes."""
    interface, before = reading.catalogue.interface(definition), reading.error_count
    is_refused = False
    if reading.strict:
        log = reading.refusals(definition, element)
        is_refused = bool(log)
        if is_refused:
            explain(reading, element, interface, log)
            if has_wrong_ports(element, interface):
                reading.damage.ports.add(node)
    values = dict(interface.values_when_absent)
    data = element.find("data")
    if data is not None:
        node.attributes = {str(name): str(text) for name, text in data.attrib.items()}
        _read_attributes(reading, element, node, interface, values, is_refused)
    if reading.error_count > before:
        reading.refused.add(node)
    definition.cls.attach(node, values)


def _read_attributes(
    reading: Reading,
    element: etree._Element,
    node: Node,
    interface: Interface,
    values: dict[str, Any],
    is_refused: bool,
) -> None:
    for name, text in node.attributes.items():
        spec = interface.attributes.get(name)
        if spec is None:
            continue
        if spec.type == "extra":
            _report_extra(reading, element, name)
            continue
        try:
            values[spec.python_name] = spec.parse(text)
            if text[-1:].isspace() or text[:1].isspace():
                _report_blanks(reading, element, spec, text)
        except ValueTextError as fault:
            if reading.strict and not is_refused:
                explain_value(reading, element, _data(element), spec, text)
            try:
                values[spec.python_name] = spec.parse_loosely(text)
            except ValueTextError:
                if not reading.strict:
                    message = f'attribute "{name}": {fault}'
                    reading.report("IR102", message, _data(element), attribute=name, layer=reading.ref(element))


def _report_extra(reading: Reading, element: etree._Element, name: str) -> None:
    if reading.strict:
        message = f'the operation ignores the attribute "{name}", which older writers left'
        where = reading.ref(element, f'attribute "{name}"')
        reading.report("IR104", message, _data(element), attribute=name, name=True, layer=where)


def _report_blanks(reading: Reading, element: etree._Element, spec: AttributeSpec, text: str) -> None:
    """Report blanks around a value that the schema ignores and OpenVINO refuses."""
    is_offset = element.get("type") == "Const" and spec.type == "unsigned" and text != text.rstrip()
    if reading.strict and (spec.type in WORD_TYPES or is_offset):
        message = f'attribute "{spec.name}": {shown(text)} has blanks around it, which OpenVINO refuses'
        where = reading.ref(element, f'attribute "{spec.name}"')
        help = f'write {spec.name}="{text.strip()}"'
        reading.report("IR102", message, _data(element), attribute=spec.name, layer=where, help=help)


def _data(element: etree._Element) -> etree._Element:
    data = element.find("data")
    return element if data is None else data


def _read_ports(reading: Reading, element: etree._Element, node: Node) -> None:
    for direction in ("input", "output"):
        seen: set[int] = set()
        parent = element.find(direction)
        for port in parent.iterfind("port") if parent is not None else ():
            id = _port_id(reading, element, port, direction, seen)
            if id is None:
                reading.damage.ports.add(node)
                continue
            seen.add(id)
            declared = _declared(reading, element, port, direction, id)
            if direction == "output" and port.get("precision") is None and _OF_PORT.issuperset(port.attrib):
                reading.without_precision.append((port, reading.ref(element, f"output port {id}")))
            if direction == "input":
                node.inputs.append(Input(node, len(node.inputs), id, declared))
            else:
                names = frozenset(split_names(str(port.get("names", ""))))
                node.outputs.append(Output(node, len(node.outputs), id, declared, names))


def _port_id(
    reading: Reading, element: etree._Element, port: etree._Element, direction: str, seen: set[int]
) -> int | None:
    text = port.get("id")
    if text is None:
        message = "the port has no id"
        reading.report("IR111", message, port, layer=reading.ref(element, f"{direction} port"), help='write id="…"')
        return None
    if whole_number(text) is None:
        message = f"the port id {shown(text)} is not a number"
        reading.report("IR111", message, port, attribute="id", layer=reading.ref(element, f"{direction} port"))
        return None
    if int(text) in seen:
        where = reading.ref(element, f"{direction} port {int(text)}")
        message = f"the {direction} port id {int(text)} is used twice"
        help = "give every port of the layer a unique id"
        reading.report("IR203", message, port, attribute="id", layer=where, help=help)
        return None
    return int(text)


def _declared(reading: Reading, element: etree._Element, port: etree._Element, direction: str, id: int) -> Declared:
    """Return the declared type and shape of a port, cached because most ports of a file repeat each other."""
    texts = (port.get("precision"), *(dim.text if dim.tag == "dim" else dim for dim in port))
    declared = reading.declared.get(texts)
    if declared is None:
        before = len(reading.findings)
        declared = _read_declared(reading, element, port, f"{direction} port {id}")
        if len(reading.findings) == before and len(texts) < MAX_RANK:
            reading.declared[texts] = declared
    return declared


def _read_declared(reading: Reading, element: etree._Element, port: etree._Element, part: str) -> Declared:
    dims: list[int] = []
    is_wrong = False
    for dim in port.iterfind("dim"):
        text = (dim.text or "").strip()
        length = -1 if text == "-1" else whole_number(text)
        if length is not None and length <= MAX_LENGTH:
            dims.append(length)
            continue
        is_wrong = True
        _report_dim(reading, element, dim, f"{part}, dimension {len(dims)}", text)
    if len(dims) < len(port):
        others = {child.tag for child in port} - {"dim"}
        is_wrong = is_wrong or others != {"rt_info"}
        if "rt_info" in others:
            reading.informed.add(element)
    if len(dims) > MAX_RANK:
        message = f"the port has {len(dims)} dimensions; a tensor has at most {MAX_RANK}"
        reading.report("IR111", message, port, layer=reading.ref(element, part))
        is_wrong = True
    shape = shared(FrozenShape(dims)) if dims and not is_wrong else None
    return Declared(shape, _precision(reading, element, port, part))


def _report_dim(reading: Reading, element: etree._Element, dim: etree._Element, part: str, text: str) -> None:
    message = f"{shown(text)} is not a dimension" if text else "the dimension is empty"
    if whole_number(text) is not None:
        message = f"the dimension {text} is beyond the greatest length, {MAX_LENGTH}"
    help = "write a length, or -1 where it is not known"
    reading.report("IR111", message, dim, text=True, layer=reading.ref(element, part), help=help)


def _precision(reading: Reading, element: etree._Element, port: etree._Element, part: str) -> ElementType | None:
    text = port.get("precision")
    if text is None:
        return None
    element_type = ElementType.from_precision(str(text))
    if element_type is None:
        words = sorted({candidate.precision for candidate in ElementType.all})
        help = did_you_mean(str(text), words) or f"known are {', '.join(words)}"
        message = f"{shown(str(text))} is not a precision"
        reading.report("IR105", message, port, attribute="precision", layer=reading.ref(element, part), help=help)
    return None if element_type is None or element_type.is_dynamic else element_type
