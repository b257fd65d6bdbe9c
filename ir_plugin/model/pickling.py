"""Pickling of nodes and ports without their model and operation, with the ports they read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ir_plugin.tensors import TensorInfo

_FIELDS = ("attributes", "rt_info", "path")


def node_arguments(node: Any) -> tuple[Any, ...]:
    """Return the arguments of `restore_node` after the classes."""
    fields = {name: getattr(node, name) for name in _FIELDS}
    return _identity(node), fields, list(map(_input_arguments, node.inputs)), list(map(_output_arguments, node.outputs))


def _identity(node: Any) -> tuple[str, str, str, str]:
    return node.id, node.name, node.type, node.version


def _input_arguments(port: Any) -> tuple[Any, ...]:
    source = port.source
    producer = None if source is None else (_identity(source.node), _output_arguments(source))
    return producer, port.index, port.port_id, port.declared


def _output_arguments(port: Any) -> tuple[Any, ...]:
    type_and_shape = port.tensor_info.element_type, port.tensor_info.shape
    return type(port), port.index, port.port_id, port.declared, frozenset(port.names), port.rt_info, type_and_shape


def restore_node(
    create: Callable[..., Any],
    input_class: Callable[..., Any],
    identity: tuple[str, str, str, str],
    fields: dict[str, Any],
    inputs: Sequence[tuple[Any, ...]],
    outputs: Sequence[tuple[Any, ...]],
) -> Any:
    """Return a node without a model."""
    node = create(*identity)
    for name, value in fields.items():
        setattr(node, name, value)
    for producer, *arguments in inputs:
        port = input_class(node, *arguments)
        if producer is not None:
            producer_identity, source = producer
            port.source = restore_output(create(*producer_identity), *source)
        node.inputs.append(port)
    node.outputs.extend(restore_output(node, *arguments) for arguments in outputs)
    return node


def restore_output(
    node: Any, output_class: Callable[..., Any], index: int, port_id: int, declared: Any, names: Any, *state: Any
) -> Any:
    """Return an output of a node without a model."""
    port = output_class(node, index, port_id, declared, names)
    port.rt_info, type_and_shape = state
    port.tensor_info = TensorInfo(*type_and_shape)
    return port


def port_of(node: Any, direction: str, index: int) -> Any:
    """Return a port of a node without a model."""
    return node.inputs[index] if direction == "input" else node.outputs[index]


def reduced_output(port: Any) -> tuple[Any, ...]:
    """Return the reduction of an output: as an output of its node, or alone if it belongs to a compiled model."""
    if any(port is output for output in port.node.outputs):
        return port_of, (port.node, "output", port.index)
    return restore_output, (port.node, *_output_arguments(port))
