"""The finding for a layer whose ports and attributes fit another type than its own."""

from __future__ import annotations

from lxml import etree

from ir_plugin.reader.document import written
from ir_plugin.reader.reading import Reading
from ir_plugin.schema import AttributeSpec, Interface, ValueTextError

_MAX_CACHED = 64
_SHOWN = 3


def report_mistyped(reading: Reading, layer: etree._Element, interface: Interface) -> bool:
    """Report a layer whose ports and attributes fit another type than its own, and return whether it is one.

    Such a layer contradicts its own type in several ways, which are one finding together.
    """
    contradictions = _contradictions(layer, interface)
    if len(contradictions) < 2:
        return False
    fitting = _types_that_fit(reading, layer)
    if not fitting:
        return False
    names = ", ".join(fitting[:_SHOWN]) + (f" and {len(fitting) - _SHOWN} more" if len(fitting) > _SHOWN else "")
    message = f"the layer does not fit the type {layer.get('type')}: {contradictions[0]}"
    help = f"correct the type; {names} would fit"
    reading.report(
        "IR108",
        message,
        layer,
        attribute="type",
        layer=reading.ref(layer),
        because="; ".join(contradictions[1:]),
        help=help,
    )
    reading.constants.is_complete = False
    reading.damage.mistyped += 1
    return True


def _contradictions(layer: etree._Element, interface: Interface) -> list[str]:
    contradictions = []
    for direction, limits in (("input", interface.inputs), ("output", interface.outputs)):
        count = len(layer.findall(f"{direction}/port"))
        if not limits.allows(count):
            contradictions.append(
                f"it has {count} {direction} port{'' if count == 1 else 's'}, the operation has {limits}"
            )
    names = _attributes(layer)
    undefined = [name for name in names if name not in interface.attributes]
    if undefined and len(undefined) == len(names):
        contradictions.append(f"the operation has no attribute {', '.join(undefined[:_MAX_CACHED])}")
    unknown = [f"<{child}>" for child in sorted(_children(layer)) if child not in interface.children]
    if unknown:
        contradictions.append(f"the operation has no {', '.join(unknown[:_MAX_CACHED])}")
    missing = [spec.name for spec in interface.attributes.values() if spec.required and spec.name not in names]
    if missing:
        contradictions.append(f"the operation needs {', '.join(missing)}")
    values = [
        name for name, text in names.items() if name not in undefined and not _parses(interface.attributes[name], text)
    ]
    if values:
        contradictions.append(f"its {', '.join(values)} cannot be read")
    return contradictions


def _children(layer: etree._Element) -> set[str]:
    return {written(child) for child in layer} - {"data", "input", "output", "rt_info"}


def _attributes(layer: etree._Element) -> dict[str, str]:
    data = layer.find("data")
    return {} if data is None else {written(data, str(name)): str(text) for name, text in data.attrib.items()}


def _types_that_fit(reading: Reading, layer: etree._Element) -> list[str]:
    """Return the types of the layer's opset that its ports and attributes fit."""
    counts = len(layer.findall("input/port")), len(layer.findall("output/port"))
    attributes, version = _attributes(layer), str(layer.get("version", ""))
    children = _children(layer)
    key = (counts, tuple(attributes), tuple(sorted(children)), version)
    if key not in reading.fitting:
        reading.fitting[key] = [] if len(reading.fitting) >= _MAX_CACHED else [
            type for type in reading.registry.types()
            if (interface := reading.catalogue.interface_of(type, version, reading.registry)) is not None
            and _fits(interface, counts, attributes, children)
        ]  # fmt: skip
    return [type for type in reading.fitting[key] if type != layer.get("type")]


def _fits(interface: Interface, counts: tuple[int, int], attributes: dict[str, str], children: set[str]) -> bool:
    return (
        interface.inputs.allows(counts[0])
        and interface.outputs.allows(counts[1])
        and children <= set(interface.children)
        and all(name in children | {"data", "input", "output"} for name in interface.required_children)
        and all(not spec.required or spec.name in attributes for spec in interface.attributes.values())
        and all(name in interface.attributes and _parses(interface.attributes[name], text)
                for name, text in attributes.items())
    )  # fmt: skip


def _parses(spec: AttributeSpec, text: str) -> bool:
    try:
        spec.parse(text)
    except ValueTextError:
        return False
    return True
