"""Modules of OpenVINO that are other modules here, or absent: they import, and fail where an absent name is used."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from ir_plugin.diagnostics.absent import placeholder, reason_of

_PACKAGE = "ir_plugin"

_ALIASES = (
    (r"runtime", ""),
    (r"runtime\.(.+)", r"\1"),
    (r"(opset\d+)(\.ops)?", r"opsets.\1"),
    (r"pytest_plugin", "testing.pytest_plugin"),
    (r"layout_helpers", "openvino.api.layout_helpers"),
    (r"frontend\.frontend", "openvino.frontend"),
    (r"helpers\.packing", "openvino.helpers"),
    (r"properties\._properties", "openvino.properties.names"),
    (r"tools\.ovc\.convert", "tools.ovc"),
    (r"_pyopenvino\.util", "utils"),
    (r"_pyopenvino\.(\w.*)", r"\1"),
    (r"(?!openvino\b)(.+)", r"openvino.\1"),
)
"""Patterns of names of modules, and the module that each stands for; the first that matches counts."""

_SOURCES: dict[str, tuple[str, ...]] = {
    "_pyopenvino": ("", "model", "openvino.api", "openvino.frontend"),
    "_ov_api": ("", "openvino.api"),
    "_op_base": ("", "model"),
    "tools": (),
    "tools.ovc": ("openvino.conversion",),
}
"""Modules that only show names of others: the modules that have them, the package itself as an empty name."""


@cache
def absent_names() -> dict[str, tuple[str, ...]]:
    """Return the names of OpenVINO that are absent here, by module."""
    lines = Path(__file__).with_name("absent_modules.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return {module: tuple(names.split()) for module, names in rows}


def spec_of(full_name: str) -> ModuleSpec | None:
    """Return the specification of a module that OpenVINO has and that has no file here, or None."""
    name = full_name.removeprefix(f"{_PACKAGE}.")
    target = _target(name)
    if target is None and name not in absent_names() and name not in _SOURCES:
        return None
    return ModuleSpec(full_name, _Loader(name, target), is_package=True)


def _target(name: str) -> str | None:
    """Return the full name of the module that another stands for, None if there is none."""
    target = f"{_PACKAGE}.{own_name(name)}".rstrip(".")
    return target if _exists(target) else None


def _exists(full_name: str) -> bool:
    """Return whether a module can be found; what would hold it may be no package, or no module."""
    try:
        return find_spec(full_name) is not None
    except ModuleNotFoundError:
        return False


def own_name(name: str) -> str:
    """Return the name that a module of OpenVINO has here."""
    for pattern, replacement in _ALIASES:
        match = re.fullmatch(pattern, name)
        if match:
            return match.expand(replacement)
    return name


class _Loader(Loader):
    """Loads a module that has no file: another one, or one whose names come from elsewhere or are absent."""

    def __init__(self, name: str, target: str | None) -> None:
        self._name = name
        self._target = target

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module, or put the one that it stands for in its place."""
        sources = _SOURCES.get(self._name, ())
        if self._target is not None:
            target = import_module(self._target)
            if not self._name.startswith("_pyopenvino."):
                sys.modules[module.__name__] = target
                return
            sources = (own_name(self._name),)
        module.__doc__ = f"The names that `openvino.{self._name}` has."
        get, names = names_of(self._name, sources)
        vars(module).update(__getattr__=get, __dir__=names)


def names_of(name: str, sources: Sequence[str] = ()) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a module with names of other modules, and with absent ones."""
    full_name = f"{_PACKAGE}.{name}"

    def get(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        for source in sources:
            home = import_module(f"{_PACKAGE}.{source}".rstrip("."))
            if hasattr(home, attribute):
                return getattr(home, attribute)
        if attribute in absent_names().get(name, ()):
            return placeholder(full_name, attribute, reason_of(name))
        if _exists(f"{full_name}.{attribute}"):
            return import_module(f"{full_name}.{attribute}")
        raise AttributeError(f"module {full_name!r} has no attribute {attribute!r}")

    def listed() -> list[str]:
        public = {item for source in sources for item in dir(import_module(f"{_PACKAGE}.{source}".rstrip(".")))}
        return sorted({*vars(import_module(full_name)), *absent_names().get(name, ()), *public})

    return get, listed
