"""All operation classes by type and version: the built-in ones, loaded when first needed, and plugins."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from functools import cache, lru_cache

import ir_plugin.operations as package
from ir_plugin.errors import Error
from ir_plugin.operations import opsets
from ir_plugin.operations.base import Operation, OperationClass

EXTENSION = "extension"
"""The version of our own operations, which say what OpenVINO's opsets cannot, and of its tokenizers' operations."""
LIBRARIES = (EXTENSION, "openvino_tokenizers")
"""The versions of operations that belong to no opset of OpenVINO."""


@dataclass(frozen=True)
class Definition:
    """One operation class under the type and version that name it, and who provides it."""

    type: str
    version: str
    cls: OperationClass
    provider: str = "ir_plugin"

    @property
    def number(self) -> str:
        """The version as the specification writes it: `8` of `opset8`."""
        return self.version.removeprefix("opset")

    @property
    def stem(self) -> str:
        """The name that schema and samples share: `Gather-8`."""
        return f"{self.type}-{self.number}"

    @property
    def family(self) -> str:
        """The family of a built-in operation, as the specification names it; empty for a plugin."""
        prefix = f"{package.__name__}."
        module = self.cls.__module__
        return module.removeprefix(prefix).split(".")[0] if module.startswith(prefix) else ""


@cache
def built_in() -> dict[tuple[str, str], Definition]:
    """Return the built-in definitions, by look-up key and version."""
    return {key: definition for path in _modules() for key, definition in _definitions(path).items()}


def _built_in_of(key: str, version: str) -> Definition | None:
    """Return a built-in definition, or None; loads only the module of the type's name, or those without one."""
    for path in _candidate_modules(key):
        definition = _definitions(path).get((key, version))
        if definition is not None:
            return definition
    return None


@lru_cache(maxsize=1024)
def _candidate_modules(key: str) -> list[str]:
    """Return the modules that may hold a type: the one named after it, then those named after none.

    Among these come first those whose name begins alike, such as `reducing` for ReduceSum.
    """
    general = _general_modules()
    alike = [path for path, name in general.items() if name[:5] == key[:5]]
    return [*_modules_by_type().get(key, ()), *alike, *(path for path in general if path not in alike)]


def _squashed(path: str) -> str:
    """Return the name of a module as look-up keys write types."""
    return path.rpartition(".")[2].replace("_", "")


@cache
def _modules_by_type() -> dict[str, list[str]]:
    """Return the modules by their names as look-up keys write types."""
    by_type: dict[str, list[str]] = {}
    for path in _modules():
        by_type.setdefault(_squashed(path), []).append(path)
    return by_type


@cache
def _general_modules() -> dict[str, str]:
    """Return the modules that are named after no type, with their names as look-up keys write types."""
    types = {row.type.lower() for row in opsets.rows()}
    return {path: name for path in _modules() if (name := _squashed(path)) not in types}


@cache
def _modules() -> tuple[str, ...]:
    """Return the modules of all families, in alphabetic order."""
    return tuple(
        f"{package.__name__}.{family}.{name.removesuffix('.py')}"
        for root in package.__path__
        for family in sorted(os.listdir(root))
        if "." not in family and os.path.isfile(f"{root}/{family}/__init__.py")
        for name in sorted(os.listdir(f"{root}/{family}"))
        if name.endswith(".py") and name != "__init__.py"
    )


@lru_cache(maxsize=1024)
def _definitions(path: str) -> dict[tuple[str, str], Definition]:
    """Return the operations that one module defines."""
    return {
        (opsets.key(value.type), value.version): Definition(value.type, value.version, value)
        for value in vars(importlib.import_module(path)).values()
        if isinstance(value, type) and issubclass(value, Operation) and value.version and value.__module__ == path
    }


class Registry:
    """The definitions that one `Core` knows: extensions first, then OpenVINO's opsets."""

    def __init__(self) -> None:
        self._extensions: dict[tuple[str, str], Definition] = {}

    def add(self, cls: OperationClass, provider: str, replace: bool = False) -> Definition:
        """Register an operation class; raises if another provider has registered its type and version."""
        if not (cls.type and cls.version):
            raise Error(f"{cls.__qualname__} names no version; write class {cls.__name__}(Operation, version=…)")
        key = opsets.key(cls.type), cls.version
        present = self._extensions.get(key)
        if present is not None and present.cls is not cls and not replace:
            raise Error(
                f"the operation {cls.type} of version {cls.version} is provided twice: "
                f"by {present.provider} ({present.cls.__module__}) and by {provider} ({cls.__module__})"
            )
        definition = Definition(cls.type, cls.version, cls, provider)
        cls.is_built_in = False
        self._extensions[key] = definition
        return definition

    def resolve(self, type: str, version: str) -> Definition | None:
        """Return the definition that an IR means by `type` and `version`, or None."""
        extension, row = self.extension(type, version), opsets.resolve(type, version)
        if extension is not None or row is None:
            return extension or (_built_in_of(opsets.key(type), version) if version in LIBRARIES else None)
        return _built_in_of(opsets.key(row.type), row.version)

    def extension(self, type: str, version: str) -> Definition | None:
        """Return the extension that an IR means by `type` and `version`, which may replace a built-in operation."""
        extension, row = self._extensions.get((opsets.key(type), version)), opsets.resolve(type, version)
        return extension if extension or row is None else self._extensions.get((opsets.key(row.type), row.version))

    def all(self) -> list[Definition]:
        """Return every definition, by type and version."""
        merged = built_in() | self._extensions
        return [merged[key] for key in sorted(merged, key=lambda key: (key[0], len(key[1]), key[1]))]

    def versions_of(self, type: str) -> list[str]:
        """Return the versions under which a type is known."""
        named = [version for key, version in self._extensions if key == opsets.key(type)]
        named += [version for version in LIBRARIES if _built_in_of(opsets.key(type), version) is not None]
        return named + [f"opset{row.introduced}" for row in opsets.definitions(type)]

    def types(self) -> list[str]:
        """Return the names of all types, as IRs spell them."""
        names = {definition.type for definition in self._extensions.values()}
        names |= {opsets.WRITTEN.get(row.type, row.type) for row in opsets.rows()}
        return sorted(names)
