"""Nodes by the name of their type, as `openvino.utils.node_factory`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ir_plugin.errors import InputError, UnsupportedError, require
from ir_plugin.model import Node, Output
from ir_plugin.operations.registry import Registry
from ir_plugin.opsets.created import created
from ir_plugin.opsets.signatures import NEWEST

__all__ = ["DEFAULT_OPSET", "NodeFactory"]

DEFAULT_OPSET = "opset13"


class NodeFactory:
    """Creates nodes of the operations of an opset: `NodeFactory("opset13").create("Add", [a, b])`."""

    def __init__(self, opset_version: str = DEFAULT_OPSET) -> None:
        require(opset_version, str, "the name of an opset", "opset_version")
        number = opset_version.removeprefix("opset")
        if not (number.isdecimal() and 1 <= int(number) <= NEWEST):
            raise InputError(f"there is no opset {opset_version!r}; known are opset1 to opset{NEWEST}")
        self._opset = opset_version

    def create(
        self,
        op_type_name: str,
        arguments: Sequence[Node | Output] | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> Node:
        """Return a node of a type with these inputs and attributes; one without both has no outputs yet."""
        definition = Registry().resolve(op_type_name, self._opset)
        if definition is None:
            raise InputError(f"{self._opset} has no operation {op_type_name!r}")
        if arguments is None and attributes is not None:
            raise InputError(f"{op_type_name} has attributes, so it needs arguments too")
        outputs = None if arguments is None else self._arguments_as_outputs(arguments)
        return created(definition, outputs, attributes or {})

    def add_extension(self, extension: Any) -> None:
        """Accept extension objects, which are of use to other libraries only; a library of C++ cannot be loaded."""
        if isinstance(extension, (str, os.PathLike)):
            raise UnsupportedError(
                f"{extension}: libraries of C++ cannot be loaded; write the operation as a subclass of "
                "ir_plugin.Operation and call Core.add_extension"
            )

    @staticmethod
    def _arguments_as_outputs(arguments: Sequence[Node | Output]) -> list[Output]:
        """Return the outputs, and all outputs of nodes."""
        outputs: list[Output] = []
        for argument in arguments:
            require(argument, (Node, Output), "nodes and outputs", "arguments")
            outputs += [argument] if isinstance(argument, Output) else argument.outputs
        return outputs


def _get_node_factory(opset_version: str | None = None) -> NodeFactory:
    """Return the factory of an opset, by default of the one that OpenVINO uses."""
    return NodeFactory(opset_version) if opset_version else NodeFactory()
