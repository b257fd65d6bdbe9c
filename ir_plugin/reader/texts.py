"""Findings for texts and elements that have no meaning in an IR."""

from __future__ import annotations

from lxml import etree

from ir_plugin.diagnostics import Finding, LayerRef
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.reader.document import written
from ir_plugin.reader.reading import Reading
from ir_plugin.schema.values import shown

_PARTS = frozenset([
    "data", "input", "output", "port", "port_map", "then_port_map", "else_port_map", "back_edges", "edge",
])  # fmt: skip

_has_text = etree.XPath("boolean(text()[normalize-space()])")
PARTS_OF_NET = ("layers", "edges", "rt_info", "meta_data", "quantization_parameters", "pre-process", "statistics")


def report_unexpected_parts(reading: Reading, root: etree._Element) -> None:
    """Report the texts and the elements in `<net>` that are no parts of it."""
    report_texts(reading, root)
    for child in root:
        if child.tag not in PARTS_OF_NET:
            name = written(child)
            near = did_you_mean(name, PARTS_OF_NET)
            if near and root.find("layers") is not None and root.find("edges") is not None:
                near = ""
            message = f"<{name}> is not part of <net>; OpenVINO ignores it"
            reading.report("IR107", message, child, help=near)


def report_texts(reading: Reading, parent: etree._Element, layer: LayerRef | None = None) -> None:
    """Report each text directly between the children of an element."""
    if not reading.strict or not _has_text(parent):
        return
    if parent.text is not None and parent.text.strip():
        _report(reading, parent, parent, layer)
    for child in parent:
        if child.tail is not None and child.tail.strip():
            _report(reading, parent, child, layer)


def report_texts_of_layer(reading: Reading, element: etree._Element, layer: LayerRef) -> None:
    """Report each text between the parts of a layer, except in its bodies."""
    waiting = [element]
    while waiting:
        part = waiting.pop()
        report_texts(reading, part, layer)
        waiting += [child for child in reversed(part) if child.tag in _PARTS]


def _report(reading: Reading, parent: etree._Element, neighbour: etree._Element, layer: LayerRef | None) -> None:
    text = neighbour.text if neighbour is parent else neighbour.tail
    span = reading.document.text_span(neighbour, is_tail=neighbour is not parent)
    message = f"the text {shown(str(text).strip())} is not part of <{written(parent)}>; OpenVINO ignores it"
    reading.findings.add(Finding.of("IR107", message, span=span, layer=layer, help="remove it"))
