"""Nodes that passes build."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_plugin.model import Node, Output
from ir_plugin.model.graph import Model as Graph
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.opsets.nodes import built, constant_node, definition_of
from ir_plugin.tensors import Array, ElementType


def build(definition: OperationClass, inputs: Sequence[Output], name: str | None = None, **attributes: Any) -> Node:
    """Return a node of an operation."""
    return built(definition_of(definition.type, definition.version), inputs, attributes, name)


def constant(values: Any, element_type: ElementType, name: str | None = None) -> Output:
    """Return the output of a new constant."""
    return constant_node(values, element_type, name).outputs[0]


def constant_values(value: Output | None) -> Array | None:
    """Return the values of a Constant's output, None for another one."""
    if value is None or not value.node.is_a(Const):
        return None
    array: Array = value.node.operation.evaluate()
    return array


def substitute(old: Output, new: Output) -> None:
    """Make all that reads an output read another one, which gets the tensor names too."""
    names = old.names
    old.replace(new)
    if names - new.names:
        new.add_names(names)


def bypass(old: Output, new: Output) -> bool:
    """Make all that reads an output read another one, unless an output of the model would lose its name by that.

    A node whose output a Result reads passes its name on; a Parameter, or a node that a Result reads, keeps its own.
    """
    if _is_result(old):
        is_free = len(old.node.outputs) == len(new.node.outputs) == 1 and not _is_result(new)
        if not is_free or new.node.is_a(Parameter):
            return False
        new.node.name = old.node.name
    substitute(old, new)
    return True


def _is_result(port: Output) -> bool:
    return any(reader.node.is_a(Result) for reader in port.readers)


def add_nodes(graph: Graph, nodes: Sequence[Node]) -> None:
    """Add nodes, such as sinks, to a model or a body."""
    present = set(graph.nodes)
    graph.nodes = [*graph.nodes, *(node for node in nodes if node not in present)]
