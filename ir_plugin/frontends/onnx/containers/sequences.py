"""SequenceConstruct, SequenceEmpty, SequenceAt, and the other operators on sequences."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import extension
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.tensors import ElementType


@translates("SequenceConstruct", 11)
def sequence_construct(node: OnnxNode) -> Node:
    """Return SequenceConstruct of the extension."""
    return extension("SequenceConstruct", node.present())


@translates("SequenceEmpty", 11)
def sequence_empty(node: OnnxNode) -> Node:
    """Return SequenceConstruct of the extension without inputs."""
    return extension("SequenceConstruct", [], element_type=node.attributes.element_type("dtype", ElementType.f32))


@translates("SequenceAt", 11)
def sequence_at(node: OnnxNode) -> Node:
    """Return SequenceAt of the extension."""
    return extension("SequenceAt", [node.input(0), node.input(1)])


@translates("SequenceInsert", 11)
def sequence_insert(node: OnnxNode) -> Node:
    """Return SequenceInsert of the extension."""
    position = [node.input(2)] if node.has(2) else []
    return extension("SequenceInsert", [node.input(0), node.input(1), *position])


@translates("SequenceErase", 11)
def sequence_erase(node: OnnxNode) -> Node:
    """Return SequenceErase of the extension."""
    position = [node.input(1)] if node.has(1) else []
    return extension("SequenceErase", [node.input(0), *position])


@translates("SequenceLength", 11)
def sequence_length(node: OnnxNode) -> Node:
    """Return SequenceLength of the extension."""
    return extension("SequenceLength", [node.input(0)])


@translates("SplitToSequence", 11)
def split_to_sequence(node: OnnxNode) -> Node:
    """Return SplitToSequence of the extension."""
    attributes = node.attributes
    split = [node.input(1)] if node.has(1) else []
    return extension(
        "SplitToSequence", [node.input(0), *split], axis=attributes.int("axis"), keepdims=attributes.flag("keepdims")
    )


@translates("ConcatFromSequence", 11)
def concat_from_sequence(node: OnnxNode) -> Node:
    """Return ConcatFromSequence of the extension."""
    axis, new_axis = node.attributes.int("axis"), node.attributes.flag("new_axis")
    return extension("ConcatFromSequence", [node.input(0)], axis=axis, new_axis=new_axis)
