"""Nodes that are built in place, or changed: constructors of `op`, attributes, inferred outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_plugin.errors import InputError, ValidationError
from ir_plugin.model import Input, Node, Output
from ir_plugin.model.edge_changes import EDGE_CHANGES
from ir_plugin.model.graph import connect
from ir_plugin.model.node import new_id
from ir_plugin.model.rewiring import attach
from ir_plugin.operations.base import Operation
from ir_plugin.operations.infrastructure.loop import Loop
from ir_plugin.opsets.constants import constant_of
from ir_plugin.opsets.nodes import (
    connect_inputs,
    default_fields,
    definition_of,
    inferred_outputs,
    output_of,
    parsed_attribute,
)
from ir_plugin.schema.catalogue import standard
from ir_plugin.tensors import ElementType, PartialShape, TensorInfo

_BUILT_STEP_BY_STEP = ("If", "Loop", "TensorIterator")


def initialize(
    node: Node, type: str, version: int, inputs: Sequence[Any], values: Mapping[str, Any] | None = None, name: str = ""
) -> None:
    """Make an object a node of an operation, with its inputs and inferred outputs."""
    sources = [output_of(value, type) for value in inputs]
    initialize_empty(node, type, version, values or {}, name)
    if type not in _BUILT_STEP_BY_STEP:
        connect_inputs(node, sources)
        return
    for source in sources:
        port = Input(node, len(node.inputs), len(node.inputs))
        node.inputs.append(port)
        connect(source, port)


def initialize_empty(node: Node, type: str, version: int, values: Mapping[str, Any], name: str = "") -> None:
    """Make an object a node of an operation without ports."""
    definition = definition_of(type, f"opset{version}")
    fields = default_fields(standard().interface(definition)) | dict(values)
    _set_identity(node, definition.cls(**fields), type, name)


def initialize_constant(node: Node, *arguments: Any, **named: Any) -> None:
    """Make an object a Constant, of any of the forms that `op.Constant` takes."""
    _set_identity(node, constant_of(*arguments, **named), "Constant", "")
    connect_inputs(node, [])


def _set_identity(node: Node, operation: Operation, type: str, name: str) -> None:
    id = new_id()
    node.initialize(id, name or f"{type}_{id}", operation.type, operation.version, operation)


def update_outputs(node: Node) -> None:
    """Infer the outputs of a node again; raises where the inputs do not fit, and changes nothing."""
    tensors = inferred_outputs(node)
    for index in range(len(node.outputs), len(tensors)):
        node.outputs.append(Output(node, index, len(node.inputs) + index))
    for port, tensor in zip(node.outputs, tensors, strict=False):
        port.tensor_info = tensor


def replace_inputs(node: Node, sources: Sequence[Output]) -> None:
    """Let a node read these outputs and no others, and infer its own; an error changes nothing."""
    before = list(node.inputs)
    after = [Input(node, index, index) for index in range(len(sources))]
    for port, source in zip(after, sources, strict=True):
        port.source = source
    node.inputs[:] = after
    try:
        update_outputs(node)
    except ValidationError as fault:
        node.inputs[:] = before
        raise InputError(str(fault)) from None
    for port in [] if node.is_detached else before:
        if port.source is not None:
            port.source.readers.remove(port)
    for port, source in zip(after, sources, strict=True):
        attach(source.node)
        if not node.is_detached:
            source.readers.append(port)
    EDGE_CHANGES.advance()


def iteration_count(node: Node) -> int:
    """Return how often a Loop or TensorIterator executes its body, -1 where that is not known before the run."""
    inputs: list[TensorInfo | None] = [port.tensor_info for port in node.inputs]
    if isinstance(node.operation, Loop):
        return node.operation.known_count(inputs)
    counts: list[int] = node.operation.slice_counts(inputs)
    return counts[0] if counts else -1


def set_attribute(node: Node, name: str, value: Any) -> None:
    """Change an attribute; the outputs change when they are inferred again."""
    operation = node.operation
    if operation is None:
        raise InputError(f'"{node.name}" ({node.type}) is of an unknown type; its attributes cannot be changed')
    if operation.type == "Const":
        raise InputError(f'"{node.name}" is a Constant; build another one, and let what reads it read that')
    field, parsed = parsed_attribute(definition_of(operation.type, operation.version), name, value)
    setattr(operation, field, parsed)
    if operation.type == "Parameter":
        node.outputs[0].tensor_info = TensorInfo(operation.element_type, operation.shape)


def set_output_type(node: Node, index: int, element_type: ElementType, shape: PartialShape) -> None:
    """Set the type and shape of an output, which hold until they are inferred again."""
    if index >= len(node.outputs):
        set_output_size(node, index + 1)
    node.output(index).tensor_info = TensorInfo(ElementType(element_type), PartialShape(shape))


def set_output_size(node: Node, size: int) -> None:
    """Set the number of outputs; new ones are of unknown type and shape."""
    for port in node.outputs[size:]:
        if port.readers:
            raise InputError(f'output {port.index} of "{node.name}" is read by "{port.readers[0].node.name}"')
    del node.outputs[size:]
    for index in range(len(node.outputs), size):
        node.outputs.append(Output(node, index, len(node.inputs) + index))
