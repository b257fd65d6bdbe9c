"""Const layers: their ranges of the weights, checked in Python ints before anything is read."""

from __future__ import annotations

from functools import partial
from math import prod

from lxml import etree

from ir_plugin.errors import Error, PackingError
from ir_plugin.model import Node
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.reader.reading import ConstantRange, ElementOrigin, Reading
from ir_plugin.reader.weights import Weights
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import packed_size

_REQUIRED = ("element_type", "shape", "offset", "size")


def attach_constant(reading: Reading, node: Node, layer: etree._Element) -> None:
    """Attach a constant's values in the weights to its layer, or report why they cannot be read."""
    const: Const = node.operation
    data = layer.find("data")
    if data is None or any(data.get(name) is None for name in _REQUIRED):
        reading.constants.is_complete = False
        if not reading.strict:
            message = "the constant lacks one of element_type, shape, offset and size"
            reading.report("IR103", message, layer, layer=node.ref())
        return
    if not _is_readable(reading, node, data, const):
        reading.constants.is_complete = False
        return
    is_in_bounds = attach_range(reading, node, reading.origin(layer), used_bytes(const))
    if is_in_bounds and const.element_type is ElementType.string:
        _check_strings(reading, node, data, const)


def attach_range(reading: Reading, node: Node, origin: ElementOrigin, used: int) -> bool:
    """Attach a constant's bytes in the weights, of which it uses some, and return whether they are there."""
    const: Const = node.operation
    range = ConstantRange(const.offset, const.size, node, origin, used)
    weights, constants = reading.weights, reading.constants
    if weights.is_missing:
        constants.without_weights.append(range)
        return False
    if range.end > len(weights):
        constants.out_of_bounds.append(range)
        return False
    constants.in_bounds.append(range)
    const.load = partial(_load, weights, node, const.offset, const.size, const.element_type, const.shape)
    const.load_packed = partial(weights.packed, const.offset, const.size)
    const.backing = weights
    return True


def used_bytes(operation: object) -> int:
    """Return the number of bytes that a constant's values occupy, 0 for another operation."""
    return min(operation.size, _most_bytes(operation)) if isinstance(operation, Const) else 0


def is_sound(const: Const) -> bool:
    """Return whether type, shape and size of a constant of numbers agree."""
    if const.element_type.is_dynamic or const.element_type is ElementType.string:
        return False
    return _required_bytes(const.element_type, const.shape) <= const.size <= _most_bytes(const)


def _is_readable(reading: Reading, node: Node, data: etree._Element, const: Const) -> bool:
    """Return whether type, shape and size are valid and agree; otherwise report why not."""
    if node in reading.refused:
        return False
    if const.element_type.is_dynamic:
        message = "a constant cannot have the element type dynamic"
        help = "write the element type of the values, which the output port declares"
        where = node.ref('attribute "element_type"')
        reading.report("IR102", message, data, attribute="element_type", layer=where, help=help)
        return False
    required = _required_bytes(const.element_type, const.shape)
    count = prod(const.shape)
    least = "at least " if const.element_type is ElementType.string else ""
    because = f"{count} elements of {const.element_type.name} take {least}{required} bytes"
    message = f"the constant has {const.size} bytes; its shape needs {least}{required}"
    if const.size < required:
        help = "correct shape, element_type or size"
        if _declared_size(node) == const.size:
            help = "correct shape or element_type: what the output port declares takes just as many bytes"
        where = node.ref('attribute "size"')
        reading.report("IR403", message, data, attribute="size", layer=where, because=because, help=help)
        return False
    is_in_bounds = const.offset + const.size <= len(reading.weights)
    if reading.strict and is_in_bounds and const.size > _most_bytes(const) and _declared_size(node) != const.size:
        reading.report("IR404", message, data, attribute="size", layer=node.ref('attribute "size"'), because=because)
    return True


def _most_bytes(const: Const) -> int:
    """Return the most bytes that the values of a constant can occupy."""
    if const.element_type is ElementType.string:
        return const.size
    return max(packed_size(const.element_type, prod(const.shape)), 1)


def _declared_size(node: Node) -> int:
    """Return the bytes of the type and shape that the output port declares; -1 if they are incomplete or strings."""
    declared = node.outputs[0].declared if node.outputs else None
    if declared is None or declared.element_type is None or declared.shape is None or declared.shape.is_dynamic:
        return -1
    if declared.element_type is ElementType.string:
        return -1
    return packed_size(declared.element_type, declared.shape.size.upper, minimum=True)


def _required_bytes(element_type: ElementType, shape: tuple[int, ...]) -> int:
    count = prod(shape)
    return 4 * (count + 2) if element_type is ElementType.string else packed_size(element_type, count, minimum=True)


def _check_strings(reading: Reading, node: Node, data: etree._Element, const: Const) -> None:
    try:
        reading.weights.load(const.offset, const.size, const.element_type, const.shape)
    except PackingError as fault:
        const.load = None
        reading.report("IR407", f"the content of the constant is malformed: {fault}", data, layer=node.ref())


def _load(
    weights: Weights, node: Node, offset: int, size: int, element_type: ElementType, shape: tuple[int, ...]
) -> Array:
    try:
        return weights.load(offset, size, element_type, shape)
    except Error as fault:
        raise Error(f'the constant "{node.name}" (id {node.id}) cannot be read: {fault}', fault.findings) from None
