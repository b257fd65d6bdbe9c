"""Installed plugins: operations that other packages provide by the entry point `ir_plugin.operations`."""

from __future__ import annotations

import logging
import os
import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType

from ir_plugin.errors import Error
from ir_plugin.operations.base import Operation
from ir_plugin.operations.registry import Registry

GROUP = "ir_plugin.operations"
_LOG = logging.getLogger("ir_plugin")
_warned: set[str] = set()
"""The faults of plugins that were reported, each once."""


def load_plugins(registry: Registry) -> None:
    """Register the operations of installed packages; an entry point names an operation, a list of them, or a module."""
    for point in _points(tuple((folder, _changed(folder)) for folder in sys.path)):
        for cls in _operations(point):
            registry.add(cls, _provider(point))


@lru_cache(maxsize=4)
def _points(_folders: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    """Return the entry points, cached while the folders do not change, as reading them is slow."""
    return tuple(entry_points(group=GROUP))


def _changed(folder: str) -> int:
    """Return the modification time of an import folder, 0 if it cannot be read."""
    try:
        return os.stat(folder or ".").st_mtime_ns
    except OSError:
        return 0


def _provider(point: EntryPoint) -> str:
    package = point.dist.name if point.dist is not None else "an unknown package"
    return f"{package} ({point.value})"


def _operations(point: EntryPoint) -> list[type[Operation]]:
    """Return the operations of a plugin; one that cannot be loaded is named and skipped."""
    try:
        loaded = point.load()
    except (Exception, SystemExit) as fault:  # noqa: BLE001  # the code of a plugin may raise anything
        reason = f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
        text = f"the plugin {point.name} of {_provider(point)} cannot be loaded, and is skipped: {reason}"
        if text not in _warned:
            _warned.add(text)
            _LOG.warning("%s", text)
        return []
    values = (
        vars(loaded).values()
        if isinstance(loaded, ModuleType)
        else loaded
        if isinstance(loaded, (list, tuple))
        else [loaded]
    )
    classes = [value for value in values if isinstance(value, type) and issubclass(value, Operation) and value.version]
    if isinstance(loaded, ModuleType):
        classes = [cls for cls in classes if cls.__module__ == loaded.__name__]
    if not classes:
        raise Error(f"the plugin {point.name} of {_provider(point)} provides no operation")
    return classes
