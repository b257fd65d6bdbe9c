"""Findings for layers that their schema refuses, explained by the interface rather than libxml2's messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from lxml import etree

from ir_plugin.diagnostics import Severity
from ir_plugin.diagnostics.suggest import close_matches, did_you_mean
from ir_plugin.operations.opsets import opset_number
from ir_plugin.reader.document import written
from ir_plugin.reader.mistyped import report_mistyped
from ir_plugin.reader.reading import Reading
from ir_plugin.reader.texts import report_texts_of_layer
from ir_plugin.schema import AttributeSpec, Interface, ValueTextError
from ir_plugin.schema.values import NUMBER_TYPES, PLUS, WORD_TYPES, shown

_ATTRIBUTE = re.compile(r"Element '([^']*)', attribute '([^']*)':")
_ATTRIBUTES = {
    "layer": ("id", "name", "type", "version"),
    "input": (),
    "output": (),
    "port": ("id", "precision", "names"),
    "dim": (),
}
"""The attributes of the elements of every layer."""
_CALLED = {"layer": "a layer", "port": "a port"}
_MAX_SHOWN = 8
_LONGEST = 64
"""The most characters of a value that a help repeats."""
_ELEMENT = re.compile(r"Element '([^']*)'")


def explain(reading: Reading, layer: etree._Element, interface: Interface, log: list[etree._LogEntry]) -> None:
    """Report everything that the schema of a layer refuses."""
    if report_mistyped(reading, layer, interface):
        return
    before = len(reading.findings)
    data = layer.find("data")
    if data is not None:
        _explain_data(reading, layer, data, interface)
    else:
        _explain_no_data(reading, layer, interface)
    for name in interface.required_children:
        if name not in ("data", "input", "output") and layer.find(name) is None:
            message = f"the layer has no <{name}>"
            reading.report("IR210", message, layer, layer=reading.ref(layer), help=_near_child(layer, name))
    _explain_children(reading, layer, interface)
    for direction in ("input", "output"):
        _explain_ports(reading, layer, interface, direction)
    _explain_layer(reading, layer, log)
    _explain_unexpected_children(reading, layer)
    report_texts_of_layer(reading, layer, reading.ref(layer))
    if len(reading.findings) == before and not any(_is_reported_elsewhere(entry) for entry in log):
        _report_raw(reading, layer, log[0].message)


def _explain_children(reading: Reading, layer: etree._Element, interface: Interface) -> None:
    """Report repeated and unknown elements of a layer."""
    seen: set[str] = set()
    for child in layer:
        if str(child.tag) in seen:
            message = f"a second <{child.tag!s}>; OpenVINO reads the first only"
            reading.report("IR107", message, child, layer=reading.ref(layer), help="keep one of them")
        elif child.tag not in interface.children and child.tag not in ("input", "output"):
            message = f"<{written(child)}> is not part of a layer of this type; OpenVINO ignores it"
            missing = [name for name in interface.children if layer.find(name) is None]
            near = close_matches(str(child.tag), missing, 1)
            needed = any(spec.required for spec in interface.attributes.values())
            is_data = near == ["data"] and not needed and any(name in interface.attributes for name in child.attrib)
            is_missed = is_data or near == ["back_edges"]
            reading.report(
                "IR107", message, child, layer=reading.ref(layer), help=f'did you mean "{near[0]}"?' if near else "",
                severity="error" if is_missed else None,
            )  # fmt: skip
        seen.add(str(child.tag))


def _is_reported_elsewhere(entry: etree._LogEntry) -> bool:
    """Return whether the reader of layers and ports reports the fault itself."""
    if "Character content" in entry.message:
        return True
    match = _ELEMENT.search(entry.message)
    of_layer = match is not None and match[1] == "layer" and "is not allowed" not in entry.message
    return of_layer or (match is not None and match[1] in ("port", "dim"))


def _report_raw(reading: Reading, layer: etree._Element, text: str) -> None:
    """Report libxml2's own message for a fault without another explanation."""
    match, data = _ATTRIBUTE.match(text), layer.find("data")
    reason = text.partition(": ")[2]
    if match and match[1] == "data" and data is not None:
        where = reading.ref(layer, f'attribute "{match[2]}"')
        reading.report("IR102", f'attribute "{match[2]}": {reason}', data, attribute=match[2], layer=where)
    else:
        reading.report("IR107", f"the layer is not as its schema says: {reason}", layer, layer=reading.ref(layer))


