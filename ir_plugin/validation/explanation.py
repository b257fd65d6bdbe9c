"""The single attribute that explains why a layer contradicts its ports and those that read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from math import prod
from typing import Any

from ir_plugin.diagnostics import AttributeEdit
from ir_plugin.errors import Error
from ir_plugin.model import Declared, Input, Node, Output
from ir_plugin.tensors import ElementType, PartialShape, TensorInfo
from ir_plugin.validation.inference import Inference

_SMALL = range(5)
"""The whole numbers that strides, pads and the like usually have."""
_LONGEST = 8
"""The most elements of a list of which single ones are tried."""


def differs(declared: Declared, tensor: TensorInfo) -> bool:
    """Return whether a declaration contradicts a tensor."""
    shape, type = declared.shape, declared.element_type
    other_shape = shape is not None and not shape.compatible(tensor.shape)
    return other_shape or (type is not None and type.merge(tensor.element_type) is None)


def confirming(port: Output, tensor: TensorInfo) -> list[Input]:
    """Return the inputs that read an output and declare what it declares; none if one declares the inferred tensor."""
    declared = declared_info(port)
    contradicting = [reader for reader in port.readers if differs(reader.declared, tensor)]
    readers = [reader for reader in contradicting if not differs(reader.declared, declared)]
    says_otherwise = any(
        differs(reader.declared, declared) and not differs(reader.declared, tensor) for reader in port.readers
    )
    return [] if says_otherwise else readers


def declared_info(port: Output) -> TensorInfo:
    """Return the tensor that an output declares, unknown in what it does not declare."""
    declared = port.declared
    return TensorInfo(declared.element_type or ElementType.dynamic, declared.shape or PartialShape(None))


def refusal(inference: Inference, readers: Sequence[Input]) -> str:
    """Return why the first reader that does not fit the inferred tensors does not, or an empty string."""
    for reader in readers:
        if reader.node.operation is not None and reader.node.outputs:
            try:
                inference.infer(reader.node, inference.inputs_of(reader.node))
            except Error as fault:
                return f'as inferred, "{reader.node.name}" does not fit: {getattr(fault, "message", fault)}'
    return ""


def explaining_edits(inference: Inference, node: Node) -> tuple[AttributeEdit, ...]:
    """Return the changes of one attribute each with which a layer has the outputs that it declares."""
    if node.operation is None or node.operation.subgraphs:
        return ()
    edits = []
    for name, text in node.attributes.items():
        values = _candidates(node, getattr(node.operation, name, None))
        value = next((value for value in values if _gives_declared(inference, node, name, value)), None)
        if value is not None:
            edits.append(AttributeEdit(name, _written(value, text)))
    return tuple(edits)


def _candidates(node: Node, value: Any) -> Iterator[Any]:
    """Yield other values of an attribute: what the ports declare, else small numbers and the other truth."""
    declared = declared_info(node.outputs[0])
    match value:
        case bool():
            yield not value
        case int():
            yield from sorted((*_SMALL, -1), key=lambda number: abs(number - value))
        case ElementType():
            yield from [declared.element_type] if declared.element_type.is_static else []
        case PartialShape():
            yield declared.shape
        case tuple() if value and all(type(item) is int for item in value):
            yield from _lists(value, declared.shape)


def _lists(value: tuple[int, ...], shape: PartialShape) -> Iterator[tuple[int, ...]]:
    """Yield the declared shape, then lists of small numbers, the nearest to the value first."""
    if shape.is_static and prod(shape.lengths()) == prod(value):
        yield shape.lengths()
    lists = [(number,) * len(value) for number in _SMALL]
    for position in range(len(value) if len(value) <= _LONGEST else 0):
        lists += [(*value[:position], number, *value[position + 1 :]) for number in _SMALL]
    yield from sorted(lists, key=lambda numbers: sum(abs(a - b) for a, b in zip(numbers, value, strict=True)))


def _gives_declared(inference: Inference, node: Node, name: str, value: Any) -> bool:
    if value == getattr(node.operation, name):
        return False
    changed = copy(node)
    changed.operation = copy(node.operation)
    setattr(changed.operation, name, value)
    try:
        outputs = inference.infer(changed, inference.inputs_of(node))
    except Error:
        return False
    finally:
        inference.departures.pop(changed, None)
    pairs = list(zip(node.outputs, outputs, strict=False))
    return len(pairs) == len(node.outputs) and not any(differs(port.declared, tensor) for port, tensor in pairs)


def _written(value: Any, text: str) -> str:
    """Return a value as the file spells its present one."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, ElementType):
        return value.precision if text.isupper() else value.name
    if isinstance(value, PartialShape):
        value = tuple(str(dim) for dim in value)
    if isinstance(value, tuple):
        return (", " if ", " in text else ",").join(map(str, value))
    return str(value)
