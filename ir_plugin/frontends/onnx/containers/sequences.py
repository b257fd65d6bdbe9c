"""SequenceConstruct, SequenceEmpty, SequenceAt, and the other operators on sequences.

Where the items of a sequence are known while a model is read, they are used themselves, so that OpenVINO's opsets
suffice: the item at a known position, or Concat of all items.
"""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, extension, i64, normalized, output
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType

_MAX_PARTS = 256
"""The largest number of parts of a known number for which there is an output each."""


def _items(node: OnnxNode) -> list[Output] | None:
    """Return the items of the sequence that is the first input, None where they are not known."""
    source = node.input(0).node
    if source.type != "SequenceConstruct" or not source.inputs:
        return None
    sources = [port.source for port in source.inputs]
    return [item for item in sources if item is not None]


def _position(node: OnnxNode, index: int, length: int, default: int) -> int | None:
    """Return a position from the front, `default` for an absent input; None where it is unknown or outside."""
    if not node.has(index):
        return default
    value = node.constant(index)
    if value is None or value.size != 1:
        return None
    position = int(value.reshape(()))
    position += length if position < 0 else 0
    return position if 0 <= position < max(length, default + 1) else None


@translates("SequenceConstruct", 11)
def sequence_construct(node: OnnxNode) -> Node:
    """Return SequenceConstruct of the extension."""
    return extension("SequenceConstruct", node.present())


@translates("SequenceEmpty", 11)
def sequence_empty(node: OnnxNode) -> Node:
    """Return SequenceConstruct of the extension without inputs."""
    return extension("SequenceConstruct", [], element_type=node.attributes.element_type("dtype", ElementType.f32))


@translates("SequenceAt", 11)
def sequence_at(node: OnnxNode) -> Value:
    """Return the item, or SequenceAt of the extension."""
    items = _items(node)
    position = None if items is None else _position(node, 1, len(items), len(items) - 1)
    if items is not None and position is not None:
        return items[position]
    return extension("SequenceAt", [node.input(0), node.input(1)])


@translates("SequenceInsert", 11)
def sequence_insert(node: OnnxNode) -> Node:
    """Return SequenceConstruct with another item, or SequenceInsert of the extension."""
    items, item = _items(node), node.input(1)
    position = None if items is None else _position(node, 2, len(items), len(items))
    if items is not None and position is not None:
        return extension("SequenceConstruct", [*items[:position], item, *items[position:]])
    return extension("SequenceInsert", [node.input(0), item, *([node.input(2)] if node.has(2) else [])])


@translates("SequenceErase", 11)
def sequence_erase(node: OnnxNode) -> Node:
    """Return SequenceConstruct without an item, or SequenceErase of the extension."""
    items = _items(node)
    position = None if items is None else _position(node, 1, len(items), len(items) - 1)
    if items is not None and position is not None:
        kind = items[0].tensor_info.element_type
        return extension("SequenceConstruct", [*items[:position], *items[position + 1 :]], element_type=kind)
    return extension("SequenceErase", [node.input(0), *([node.input(1)] if node.has(1) else [])])


@translates("SequenceLength", 11)
def sequence_length(node: OnnxNode) -> Node:
    """Return the number of known items, or SequenceLength of the extension."""
    items = _items(node)
    return extension("SequenceLength", [node.input(0)]) if items is None else constant_of(np.array(len(items)))


@translates("SplitToSequence", 11)
def split_to_sequence(node: OnnxNode) -> Node:
    """Return SequenceConstruct of the outputs of VariadicSplit-1, or SplitToSequence of the extension."""
    attributes, data = node.attributes, node.input(0)
    axis, keeps = attributes.int("axis"), attributes.flag("keepdims") or node.has(1)
    lengths = _lengths(node, axis)
    if lengths is None or not 0 < len(lengths) <= _MAX_PARTS:
        split = [node.input(1)] if node.has(1) else []
        return extension("SplitToSequence", [data, *split], axis=axis, keepdims=attributes.flag("keepdims"))
    parts: list[Value] = list(ops.variadic_split(data, i64(axis), i64(lengths)).outputs)
    return extension("SequenceConstruct", parts if keeps else [ops.squeeze(part, i64([axis])) for part in parts])


def _lengths(node: OnnxNode, axis: int) -> list[int] | None:
    """Return the lengths of the parts if they are known and cover the axis."""
    shape = node.input(0).tensor_info.shape
    if shape.dims is None or shape[normalized(axis, len(shape))].is_dynamic:
        return None
    length = int(shape[axis])
    if not node.has(1):
        return [1] * length
    split = node.constant(1)
    if split is None:
        return None
    if split.ndim == 0:
        part = int(split)
        return [min(part, length - start) for start in range(0, length, part)] if part > 0 else None
    lengths: list[int] = split.reshape(-1).tolist()
    return lengths if min(lengths, default=0) >= 0 and sum(lengths) == length else None


@translates("ConcatFromSequence", 11)
def concat_from_sequence(node: OnnxNode) -> Node:
    """Return Concat-1 of known items, or ConcatFromSequence of the extension."""
    axis, new_axis = node.attributes.int("axis"), node.attributes.flag("new_axis")
    items = _items(node)
    if items is None:
        return extension("ConcatFromSequence", [node.input(0)], axis=axis, new_axis=new_axis)
    return ops.concat([output(ops.unsqueeze(item, i64([axis]))) for item in items] if new_axis else items, axis)