def _near_child(layer: etree._Element, name: str) -> str:
    near = next((str(child.tag) for child in layer if did_you_mean(str(child.tag), [name])), "")
    return f"<{near}> is probably meant to be <{name}>" if near else f"write <{name}>"


def _explain_no_data(reading: Reading, layer: etree._Element, interface: Interface) -> None:
    required = [spec.name for spec in interface.attributes.values() if spec.required]
    if required:
        message = f"the layer has no <data>; it must have the attributes {', '.join(required)}"
        reading.report("IR110", message, layer, layer=reading.ref(layer), help=_near_child(layer, "data"))


def has_wrong_ports(layer: etree._Element, interface: Interface) -> bool:
    """Return whether a layer has more or fewer ports than its schema allows."""
    return any(_wrong_count(layer, interface, direction) for direction in ("input", "output"))


def _wrong_count(layer: etree._Element, interface: Interface, direction: str) -> bool:
    """Return whether a layer has more or fewer ports than its schema allows, apart from repeated ids."""
    parent = layer.find(direction)
    ids = [] if parent is None else [port.get("id") for port in parent.iterfind("port")]
    limits = interface.inputs if direction == "input" else interface.outputs
    return not all(limits.allows(count) for count in {len(ids), len(set(ids))}) and not (
        len(set(ids)) < len(ids) and limits.least <= len(set(ids))
    )


def _explain_data(reading: Reading, layer: etree._Element, data: etree._Element, interface: Interface) -> None:
    specs = interface.attributes
    missing = [spec.name for spec in specs.values() if data.get(spec.name) is None]
    texts = {written(data, str(name)): str(text) for name, text in data.attrib.items()}
    unknown = [name for name in texts if name not in specs]
    suggestions = {name: close_matches(name.rpartition(":")[2], missing, 1) for name in unknown}
    suggestions |= {name: [name.rpartition(":")[2]] for name in unknown if name.rpartition(":")[2] in missing}
    suggestions |= _renamed_attribute(specs, [name for name in unknown if not suggestions[name]], texts)
    suggested = {names[0] for names in suggestions.values() if names}
    unmatched = [name for name in unknown if not suggestions[name]]
    for name in unknown:
        if suggestions[name] or name == unmatched[0]:
            help = (
                f'did you mean "{suggestions[name][0]}"?'
                if suggestions[name]
                else _later_version(reading, layer, unmatched)
            )
            message = f"the operation has no {_listing([name] if suggestions[name] else unmatched)}"
            where = reading.ref(layer)
            reading.report(
                "IR101", message, data, attribute=name, name=True, layer=where,
                help=help or _known_attributes(interface), severity=None if suggestions[name] else "warning",
            )  # fmt: skip
    _explain_values(reading, layer, data, interface, suggested)


def _explain_values(
    reading: Reading, layer: etree._Element, data: etree._Element, interface: Interface, suggested: set[str]
) -> None:
    """Report values that are not valid, and missing attributes that no unknown one is suggested to be."""
    for spec in interface.attributes.values():
        text = data.get(spec.name)
        if text is not None:
            explain_value(reading, layer, data, spec, str(text))
        elif spec.required and spec.name not in suggested:
            message = f'the attribute "{spec.name}" is missing; OpenVINO silently takes {_shown(spec.absent)}'
            help = f'write {spec.name}="…" ({spec.type})'
            reading.report("IR103", message, data, layer=reading.ref(layer), help=help)


