"""Pickling of nodes and ports without their model and operation, with the ports they read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ir_plugin.tensors import TensorInfo

if TYPE_CHECKING:
    from ir_plugin.model.node import Node
    from ir_plugin.model.ports import Input, Output

_FIELDS = ("attributes", "rt_info", "path")


def node_arguments(node: Node) -> tuple[Any, ...]:
    """Return the arguments of `restore_node`."""
    fields = {name: getattr(node, name) for name in _FIELDS}
    return _identity(node), fields, list(map(_input_arguments, node.inputs)), list(map(_output_arguments, node.outputs))


def _identity(node: Node) -> tuple[str, str, str, str]:
    return node.id, node.name, node.type, node.version


def _input_arguments(port: Input) -> tuple[Any, ...]:
    source = port.source
    producer = None if source is None else (_identity(source.node), _output_arguments(source))
    return producer, port.index, port.port_id, port.declared


def _output_arguments(port: Output) -> tuple[Any, ...]:
    type_and_shape = port.tensor_info.element_type, port.tensor_info.shape
    return type(port), port.index, port.port_id, port.declared, frozenset(port.names), port.rt_info, type_and_shape


def restore_node(
    identity: tuple[str, str, str, str],
    fields: dict[str, Any],
    inputs: Sequence[tuple[Any, ...]],
    outputs: Sequence[tuple[Any, ...]],
) -> Node:
    """Return a node without a model."""
    from ir_plugin.model.node import Node

    node = Node.of(*identity)
    for name, value in fields.items():
        setattr(node, name, value)
    node.inputs.extend(_restored_input(node, *arguments) for arguments in inputs)
    node.outputs.extend(restore_output(node, *arguments) for arguments in outputs)
    return node


def _restored_input(node: Node, producer: tuple[Any, Any] | None, *arguments: Any) -> Input:
    from ir_plugin.model.node import Node
    from ir_plugin.model.ports import Input

    port = Input(node, *arguments)
    if producer is not None:
        identity, source = producer
        port.source = restore_output(Node.of(*identity), *source)
    return port


def restore_output(
    node: Node, kind: type[Output], index: int, port_id: int, declared: Any, names: frozenset[str], *state: Any
) -> Output:
    """Return an output of a node without a model."""
    port = kind(node, index, port_id, declared, names)
    port.rt_info, type_and_shape = state
    port.tensor_info = TensorInfo(*type_and_shape)
    return port


def port_of(node: Node, direction: str, index: int) -> Input | Output:
    """Return a port of a node without a model."""
    return node.inputs[index] if direction == "input" else node.outputs[index]


def reduced_output(port: Output) -> tuple[Any, ...]:
    """Return the reduction of an output: as an output of its node, or alone if it belongs to a compiled model."""
    if any(port is output for output in port.node.outputs):
        return port_of, (port.node, "output", port.index)
    return restore_output, (port.node, *_output_arguments(port))
