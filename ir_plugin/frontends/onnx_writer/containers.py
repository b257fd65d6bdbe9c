"""Sequences and optional values, which ONNX has and OpenVINO lacks."""

from __future__ import annotations

from ir_plugin.frontends.onnx.types import number_of
from ir_plugin.frontends.onnx_writer.graph import type_proto
from ir_plugin.frontends.onnx_writer.layer import Layer
from ir_plugin.frontends.onnx_writer.registry import Write, writes
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.containers import optionals, sequences


@writes(sequences.SequenceConstruct)
def sequence_construct(layer: Layer) -> str:
    """Return SequenceConstruct, or SequenceEmpty without items."""
    sequence = layer.output_info().element_type
    if not layer.inputs:
        return layer.emit("SequenceEmpty", result=sequence, dtype=number_of(layer.operation.element_type))
    return layer.emit("SequenceConstruct", *layer.inputs, result=sequence)


_SAME = {
    sequences.SequenceAt: "SequenceAt",
    sequences.SequenceInsert: "SequenceInsert",
    sequences.SequenceErase: "SequenceErase",
    sequences.SequenceLength: "SequenceLength",
    optionals.OptionalHasElement: "OptionalHasElement",
    optionals.OptionalGetElement: "OptionalGetElement",
}
"""Operations without attributes, with the inputs and outputs that ONNX has."""


def _same(op: str) -> Write:
    """Return a writer of the operator of this name."""

    def write(layer: Layer) -> str:
        return layer.emit(op, *layer.inputs, result=layer.output_info().element_type)

    return write


def _register(operators: dict[OperationClass, str]) -> None:
    for definition, op in operators.items():
        writes(definition)(_same(op))


_register(_SAME)


@writes(sequences.SplitToSequence)
def split_to_sequence(layer: Layer) -> str:
    """Return SplitToSequence."""
    operation = layer.operation
    return layer.emit(
        "SplitToSequence",
        *layer.inputs,
        result=layer.output_info().element_type,
        axis=operation.axis,
        keepdims=int(operation.keepdims),
    )


@writes(sequences.ConcatFromSequence)
def concat_from_sequence(layer: Layer) -> str:
    """Return ConcatFromSequence."""
    operation = layer.operation
    return layer.emit(
        "ConcatFromSequence",
        layer.inputs[0],
        result=layer.output_info().element_type,
        axis=operation.axis,
        new_axis=int(operation.new_axis),
    )


@writes(optionals.Optional)
def optional(layer: Layer) -> str:
    """Return Optional, which without an input names the type of its value."""
    result = layer.output_info().element_type
    if layer.inputs:
        return layer.emit("Optional", layer.inputs[0], result=result)
    return layer.emit("Optional", result=result, type=type_proto(layer.operation.element_type))
