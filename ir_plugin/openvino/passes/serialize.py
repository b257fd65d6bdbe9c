"""A pass that writes the model as an IR."""

from __future__ import annotations

import os
from enum import IntEnum
from typing import Any

from ir_plugin.errors import ArgumentTypeError, InputError, require
from ir_plugin.model.graph import Model as Graph
from ir_plugin.openvino.api.model import Model
from ir_plugin.openvino.api.saving import serialize
from ir_plugin.openvino.passes.base import BuiltInPass


class Version(IntEnum):
    """A version of the IR."""

    UNSPECIFIED = 0
    IR_V10 = 10
    IR_V11 = 11

    def __repr__(self) -> str:
        return f"<Version.{self.name}: {self.value}>"

    def __str__(self) -> str:
        return f"Version.{self.name}"


class Serialize(BuiltInPass, name="Serialize"):
    """Writes the model unchanged to an XML file and a file of weights."""

    def __init__(self, path_to_xml: Any, path_to_bin: Any, version: Any = None) -> None:
        self._xml, self._weights = _path(path_to_xml, "path_to_xml"), _path(path_to_bin, "path_to_bin")
        self._version = _version(version)

    def transform(self, graph: Graph) -> bool:
        """Write the model to its files, without changing it."""
        require(graph, Model, "a Model", "model")
        if isinstance(graph, Model):
            serialize(graph, self._xml, self._weights or None, self._version)
        return False


def _path(path: Any, argument: str) -> str:
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise ArgumentTypeError(f"argument {argument!r}: a path is needed, not {type(path).__name__}")
    return os.fsdecode(path)


def _version(version: Any) -> str:
    """Return the name of a version."""
    if version is None or isinstance(version, Version):
        return (version or Version.UNSPECIFIED).name
    if not isinstance(version, str) or version not in Version.__members__:
        versions = ", ".join(Version.__members__)
        raise InputError(f"Invoked with wrong version argument: {version!r}; write one of {versions}")
    return version
