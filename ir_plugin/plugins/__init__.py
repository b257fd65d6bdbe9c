"""Installed plugins: operations that other packages provide through the entry point `ir_plugin.operations`."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from types import ModuleType

from ir_plugin.errors import Error
from ir_plugin.operations.base import Operation
from ir_plugin.operations.registry import Registry

GROUP = "ir_plugin.operations"


def load_plugins(registry: Registry) -> None:
    """Make known what the installed packages provide; each entry point names an operation, several, or a module."""
    for point in entry_points(group=GROUP):
        for cls in _operations(point):
            registry.add(cls, _provider(point))


def _provider(point: EntryPoint) -> str:
    package = point.dist.name if point.dist is not None else "an unknown package"
    return f"{package} ({point.value})"


def _operations(point: EntryPoint) -> list[type[Operation]]:
    try:
        found = point.load()
    except (ImportError, AttributeError, SyntaxError) as fault:
        raise Error(f"the plugin {point.name} of {_provider(point)} cannot be loaded: {fault}") from fault
    values = (
        vars(found).values()
        if isinstance(found, ModuleType)
        else found
        if isinstance(found, (list, tuple))
        else [found]
    )
    classes = [value for value in values if isinstance(value, type) and issubclass(value, Operation) and value.version]
    if isinstance(found, ModuleType):
        classes = [cls for cls in classes if cls.__module__ == found.__name__]
    if not classes:
        raise Error(f"the plugin {point.name} of {_provider(point)} provides no operation")
    return classes
