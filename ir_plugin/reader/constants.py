"""Const layers: their place in the weights, checked in Python ints before anything is read."""

from __future__ import annotations

from functools import partial
from math import prod

from lxml import etree

from ir_plugin.errors import Error
from ir_plugin.model import Node
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.reader.reading import Reading
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import packed_size


def attach_constant(reading: Reading, node: Node, layer: etree._Element) -> None:
    """Let a constant read its values from the weights, after checking that they are there."""
    const: Const = node.operation
    data = layer.find("data")
    if data is None or any(data.get(name) is None for name in ("element_type", "shape", "offset", "size")):
        _report_incomplete(reading, node, layer)
        return
    if const.element_type.is_dynamic:
        message = "a constant cannot have the element type dynamic"
        reading.report("IR102", message, data, attribute="element_type", layer=node.ref('attribute "element_type"'))
        return
    if _is_in_weights(reading, node, data, const):
        reading.constants.append((const.offset, const.offset + const.size))
        const.load = partial(_load, reading, node, const.offset, const.size, const.element_type, const.shape)


def _report_incomplete(reading: Reading, node: Node, layer: etree._Element) -> None:
    if not reading.strict:
        message = "the constant lacks one of element_type, shape, offset and size"
        reading.report("IR103", message, layer, layer=node.ref())


def _is_in_weights(reading: Reading, node: Node, data: etree._Element, const: Const) -> bool:
    needed = _needed(const.element_type, const.shape)
    count = prod(const.shape)
    because = f"{count} elements of {const.element_type} take {needed} bytes"
    if const.size < needed:
        message = f"the constant has {const.size} bytes; its shape needs {needed}"
        reading.report(
            "IR403", message, data, attribute="size", layer=node.ref('attribute "size"'), because=because,
            help="correct shape, element_type or size",
        )  # fmt: skip
        return False
    if reading.weights.is_missing:
        where = reading.weights.path or "given as an argument"
        message = "the constant needs the weights file, which is missing"
        reading.report("IR401", message, data, attribute="offset", layer=node.ref(), help=f"expected: {where}")
        return False
    end, length = const.offset + const.size, len(reading.weights)
    if end > length:
        message = f"the constant ends at byte {end}; the weights have {length} bytes"
        because = f"offset {const.offset} + size {const.size} = {end}"
        help = "the weights file is truncated or belongs to another model, or offset and size are wrong"
        reading.report(
            "IR402", message, data, attribute="offset", layer=node.ref('attribute "offset"'), because=because, help=help
        )
        return False
    padded = packed_size(const.element_type, count)
    if reading.strict and const.size > max(padded, 1) and const.element_type is not ElementType.string:
        message = f"the constant has {const.size} bytes; its shape needs {needed}"
        reading.report("IR404", message, data, attribute="size", layer=node.ref('attribute "size"'), because=because)
    return True


def _needed(element_type: ElementType, shape: tuple[int, ...]) -> int:
    count = prod(shape)
    return 4 * (count + 2) if element_type is ElementType.string else packed_size(element_type, count, minimum=True)


def _load(
    reading: Reading, node: Node, offset: int, size: int, element_type: ElementType, shape: tuple[int, ...]
) -> Array:
    try:
        return reading.weights.load(offset, size, element_type, shape)
    except Error as fault:
        raise Error(f'the constant "{node.name}" (id {node.id}) is malformed: {fault}') from None
