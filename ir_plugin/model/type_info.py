"""The types and names of nodes, and runtime information, as OpenVINO shows them."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ir_plugin.errors import ArgumentTypeError, require
from ir_plugin.model.any_value import OVAny


class DiscreteTypeInfo(NamedTuple):
    """The type of a node and the opset, or the extension, that introduced its definition."""

    name: str
    version_id: str

    @property
    def parent(self) -> DiscreteTypeInfo | None:
        """The more general type, as OpenVINO's classes inherit; None for Op and for custom operations."""
        parent = _parents().get((self.name, self.version_id))
        if parent is None and self != _OP and self.version_id.startswith(("opset", "util")):
            return _OP
        return parent

    def hash(self) -> int:
        """Return the hash of the name and the version."""
        return hash(self)

    def __repr__(self) -> str:
        parent = self.parent
        inherits = f" Parent({parent.name} v{parent.version_id})" if parent is not None else ""
        return f"<DiscreteTypeInfo: {self.name} {self.version_id}{inherits}>"


_OP = DiscreteTypeInfo("Op", "util")


@cache
def _parents() -> dict[tuple[str, str], DiscreteTypeInfo]:
    """Return the parents of types, by name and version, but those whose parent is Op."""
    lines = Path(__file__).with_name("type_parents.tsv").read_text("utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return {
        (child, child_version): DiscreteTypeInfo(name, version)
        for name, version, children in rows
        for child, child_version in (entry.split(":") for entry in children.split())
    }


class RTMap(dict[str, Any]):
    """Runtime information by name, as `openvino.RTMap`: it shows values as `OVAny`, in alphabetical order."""

    __slots__ = ()

    def __init__(self, *entries: Any, **named: Any) -> None:
        if not entries and not named:
            return
        try:
            super().__init__()
            self.update(*entries, **named)
        except (TypeError, ValueError):
            raise ArgumentTypeError("runtime information is a dictionary by name") from None

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, _held(value))

    def __getitem__(self, name: str) -> Any:
        return _shown(super().__getitem__(name))

    def __missing__(self, name: str) -> None:
        """Return None, as OpenVINO shows a value that was never written."""

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(super().__iter__()))

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, or the default."""
        return _shown(super().__getitem__(name)) if name in self else default

    def pop(self, name: str, *default: Any) -> Any:
        """Remove a value, and return it."""
        return _shown(super().pop(name, *default))

    def update(self, *entries: Any, **named: Any) -> None:
        """Write several values."""
        for name, value in dict(*entries, **named).items():
            self[name] = value

    def keys(self) -> KeysView[str]:  # type: ignore[override] # a view of another class
        """Return the names in alphabetical order."""
        return KeysView(self)

    def values(self) -> ValuesView[Any]:  # type: ignore[override] # a view of another class
        """Return the values in the order of their names."""
        return ValuesView(self)

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override] # a view of another class
        """Return the names and values in alphabetical order."""
        return ItemsView(self)

    def __repr__(self) -> str:
        return "<RTMap>"


class _Named(Protocol):
    name: str


class FriendlyName:
    """The name of a node or a model, by all the members that OpenVINO has for it."""

    __slots__ = ()

    name: str

    def get_friendly_name(self) -> str:
        """Return the name."""
        return self.name

    def set_friendly_name(self: _Named, name: str) -> None:
        """Change the name."""
        require(name, str, "a name", "name")
        self.name = name

    @property
    def friendly_name(self) -> str:
        """The name."""
        return self.name

    @friendly_name.setter
    def friendly_name(self, name: str) -> None:
        self.set_friendly_name(name)


class RuntimeInfo:
    """The methods of nodes and ports that read and write their runtime information."""

    __slots__ = ()

    rt_info: Any

    def get_rt_info(self) -> dict[str, Any]:
        """Return the runtime information."""
        info: dict[str, Any] = self.rt_info
        return info

    def set_rt_info(self, value: Any, name: str) -> None:
        """Write one entry of the runtime information."""
        require(name, str, "a name", "name")
        self.rt_info[name] = value


def plain_info(info: Mapping[str, Any]) -> dict[str, Any]:
    """Return runtime information as a dictionary of its values, in the order in which they were written."""
    return dict(dict.items(info)) if isinstance(info, dict) else dict(info)


def _held(value: Any) -> Any:
    """Return a value as runtime information holds it, also in nested dictionaries: not as an `OVAny`."""
    if isinstance(value, OVAny):
        return value.value
    return {name: _held(item) for name, item in plain_info(value).items()} if isinstance(value, dict) else value


def _shown(value: Any) -> Any:
    """Return a value as an `OVAny`; a nested dictionary is converted entry by entry."""
    if isinstance(value, dict) and value.keys() != {"value"}:
        return {name: _shown(item) for name, item in value.items()}
    return OVAny(value["value"] if isinstance(value, dict) else value)
