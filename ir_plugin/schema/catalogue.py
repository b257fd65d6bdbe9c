"""Compiled schemas of all operations, from the package or from extensions."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path

from lxml import etree

from ir_plugin.errors import Error
from ir_plugin.operations.registry import Definition
from ir_plugin.schema.generated import generate_schema
from ir_plugin.schema.interface import Interface, read_interface


@cache
def schema_root() -> Path:
    """Return the folder of the schemas: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "schemas", package.parent / "schemas"):
        if (folder / "layer.xsd").is_file():
            return folder
    raise Error(f"the schemas of ir_plugin are missing; they belong in {package / 'schemas'}")


class Catalogue:
    """A cache of compiled schemas and interfaces by definition."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._entries: dict[type, tuple[etree.XMLSchema, Interface]] = {}

    def interface(self, definition: Definition) -> Interface:
        """Return the attributes and ports of a definition."""
        return self._entry(definition)[1]

    def refusals(self, definition: Definition, layer: etree._Element) -> list[etree._LogEntry]:
        """Return the schema errors of a layer, empty for a valid one."""
        schema = self._entry(definition)[0]
        with self._lock:
            return [] if schema.validate(layer) else list(schema.error_log)

    def _entry(self, definition: Definition) -> tuple[etree.XMLSchema, Interface]:
        entry = self._entries.get(definition.cls)
        if entry is None:
            with self._lock:
                entry = self._entries[definition.cls] = _compile(definition)
        return entry


def _compile(definition: Definition) -> tuple[etree.XMLSchema, Interface]:
    source = definition.cls.schema
    if source is None and not definition.family:
        source = generate_schema(definition.cls)
    try:
        if isinstance(source, str) and source.lstrip().startswith("<"):
            path = schema_root() / "operations" / "plugin" / "Plugin-1.xsd"
            tree = etree.fromstring(source.encode(), base_url=path.as_uri())
        else:
            path = built_in_path(definition) if source is None else Path(source)
            tree = etree.parse(path).getroot()
        if source is not None:
            _find_shared(path, tree)
        return etree.XMLSchema(etree.ElementTree(tree)), read_interface(path, tree)
    except (OSError, ValueError, etree.XMLSyntaxError, etree.XMLSchemaParseError) as fault:
        raise Error(f"the schema of {definition.stem} (by {definition.provider}) cannot be used: {fault}") from fault


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


@cache
def standard() -> Catalogue:
    """Return the catalogue shared by the process."""
    return Catalogue()
