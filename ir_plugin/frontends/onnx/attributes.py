"""Attributes of ONNX nodes by type, with the defaults of their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.types import element_type_of
from ir_plugin.tensors import ElementType

REQUIRED: Any = object()
"""The default of a reading that has none but the schema's."""

KINDS = (
    "", "float", "int", "string", "tensor", "graph", "floats", "ints", "strings", "tensors", "graphs", "sparse_tensor",
    "sparse_tensors", "type_proto", "type_protos",
)  # fmt: skip
_FIELDS = ("", "f", "i", "s", "t", "g", "floats", "ints", "strings", "tensors", "graphs", "sparse_tensor",
           "sparse_tensors", "tp", "type_protos")  # fmt: skip


class Attributes:
    """The attributes of one node; reading one of another type, or a required one that is absent, is an error."""

    def __init__(self, values: Mapping[str, Any], schema: Any) -> None:
        self._values = values
        self._schema = schema

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def names(self) -> list[str]:
        """Return the names of the attributes that the node has."""
        return list(self._values)

    def proto(self, name: str) -> Any:
        """Return the `AttributeProto` of an attribute: the node's, the schema's default, or None."""
        if name in self._values:
            return self._values[name]
        default = self._schema.attributes.get(name) if self._schema is not None else None
        return default.default_value if default is not None and default.default_value.type else None

    def read(self, name: str, kind: str, default: Any = REQUIRED) -> Any:
        """Return the value of an attribute of a kind: the node's, `default`, or the schema's default."""
        if default is not REQUIRED and name not in self._values:
            return default
        proto = self.proto(name)
        if proto is None:
            near = did_you_mean(name, self._values)
            raise OnnxReadError(
                f"the attribute {name!r} ({kind}) is required and absent" + (f"; {near}" if near else "")
            )
        if proto.type != KINDS.index(kind):
            raise OnnxReadError(f"the attribute {name!r} is of the type {KINDS[proto.type]}; it must be {kind}")
        return getattr(proto, _FIELDS[proto.type])

    def int(self, name: str, default: Any = REQUIRED) -> Any:
        """Return an integer."""
        return self.read(name, "int", default)

    def flag(self, name: str, default: Any = REQUIRED) -> bool:
        """Return whether an integer is not zero."""
        return bool(self.read(name, "int", default))

    def float(self, name: str, default: Any = REQUIRED) -> Any:
        """Return a number."""
        return self.read(name, "float", default)

    def text(self, name: str, default: Any = REQUIRED) -> Any:
        """Return a text."""
        value = self.read(name, "string", default)
        return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value

    def ints(self, name: str, default: Any = REQUIRED) -> Any:
        """Return a list of integers."""
        value = self.read(name, "ints", default)
        return value if value is default else list(value)

    def floats(self, name: str, default: Any = REQUIRED) -> Any:
        """Return a list of numbers."""
        value = self.read(name, "floats", default)
        return value if value is default else list(value)

    def texts(self, name: str, default: Any = REQUIRED) -> Any:
        """Return a list of texts."""
        value = self.read(name, "strings", default)
        return value if value is default else [item.decode("utf-8", "surrogateescape") for item in value]

    def tensor(self, name: str, default: Any = REQUIRED) -> Any:
        """Return a `TensorProto`."""
        return self.read(name, "tensor", default)

    def graph(self, name: str, default: Any = REQUIRED) -> Any:
        """Return a `GraphProto`."""
        return self.read(name, "graph", default)

    def element_type(self, name: str, default: Any = REQUIRED) -> ElementType:
        """Return the element type that an integer stands for."""
        value = self.read(name, "int", default)
        return value if isinstance(value, ElementType) else element_type_of(value)
