"""Edits that correct unambiguous misspellings of attributes, words and port ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher

from lxml import etree

from ir_plugin.operations.registry import Registry
from ir_plugin.reader.document import Document
from ir_plugin.reader.edits import Editor
from ir_plugin.reader.letter_case import EXACT_TYPES
from ir_plugin.schema import AttributeSpec, Catalogue, ValueTextError
from ir_plugin.schema.values import NUMBER_TYPES, PLUS, WORD_TYPES
from ir_plugin.tensors import ElementType

_NEAR = 0.8
_MARGIN = 0.08


def fix_spellings(document: Document, registry: Registry, catalogue: Catalogue) -> bytes:
    """Return the text with unambiguous misspellings of names and words corrected."""
    editor = Editor(document)
    for layer in document.root.iter("layer"):
        definition = registry.resolve(str(layer.get("type", "")), str(layer.get("version", "")))
        data = layer.find("data")
        type = str(layer.get("type", ""))
        if (exact := EXACT_TYPES.get(type.lower(), type)) != type:
            editor.set_attribute(layer, "type", exact)
        if definition is not None and data is not None:
            _fix_data(editor, data, catalogue.interface(definition).attributes)
        for port in layer.iterfind("*/port"):
            _fix_precision(editor, port)
    for graph in (document.root, *document.root.iter("body", "then_body", "else_body")):
        _fix_port_ids(editor, graph)
    return editor.result()


def closest_word(word: str, words: Iterable[str]) -> str:
    """Return the word that resembles `word` closely and clearly more than any other, or an empty string."""
    ranked = sorted(
        (
            (SequenceMatcher(None, word.casefold(), choice.casefold(), autojunk=False).ratio(), choice)
            for choice in words
        ),
        reverse=True,
    )
    if not ranked or ranked[0][0] < _NEAR:
        return ""
    return ranked[0][1] if len(ranked) == 1 or ranked[0][0] - ranked[1][0] >= _MARGIN else ""


def _fix_data(editor: Editor, data: etree._Element, specs: dict[str, AttributeSpec]) -> None:
    for name, value in [(str(name), str(value)) for name, value in data.attrib.items()]:
        spec = specs.get(name)
        if spec is not None:
            _fix_word(editor, data, spec, value)
            continue
        absent = [
            candidate.name
            for candidate in specs.values()
            if data.get(candidate.name) is None and candidate.type != "extra"
        ]
        target = closest_word(name, absent) if len(name) < 64 else ""
        if target and _fits(specs[target], value):
            editor.rename_attribute(data, name, target)


def _fix_word(editor: Editor, data: etree._Element, spec: AttributeSpec, value: str) -> None:
    if spec.type in NUMBER_TYPES and PLUS.search(value) and _fits(spec, value):
        editor.set_attribute(data, spec.name, PLUS.sub(r"\1", value))
    if spec.type not in WORD_TYPES or value in spec.spellings or len(value) > 64:
        return
    correction = spec.spelling(value.strip()) if _fits(spec, value) else closest_word(value, spec.spellings)
    element_type = ElementType.from_precision(value)
    if spec.type != "enumeration" and element_type is not None:
        correction = element_type.name
    if correction:
        editor.set_attribute(data, spec.name, correction)


def _fits(spec: AttributeSpec, value: str) -> bool:
    try:
        spec.parse(value)
    except ValueTextError:
        return False
    return True


def _fix_precision(editor: Editor, port: etree._Element) -> None:
    """Correct the letter case of a precision; other corrections need inference."""
    text = str(port.get("precision", ""))
    if not text or len(text) > 32 or ElementType.from_precision(text) is not None:
        return
    for type in ElementType.all:
        if text.strip().upper() == type.precision.upper():
            editor.set_attribute(port, "precision", type.precision)


def _fix_port_ids(editor: Editor, graph: etree._Element) -> None:
    """Assign the only id that edges name and no port has to the second of two ports with the same id."""
    named: dict[tuple[str, str], set[str]] = {}
    for edge in graph.iterfind("edges/edge"):
        for side, direction in (("from", "output"), ("to", "input")):
            key = str(edge.get(f"{side}-layer", "")), direction
            named.setdefault(key, set()).add(str(edge.get(f"{side}-port", "")))
    for layer in graph.iterfind("layers/layer"):
        for direction in ("input", "output"):
            ports = layer.findall(f"{direction}/port")
            counts = Counter(str(port.get("id", "")) for port in ports)
            missing = named.get((str(layer.get("id", "")), direction), set()) - set(counts)
            if max(counts.values(), default=0) == 2 and sum(counts.values()) == len(counts) + 1 and len(missing) == 1:
                doubled = next(id for id, count in counts.items() if count == 2)
                second = [port for port in ports if port.get("id") == doubled][1]
                editor.set_attribute(second, "id", missing.pop())
