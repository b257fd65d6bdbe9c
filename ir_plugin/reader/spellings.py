"""Spellings of which it is plain what was meant: edits of attributes, words and port ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher

from lxml import etree

from ir_plugin.operations.registry import Registry
from ir_plugin.reader.document import Document
from ir_plugin.reader.edits import Editor
from ir_plugin.schema import AttributeSpec, Catalogue, ValueTextError
from ir_plugin.schema.values import NUMBER_TYPES, PLUS, WORD_TYPES
from ir_plugin.tensors import ElementType

_NEAR = 0.8
_AHEAD = 0.08


def mend_spellings(document: Document, registry: Registry, catalogue: Catalogue) -> bytes:
    """Return the text with names and words corrected that can only have been meant in one way."""
    editor = Editor(document)
    for layer in document.root.iter("layer"):
        definition = registry.resolve(str(layer.get("type", "")), str(layer.get("version", "")))
        data = layer.find("data")
        if str(layer.get("type", "")).lower() == "const" and layer.get("type") != "Const":
            editor.set_attribute(layer, "type", "Const")
        if definition is not None and data is not None:
            _mend_data(editor, data, catalogue.interface(definition).attributes)
        for port in layer.iterfind("*/port"):
            _mend_precision(editor, port)
    for graph in (document.root, *document.root.iter("body", "then_body", "else_body")):
        _mend_port_ids(editor, graph)
    return editor.result()


def the_one_meant(word: str, known: Iterable[str]) -> str:
    """Return the known word that resembles `word` closely, and clearly more than any other; empty where none does."""
    ranked = sorted(
        (
            (SequenceMatcher(None, word.casefold(), choice.casefold(), autojunk=False).ratio(), choice)
            for choice in known
        ),
        reverse=True,
    )
    if not ranked or ranked[0][0] < _NEAR:
        return ""
    return ranked[0][1] if len(ranked) == 1 or ranked[0][0] - ranked[1][0] >= _AHEAD else ""


def _mend_data(editor: Editor, data: etree._Element, known: dict[str, AttributeSpec]) -> None:
    for name, value in [(str(name), str(value)) for name, value in data.attrib.items()]:
        spec = known.get(name)
        if spec is not None:
            _mend_word(editor, data, spec, value)
            continue
        absent = [other.name for other in known.values() if data.get(other.name) is None and other.type != "extra"]
        meant = the_one_meant(name, absent) if len(name) < 64 else ""
        if meant and _fits(known[meant], value):
            editor.rename_attribute(data, name, meant)


def _mend_word(editor: Editor, data: etree._Element, spec: AttributeSpec, value: str) -> None:
    if spec.type in NUMBER_TYPES and PLUS.search(value) and _fits(spec, value):
        editor.set_attribute(data, spec.name, PLUS.sub(r"\1", value))
    if spec.type not in WORD_TYPES or value in spec.words or len(value) > 64:
        return
    meant = value.strip().lower() if _fits(spec, value) else the_one_meant(value, spec.words)
    found = ElementType.from_precision(value)
    if spec.type != "enumeration" and found is not None:
        meant = found.name
    if meant:
        editor.set_attribute(data, spec.name, meant)


def _fits(spec: AttributeSpec, value: str) -> bool:
    try:
        spec.parse(value)
    except ValueTextError:
        return False
    return True


def _mend_precision(editor: Editor, port: etree._Element) -> None:
    """Correct the letter case of a precision; another one is known only after inference."""
    text = str(port.get("precision", ""))
    if not text or len(text) > 32 or ElementType.from_precision(text) is not None:
        return
    for type in ElementType.all:
        if text.strip().upper() == type.precision.upper():
            editor.set_attribute(port, "precision", type.precision)


def _mend_port_ids(editor: Editor, graph: etree._Element) -> None:
    """Give the second of two ports with the same id the one id that edges name and that no port has."""
    named: dict[tuple[str, str], set[str]] = {}
    for edge in graph.iterfind("edges/edge"):
        for end, direction in (("from", "output"), ("to", "input")):
            key = str(edge.get(f"{end}-layer", "")), direction
            named.setdefault(key, set()).add(str(edge.get(f"{end}-port", "")))
    for layer in graph.iterfind("layers/layer"):
        for direction in ("input", "output"):
            ports = layer.findall(f"{direction}/port")
            counts = Counter(str(port.get("id", "")) for port in ports)
            missing = named.get((str(layer.get("id", "")), direction), set()) - set(counts)
            if max(counts.values(), default=0) == 2 and sum(counts.values()) == len(counts) + 1 and len(missing) == 1:
                doubled = next(id for id, count in counts.items() if count == 2)
                second = [port for port in ports if port.get("id") == doubled][1]
                editor.set_attribute(second, "id", missing.pop())
