"""Constant folding as OpenVINO's preprocessing does it: what decompresses weights, or asks for a shape, stays."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.errors import Error
from ir_plugin.model import Model, Node
from ir_plugin.model.graph import order_of
from ir_plugin.operations.base import compute
from ir_plugin.preprocess.rewriting import constant_of, new_constant, substitute
from ir_plugin.tensors import Array

_KEPT = frozenset(
    [
        "Constant",
        "Parameter",
        "Result",
        "Assign",
        "ReadValue",
        "FakeQuantize",
        "FakeConvert",
        "RandomUniform",
        "ShapeOf",
    ]
)
_RESHAPING = frozenset(["Reshape", "Squeeze", "Unsqueeze"])
_ZERO_POINTS = frozenset(["Subtract", "Convert", "Reshape"])


def fold_constants(model: Model) -> None:
    """Replace nodes of which all inputs are Constants by Constants of their names.

    Constants that are reshaped to a known shape need no other input to be one.
    """
    for node in order_of(model)[0]:
        inputs = [constant_of(port.source) for port in node.inputs]
        arrays = [array for array in inputs if array is not None]
        if node.get_type_name() in _RESHAPING and inputs[0] is not None and node.outputs[0].partial_shape.is_static:
            _replace(node, [inputs[0].reshape(list(node.outputs[0].shape))])
        elif arrays and len(arrays) == len(node.inputs) and _may_fold(node):
            _fold(node, arrays)


def _may_fold(node: Node) -> bool:
    operation = node.operation
    if operation is None or operation.stateful or operation.subgraphs or node.get_type_name() in _KEPT:
        return False
    return node.get_type_name() != "Convert" or not decompresses(node)


def decompresses(node: Node) -> bool:
    """Return whether a Convert turns compressed weights into floats: those of half precision, or scaled integers."""
    before, after = node.inputs[0].element_type, node.outputs[0].element_type
    if not after.is_real:
        return False
    return before.name in ("f16", "bf16") or (before.bits <= 8 and before.kind != "bool" and _is_scaled(node))


def _is_scaled(node: Node) -> bool:
    """Return whether a Multiply reads a node, perhaps behind the subtraction of a zero point."""
    readers = [reader.node for port in node.outputs for reader in port.readers]
    kinds = [reader.get_type_name() for reader in readers]
    return "Multiply" in kinds or any(
        _is_scaled(reader) for reader, kind in zip(readers, kinds, strict=True) if kind in _ZERO_POINTS
    )


def _fold(node: Node, arrays: list[Array]) -> None:
    types = tuple(port.element_type for port in node.inputs)
    operation = node.operation.specialize(types, tuple(port.element_type for port in node.outputs))
    try:
        values = compute(operation, arrays)
    except Error:
        return
    _replace(node, values)


def _replace(node: Node, values: Sequence[Array]) -> None:
    for port, array in zip(node.outputs, values, strict=True):
        if port.readers:
            folded = new_constant(array, port, node.rt_info)
            folded.name = node.name if len(node.outputs) == 1 else f"{node.name}.{port.index}"
            substitute(port, folded.outputs[0])
