"""A pass that draws the model."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from ir_plugin.errors import ArgumentTypeError
from ir_plugin.model import Node
from ir_plugin.model.graph import Model as Graph
from ir_plugin.openvino.passes.base import BuiltInPass
from ir_plugin.writer.files import write_file

_COLORS = {"Parameter": "blue", "Result": "crimson", "Constant": "gray"}

Modifier = Callable[[Node, list[str]], Any]


class VisualizeTree(BuiltInPass, name="VisualizeTree"):
    """Writes the model in Graphviz's language: to `x.dot`, and to `x.svg.dot` for `x.svg`.

    `nm` gets each node and the list of its attributes, which it may change. `ir-plugin graph` draws pictures.
    """

    def __init__(self, file_name: Any, nm: Modifier | None = None, dot_only: bool = False) -> None:
        if not isinstance(file_name, (str, bytes, os.PathLike)):
            raise ArgumentTypeError(f"argument 'file_name': a path is needed, not {type(file_name).__name__}")
        if nm is not None and not callable(nm):
            raise ArgumentTypeError(f"argument 'nm': a function is needed, not {type(nm).__name__}")
        path = os.fsdecode(file_name)
        self._path = path if path.endswith(".dot") else f"{path}.dot"
        self._modifier = nm
        del dot_only

    def transform(self, graph: Graph) -> bool:
        """Write the model as a DOT graph, without changing it."""
        lines = ["digraph", "{"]
        for node in reversed(graph.ordered()):
            lines.append(f"    {node.get_name()} [{' '.join(self._attributes(node))}]")
            readers = [reader for port in node.outputs for reader in port.readers]
            lines += [f"    {node.get_name()} -> {reader.node.get_name()}" for reader in readers]
        write_file(self._path, "\n".join([*lines, "}", ""]))
        return False

    def _attributes(self, node: Node) -> Sequence[str]:
        type = node.get_type_info()
        ports = "".join(f"\\n{{{port.element_type.name}}}{port.partial_shape}" for port in node.outputs)
        color = _COLORS.get(type.name, "black")
        label = f"{_escaped(node.name)}\\n{_escaped(node.get_name())}\\n{type.version_id}::{type.name}{ports}"
        attributes = ["shape=box", f"color={color}", f'label="{label}"']
        if self._modifier is not None:
            self._modifier(node, attributes)
        return attributes


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
