"""The types of nodes, and runtime information, as OpenVINO shows them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ir_plugin.errors import ArgumentTypeError


class DiscreteTypeInfo(NamedTuple):
    """The type of a node and the opset, or the extension, that introduced its definition."""

    name: str
    version_id: str

    @property
    def parent(self) -> None:
        """The more general type, which is never known."""
        return None

    def hash(self) -> int:
        """Return the hash of the name and the version."""
        return hash(self)

    def __repr__(self) -> str:
        return f"<DiscreteTypeInfo: {self.name} {self.version_id}>"


class RTMap(dict[str, Any]):
    """Runtime information by name, as `openvino.RTMap`."""

    __slots__ = ()

    def __init__(self, *entries: Any, **named: Any) -> None:
        try:
            super().__init__(*entries, **named)
        except (TypeError, ValueError):
            raise ArgumentTypeError("runtime information is a dictionary by name") from None

    def __repr__(self) -> str:
        return "<RTMap>"
