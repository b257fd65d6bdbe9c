"""Compiled schemas of all operations, from the package or from extensions."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache, cached_property, lru_cache
from pathlib import Path

from lxml import etree

from ir_plugin.errors import Error
from ir_plugin.operations import opsets
from ir_plugin.operations.registry import Definition, Registry
from ir_plugin.operations.schema_files import schema_files, schema_root
from ir_plugin.schema.generated import generate_schema
from ir_plugin.schema.interface import Interface, Sources, layer_element, read_interface
from ir_plugin.schema.plain import is_plain_layer

_COMBINED_SCHEMA = b"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:include schemaLocation="layer.xsd"/>
</xs:schema>"""


class _Definition:
    """The schema of one definition: its file, and what is made of it when it is first needed."""

    def __init__(self, definition: Definition) -> None:
        self.stem, self._provider = definition.stem, definition.provider
        with self._faults():
            self.path, self.tree = _parsed(definition)

    @cached_property
    def sources(self) -> Sources:
        """The schema with all its includes."""
        with self._faults():
            return Sources(self.path, self.tree)

    @cached_property
    def interface(self) -> Interface:
        """The attributes and ports."""
        with self._faults():
            return read_interface(self.sources)

    @cached_property
    def schema(self) -> etree.XMLSchema:
        """The compiled schema, in which a layer is the element `layer`."""
        with self._faults():
            return etree.XMLSchema(etree.ElementTree(self.tree))

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, etree.XMLSyntaxError, etree.XMLSchemaParseError) as fault:
            message = f"the schema of {self.stem} (by {self._provider}) cannot be used: {fault}"
            raise Error(message) from fault


class Catalogue:
    """The schemas and interfaces by definition, each compiled when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._entries: dict[type, _Definition] = {}
        self._combined: dict[type, etree.XMLSchema] = {}

    def interface(self, definition: Definition) -> Interface:
        """Return the attributes and ports of a definition."""
        entry = self._entry(definition)
        with self._lock:
            return entry.interface

    def interface_of(self, type: str, version: str, registry: Registry) -> Interface | None:
        """Return the attributes and ports of a type in a version, or None; loads no class of a built-in operation."""
        extension, row = registry.extension(type, version), opsets.resolve(type, version)
        if extension is not None:
            return self.interface(extension)
        return None if row is None else _built_in_interface(f"{row.type}-{row.introduced}")

    def prepare(self, definitions: Iterable[Definition]) -> None:
        """Compile the schemas of built-in definitions as one, which takes little more than to compile one of them."""
        with self._lock:
            entries = {each.cls: self._entry(each) for each in definitions if each.family and each.cls.schema is None}
            entries = {cls: entry for cls, entry in entries.items() if cls not in self._combined}
            if entries:
                self._combined |= dict.fromkeys(entries, _compiled_together(entries.values()))

    def surely_accepts(self, definition: Definition, layer: etree._Element) -> bool:
        """Return whether the schema of a built-in definition accepts a layer, as far as that is plain to see."""
        is_built_in = bool(definition.family) and definition.cls.schema is None
        return is_built_in and is_plain_layer(layer, self.interface(definition))

    def refusals(self, definition: Definition, layer: etree._Element) -> list[etree._LogEntry]:
        """Return the schema errors of a layer, empty for a valid one."""
        entry, combined = self._entry(definition), self._combined.get(definition.cls)
        with self._lock:
            if combined is not None and _accepts(combined, entry.stem, layer):
                return []
            return [] if entry.schema.validate(layer) else list(entry.schema.error_log)

    def _entry(self, definition: Definition) -> _Definition:
        entry = self._entries.get(definition.cls)
        if entry is None:
            with self._lock:
                entry = self._entries[definition.cls] = _Definition(definition)
        return entry


def _compiled_together(entries: Iterable[_Definition]) -> etree.XMLSchema:
    """Return one schema in which the layers of each definition are elements named by its stem."""
    root = etree.fromstring(_COMBINED_SCHEMA, base_url=(schema_root() / "combined.xsd").as_uri())
    for entry in entries:
        element = deepcopy(layer_element(entry.sources))
        element.set("name", entry.stem)
        root.append(element)
    return etree.XMLSchema(etree.ElementTree(root))


def _accepts(schema: etree.XMLSchema, stem: str, layer: etree._Element) -> bool:
    """Return whether a schema of several definitions accepts a layer of one of them."""
    tag, layer.tag = layer.tag, stem
    try:
        return schema.validate(layer)
    finally:
        layer.tag = tag


def _parsed(definition: Definition) -> tuple[Path, etree._Element]:
    """Return the file of a definition's schema and its root; the file of a plugin's text does not exist."""
    source = definition.cls.schema
    if source is None and not definition.family:
        source = generate_schema(definition.cls)
    if isinstance(source, str) and source.lstrip().startswith("<"):
        path = schema_root() / "operations" / "plugin" / "Plugin-1.xsd"
        tree = etree.fromstring(source.encode(), base_url=path.as_uri())
    else:
        path = built_in_path(definition) if source is None else Path(source)
        tree = etree.parse(path).getroot()
    if source is not None:
        _find_shared(path, tree)
    return path, tree


def _find_shared(path: Path, tree: etree._Element) -> None:
    """Resolve the includes of `layer.xsd` and `types.xsd` in a plugin's schema to the shared files."""
    for include in tree.iterfind("{http://www.w3.org/2001/XMLSchema}include"):
        location = str(include.get("schemaLocation"))
        shared = schema_root() / location.rpartition("/")[2]
        if not (path.parent / location).is_file() and shared.is_file():
            include.set("schemaLocation", str(shared))


def built_in_path(definition: Definition) -> Path:
    """Return the file of a built-in definition's schema."""
    return schema_root() / "operations" / definition.family / f"{definition.stem}.xsd"


@lru_cache(maxsize=1024)
def _built_in_interface(stem: str) -> Interface:
    """Return the attributes and ports of a built-in definition, such as `Gather-8`."""
    path = Path(schema_files()[stem])
    return read_interface(Sources(path, etree.parse(path).getroot()))


@cache
def standard() -> Catalogue:
    """Return the catalogue shared by the process."""
    return Catalogue()