def _renamed_attribute(
    specs: dict[str, AttributeSpec], unknown: Sequence[str], texts: dict[str, str]
) -> dict[str, list[str]]:
    """Return the only unknown attribute mapped to the only missing one, if its value is valid for that."""
    missing = [spec for spec in specs.values() if spec.required and spec.name not in texts]
    if len(unknown) != 1 or len(missing) != 1:
        return {}
    try:
        missing[0].parse(texts[unknown[0]])
    except ValueTextError:
        return {}
    return {unknown[0]: [missing[0].name]}


def _listing(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f'attribute "{names[0]}"; OpenVINO ignores it'
    shown = ", ".join(f'"{name}"' for name in names[:_MAX_SHOWN]) + (", …" if len(names) > _MAX_SHOWN else "")
    return f"attributes {shown}; OpenVINO ignores them"


def _later_version(reading: Reading, layer: etree._Element, names: Sequence[str]) -> str:
    """Return the advice to use a later version that has the attributes, or an empty string."""
    type, own = str(layer.get("type")), opset_number(str(layer.get("version"))) or 0
    for version in reading.registry.versions_of(type):
        definition = reading.registry.resolve(type, version)
        is_later = (opset_number(version) or 0) > own
        if is_later and definition and set(names) <= set(reading.catalogue.interface(definition).attributes):
            return f'{type} of {version} has {"it" if len(names) == 1 else "them"}: write version="{version}"'
    return ""


def _known_attributes(interface: Interface) -> str:
    names = [spec.name for spec in interface.attributes.values() if spec.type != "extra"]
    return f"known attributes are {', '.join(names)}" if names else "the operation has no attributes; remove it"


def _shown(value: object) -> str:
    return "an empty list" if value == () else f'"{value}"'


def explain_value(
    reading: Reading, layer: etree._Element, data: etree._Element, spec: AttributeSpec, text: str
) -> None:
    """Report the value of an attribute if it is invalid or unusually spelled."""
    where = reading.ref(layer, f'attribute "{spec.name}"')
    try:
        spec.parse(text)
    except ValueTextError as fault:
        code = "IR105" if spec.type in WORD_TYPES else "IR102"
        help = did_you_mean(text, spec.words) if spec.words else _value_help(spec, text)
        because = ""
        if spec.type in (*NUMBER_TYPES, "boolean"):
            code, because = _misread(spec, text, code)
        message = f'attribute "{spec.name}": {fault}'
        reading.report(
            code, message, data, attribute=spec.name, layer=where, because=because, help=help,
            severity="warning" if spec.takes_any_word else None,
        )  # fmt: skip
        return
    if spec.type in WORD_TYPES and text == text.strip():
        _explain_letter_case(reading, layer, data, spec, text)
    elif spec.type in NUMBER_TYPES and PLUS.search(text):
        message = f'attribute "{spec.name}": {shown(text)} is usually written without the plus sign'
        is_refused = spec.type in ("int", "ints", "shape")
        because = "OpenVINO refuses a plus sign before a whole number" if is_refused else ""
        severity: Severity | None = "error" if is_refused else None
        reading.report("IR106", message, data, attribute=spec.name, layer=where, because=because, severity=severity)


_FORMS = {
    "int": ("a whole number", "1"),
    "unsigned": ("a whole number from 0 on", "1"),
    "float": ("a number", "0.5"),
    "ints": ("whole numbers with commas between them", "1, 1"),
    "floats": ("numbers with commas between them", "0.5, 0.5"),
    "boolean": ("true or false", "true"),
    "shape": ("lengths with commas between them", "1, 3"),
    "partial_shape": ("lengths with commas between them, ? for an open one", "?,3"),
    "element_type": ("an element type", "f32"),
    "index_type": ("an element type", "i64"),
}
"""How the values of a type are written, in words and as an example."""


def _value_help(spec: AttributeSpec, text: str) -> str:
    """Return how a value is written: the text without brackets, blanks and trailing commas, or an example."""
    if spec.type not in _FORMS:
        return ""
    plain = text.strip(" \t\n()[]{},")
    with suppress(ValueTextError):
        spec.parse(plain)
        if 0 < len(plain) <= _LONGEST:
            return f'write {spec.name}="{plain}"'
    words, example = _FORMS[spec.type]
    return f'write {words}, such as {spec.name}="{example}"'


def _explain_letter_case(
    reading: Reading, layer: etree._Element, data: etree._Element, spec: AttributeSpec, text: str
) -> None:
    """Report a word of other letters than its schema spells it with."""
    spelling = spec.spelling(text)
    if spelling == text:
        return
    is_const = spec.type == "element_type" and layer.get("type") == "Const"
    is_refused = is_const or spelling != spelling.lower()
    because = "OpenVINO refuses it in a Const" if is_const else "OpenVINO refuses it" if is_refused else ""
    where = reading.ref(layer, f'attribute "{spec.name}"')
    message = f'attribute "{spec.name}": {text!r} is usually written {spelling!r}'
    severity: Severity | None = "error" if is_refused else None
    reading.report("IR106", message, data, attribute=spec.name, layer=where, because=because, severity=severity)


def _misread(spec: AttributeSpec, text: str, code: str) -> tuple[str, str]:
    try:
        value = spec.parse_loosely(text)
    except ValueTextError:
        return code, ""
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()
    return "IR109", f"OpenVINO reads {text!r} as {shown}, and reports no error"


def _explain_ports(reading: Reading, layer: etree._Element, interface: Interface, direction: str) -> None:
    if not _wrong_count(layer, interface, direction):
        return
    element = layer.find(direction)
    count = 0 if element is None else len(element.findall("port"))
    limits = interface.inputs if direction == "input" else interface.outputs
    message = f"the layer has {count} {direction} port{'' if count == 1 else 's'}; the operation has {limits}"
    fewer = direction == "output" and 0 < count < limits.least
    verb = "add the missing" if count < limits.least else "remove the surplus"
    help = f"{verb} {direction} ports and their edges, or correct the type or version of the layer"
    reading.report(
        "IR108", message, layer if element is None else element, layer=reading.ref(layer), help=help,
        severity="warning" if fewer else None,
    )  # fmt: skip


def _explain_layer(reading: Reading, layer: etree._Element, log: list[etree._LogEntry]) -> None:
    """Report unknown attributes of the layer's own element, of its ports and of their dimensions."""
    if not any("is not allowed" in entry.message for entry in log):
        return
    for element in (layer, *layer.xpath("input|output|(input|output)/port|(input|output)/port/dim[text()]")):
        allowed = _ATTRIBUTES[str(element.tag)]
        for name in map(str, element.attrib):
            if name not in allowed:
                _report_attribute(reading, layer, element, name)


def _report_attribute(reading: Reading, layer: etree._Element, element: etree._Element, name: str) -> None:
    """Report an attribute that every element of this tag lacks."""
    tag, shown_name = str(element.tag), written(element, name)
    absent = [own for own in _ATTRIBUTES[tag] if element.get(own) is None]
    help = did_you_mean(shown_name, absent)
    parent = element.getparent()
    is_refused = tag == "port" and parent is not None and parent.tag == "output" and '"precision"' in help
    verdict = "refuses the file, as the port has no precision" if is_refused else "ignores it"
    message = f'{_CALLED.get(tag, f"<{tag}>")} has no attribute "{shown_name}"; OpenVINO {verdict}'
    reading.report(
        "IR101", message, element, attribute=name, name=True, layer=reading.ref(layer), help=help,
        severity="error" if is_refused else "warning",
    )  # fmt: skip


def _explain_unexpected_children(reading: Reading, layer: etree._Element) -> None:
    """Report each unexpected element among ports, or among the dimensions of a port."""
    groups: list[tuple[etree._Element, tuple[str, ...]]]
    groups = [(parent, ("port",)) for parent in layer.iterfind("*") if parent.tag in ("input", "output")]
    groups += [(port, ("dim", "rt_info")) for parent, _ in groups for port in parent.iterfind("port")]
    for parent, allowed in groups:
        for child in parent:
            if child.tag not in allowed:
                message = f"<{written(child)}> is not part of <{parent.tag!s}>; OpenVINO ignores it"
                help = did_you_mean(str(child.tag), allowed)
                reading.report("IR107", message, child, layer=reading.ref(layer), help=help)
