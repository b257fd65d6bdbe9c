"""The interface of an operation in its XSD: attributes with types and defaults, and numbers of ports."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from ir_plugin.errors import Error
from ir_plugin.schema.values import is_plain, parse_loosely, parse_strictly, zero

_XS = "{http://www.w3.org/2001/XMLSchema}"
_MAX_INCLUDES = 8


@dataclass(frozen=True)
class AttributeSpec:
    """One attribute of an operation: type name, default text, whether it is required, and enumeration words."""

    name: str
    type: str
    default: str | None = None
    required: bool = False
    words: tuple[str, ...] = ()
    """The words of an enumeration, in lower case; empty for other types."""
    spellings: tuple[str, ...] = ()
    """The words of an enumeration as the schema spells them."""
    takes_any_word: bool = False
    """Whether OpenVINO accepts words that the enumeration lacks."""
    _parsed: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def python_name(self) -> str:
        """The field name: the part after the last dot, with underscores for hyphens."""
        return self.name.rpartition(".")[2].replace("-", "_")

    def is_plain(self, text: str) -> bool:
        """Return whether a text is surely valid: written as OpenVINO writes values of the type."""
        return is_plain(self.type, text, self.spellings)

    def parse(self, text: str) -> Any:
        """Return the value of a text; raises `ValueTextError`."""
        if text in self._parsed:
            return self._parsed[text]
        value = parse_strictly(self.type, text, self.words)
        if len(text) < 64 and len(self._parsed) < 256:
            self._parsed[text] = value
        return value

    def spelling(self, word: str) -> str:
        """Return a word of any letter case as the schema spells it."""
        return next((spelling for spelling in self.spellings if spelling.lower() == word.lower()), word.lower())

    def parse_loosely(self, text: str) -> Any:
        """Return the value that OpenVINO reads from a text; raises `ValueTextError` if OpenVINO refuses it."""
        if self.takes_any_word:
            return text
        return parse_loosely(self.type, text, self.words)

    @cached_property
    def absent(self) -> Any:
        """The value of an absent attribute: the default, or the value that OpenVINO uses."""
        return zero(self.type, self.words) if self.default is None else self.parse(self.default)


class Count(NamedTuple):
    """The allowed number of ports; `most` is None if unlimited."""

    least: int
    most: int | None

    def allows(self, count: int) -> bool:
        """Return whether this number of ports is allowed."""
        return self.least <= count and (self.most is None or count <= self.most)

    def __str__(self) -> str:
        if self.least == self.most:
            return str(self.least)
        return f"{self.least} or more" if self.most is None else f"{self.least} to {self.most}"


@dataclass(frozen=True)
class Interface:
    """The attributes, ports and children of layers of one definition."""

    attributes: dict[str, AttributeSpec]
    inputs: Count
    outputs: Count
    children: tuple[str, ...]
    required_children: tuple[str, ...] = ()
    layer_attributes: frozenset[str] = frozenset()
    """The attributes of the layer itself besides those that every layer has."""

    @cached_property
    def required_attributes(self) -> frozenset[str]:
        """The attributes without which there is no `data`."""
        return frozenset(name for name, spec in self.attributes.items() if spec.required)

    @cached_property
    def values_when_absent(self) -> dict[str, Any]:
        """The value of every attribute, by field name, in a layer that writes none."""
        return {spec.python_name: spec.absent for spec in self.attributes.values() if spec.type != "extra"}


class _File:
    """The top-level definitions of one schema file, by tag and name."""

    def __init__(self, path: str, root: etree._Element) -> None:
        self.path, self.root = path, root
        self.includes: list[_File] | None = None
        """The files that it includes, each followed by those that it includes; None before they are read."""
        self.definitions: dict[tuple[Any, str | None], etree._Element] = {}
        for element in root.iterchildren(tag=etree.Element):
            self.definitions.setdefault((element.tag, element.get("name")), element)
        self.groups: dict[str, list[AttributeSpec]] = {}
        """The attributes of the attribute groups that were read."""


class Sources:
    """A schema and all its includes."""

    def __init__(self, path: Path, tree: etree._Element) -> None:
        file = _File(str(path), tree)
        self.path, self.files = path, [file, *_includes(file, 0)]

    def named(self, tag: str, name: str | None) -> etree._Element | None:
        """Return the top-level definition of a name, or None."""
        return next(
            (file.definitions[key] for file in self.files if (key := (_XS + tag, name)) in file.definitions), None
        )

    def group(self, name: str) -> list[AttributeSpec]:
        """Return the attributes of an attribute group, empty if there is none of this name."""
        for file in self.files:
            element = file.definitions.get((f"{_XS}attributeGroup", name))
            if element is not None:
                if name not in file.groups:
                    file.groups[name] = _attributes(element, self)
                return file.groups[name]
        return []


def layer_element(sources: Sources) -> etree._Element:
    """Return the declaration of a layer in a schema, or in one that it includes."""
    layer = sources.named("element", "layer")
    if layer is None:
        raise Error(f"the schema {sources.path} declares no element 'layer'")
    return layer


def read_interface(sources: Sources) -> Interface:
    """Return the interface that a schema describes."""
    layer = layer_element(sources)
    children = {child.get("name", ""): child for child in layer.iterfind(f".//{_XS}all/{_XS}element")}
    data = children.get("data")
    specs = [] if data is None else _attributes(data, sources)
    attributes = {spec.name: spec for spec in specs}
    ports = {name: _ports(children.get(name), sources) for name in ("input", "output")}
    required = tuple(name for name, child in children.items() if child.get("minOccurs") != "0")
    own = frozenset(str(each.get("name")) for each in layer.iterfind(f"{_XS}complexType/{_XS}attribute"))
    return Interface(attributes, ports["input"], ports["output"], tuple(children), required, own)


def _includes(file: _File, depth: int) -> list[_File]:
    """Return the files that a schema includes, each followed by those that it includes."""
    if file.includes is not None:
        return file.includes
    if depth > _MAX_INCLUDES:
        raise Error(f"the schema {file.path} includes itself, or others more than {_MAX_INCLUDES} deep")
    files: list[_File] = []
    for include in file.root.iterfind(f"{_XS}include"):
        location = os.path.join(os.path.dirname(file.path), str(include.get("schemaLocation")))
        included = _file(os.path.normpath(location))
        files += [included, *_includes(included, depth + 1)]
    file.includes = files
    return files


@lru_cache(maxsize=32)
def _file(path: str) -> _File:
    """Return a schema that others include; most include the same two."""
    return _File(path, etree.parse(path).getroot())


def _attributes(element: etree._Element, sources: Sources) -> list[AttributeSpec]:
    specs = []
    for child in element.iter(f"{_XS}attribute", f"{_XS}attributeGroup"):
        if child.tag == f"{_XS}attribute":
            specs.append(_attribute(child, sources))
        else:
            specs += sources.group(child.get("ref", ""))
    type_name = element.get("type")
    complex_type = sources.named("complexType", type_name) if type_name else None
    return specs + ([] if complex_type is None else _attributes(complex_type, sources))


def _attribute(element: etree._Element, sources: Sources) -> AttributeSpec:
    type = element.get("type") or ""
    inline = element.find(f"{_XS}simpleType")
    simple = inline if inline is not None else sources.named("simpleType", type)
    spellings = () if simple is None else _spellings(simple)
    words = tuple(dict.fromkeys(word.lower() for word in spellings))
    base = _base(simple, sources)
    type_name = "element_type" if base == "element_type" else type
    if words and type not in ("boolean", "element_type") and base != "element_type":
        type_name = "enumeration"
    required = element.get("use") == "required"
    restriction = None if simple is None else simple.find(f"{_XS}restriction")
    takes_any_word = restriction is not None and restriction.get("base") == "any_word"
    name, default = str(element.get("name")), element.get("default")
    return AttributeSpec(name, type_name, default, required, words, spellings, takes_any_word)


def _spellings(simple: etree._Element) -> tuple[str, ...]:
    return tuple(str(item.get("value")) for item in simple.iter(f"{_XS}enumeration"))


def _base(simple: etree._Element | None, sources: Sources) -> str:
    restriction = None if simple is None else simple.find(f"{_XS}restriction")
    base = "" if restriction is None else restriction.get("base", "")
    parent = sources.named("simpleType", base)
    return _base(parent, sources) if parent is not None and base != "element_type" else base


def _ports(element: etree._Element | None, sources: Sources) -> Count:
    if element is None:
        return Count(0, 0)
    kind = sources.named("complexType", element.get("type"))
    port = (element if kind is None else kind).find(f".//{_XS}element[@name='port']")
    if port is None:
        return Count(0, None)
    most = port.get("maxOccurs", "1")
    least = 0 if element.get("minOccurs") == "0" else int(port.get("minOccurs", "1"))
    return Count(least, None if most == "unbounded" else int(most))
