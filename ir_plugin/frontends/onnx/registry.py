"""Translators by domain, operator and the version of the operator's schema since which they hold."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ir_plugin.model import Node, Output

if TYPE_CHECKING:
    from ir_plugin.frontends.onnx.node import OnnxNode

Translated: TypeAlias = "Node | Output | Sequence[Node | Output | None]"
Translate: TypeAlias = "Callable[[OnnxNode], Translated]"
DEFAULT = ""
ALIASES = {"ai.onnx": DEFAULT}
"""Domains with another spelling."""


class Translator(NamedTuple):
    """A function that translates an operator from a version of its schema on."""

    domain: str
    type: str
    since: int
    translate: Translate


_TRANSLATORS: dict[tuple[str, str], dict[int, Translator]] = {}


def translates(type: str, since: int, domain: str = DEFAULT) -> Callable[[Translate], Translate]:
    """Register a function as the translator of an operator from the schema version `since` on, up to the next one's."""

    def register(translate: Translate) -> Translate:
        versions = _TRANSLATORS.setdefault((domain, type), {})
        if since in versions:
            raise ValueError(f"{type}-{since} has two translators")
        versions[since] = Translator(domain, type, since, translate)
        return translate

    return register


@cache
def _load() -> None:
    """Import the modules of all families."""
    root = Path(__file__).parent
    for family in pkgutil.iter_modules([str(root)]):
        if family.ispkg:
            for info in pkgutil.iter_modules([str(root / family.name)]):
                importlib.import_module(f"{__package__}.{family.name}.{info.name}")


def translator(domain: str, type: str, since: int) -> Translator | None:
    """Return the translator of a schema's version: the newest that is not newer, or None."""
    _load()
    versions = _TRANSLATORS.get((ALIASES.get(domain, domain), type), {})
    fitting = [version for version in versions if version <= since]
    return versions[max(fitting)] if fitting else None


def translators() -> list[Translator]:
    """Return all translators, by domain, operator and version."""
    _load()
    return [versions[since] for _, versions in sorted(_TRANSLATORS.items()) for since in sorted(versions)]


def as_outputs(translated: Translated) -> list[Output | None]:
    """Return the result of a translator as a list of outputs; a node stands for all its outputs."""
    if isinstance(translated, Node):
        return list(translated.outputs)
    if isinstance(translated, Output):
        return [translated]
    return [item.outputs[0] if isinstance(item, Node) else item for item in translated]


def schema_of(domain: str, type: str, version: int) -> Any:
    """Return the schema of an operator in a version of its domain's opset, or None.

    An operator that is newer than the opset has its first one: OpenVINO takes it too.
    """
    from onnx import defs

    name = ALIASES.get(domain, domain)
    try:
        return defs.get_schema(type, version, name)
    except defs.SchemaError:
        first = _first_versions().get((name, type))
    return defs.get_schema(type, first, name) if first is not None and first > version else None


@cache
def _first_versions() -> dict[tuple[str, str], int]:
    """Return the first version of every operator."""
    from onnx import defs

    first: dict[tuple[str, str], int] = {}
    for schema in defs.get_all_schemas_with_history():
        key = (schema.domain, schema.name)
        first[key] = min(schema.since_version, first.get(key, schema.since_version))
    return first
