"""Changes of a model's nodes that OpenVINO-style passes and preprocessing make."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from ir_plugin.model import Model, Node, Output
from ir_plugin.model.rewiring import detach, rewire
from ir_plugin.model.type_info import RTMap, plain_info
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.opsets.nodes import built, constant_node, definition_of
from ir_plugin.tensors import Array, ElementType


def build(definition: OperationClass, inputs: Sequence[Output], name: str | None = None, **attributes: Any) -> Node:
    """Return a node of an operation."""
    return built(definition_of(definition.type, definition.version), inputs, attributes, name)


def constant(
    values: Any, element_type: ElementType, name: str | None = None, rt_info: Mapping[str, Any] | None = None
) -> Output:
    """Return the output of a new constant."""
    node = constant_node(values, element_type, name)
    node.rt_info.update(copy.deepcopy(rt_info or {}))
    return node.outputs[0]


def constant_values(value: Output | None) -> Array | None:
    """Return the values of a Constant's output, None for another one."""
    return None if value is None else value.constant


def substitute(old: Output, new: Output) -> None:
    """Make all that reads an output read another one, which takes its names and information; detach what is unread."""
    names = old.names
    rewire([(reader, new) for reader in list(old.readers)])
    if names - new.names:
        new.add_names(names)
    if old.rt_info:
        new.rt_info = RTMap(plain_info(old.rt_info) | plain_info(new.rt_info))
    detach(old.node)


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


def reread(node: Node, index: int, new: Output) -> None:
    """Let one input read another output, and detach what nothing reads then."""
    old = node.input_value(index).node
    rewire([(node.inputs[index], new)])
    detach(old)


def add_nodes(graph: Model, nodes: Sequence[Node]) -> None:
    """Add nodes, such as sinks, to a model or a body."""
    present = set(graph.nodes)
    graph.nodes = [*graph.nodes, *(node for node in nodes if node not in present)]


def drop_unused(graph: Model) -> None:
    """Detach the nodes of a model that contribute to no result any more, and forget them."""
    used = set(graph.ordered())
    for node in graph.nodes:
        if node not in used:
            detach(node)
    graph.nodes = [node for node in graph.nodes if not node.is_detached]
