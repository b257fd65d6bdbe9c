"""Constant folding as OpenVINO's preprocessing does it: what decompresses weights, or asks for a shape, stays."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.errors import Error
from ir_plugin.model import Model, Node
from ir_plugin.model.graph import order_of
from ir_plugin.operations.arithmetic.binary import Multiply, Subtract
from ir_plugin.operations.base import compute
from ir_plugin.operations.generation.random_uniform import RandomUniform
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.operations.quantization.fake_convert import FakeConvert
from ir_plugin.operations.quantization.fake_quantize import FakeQuantize
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.operations.type.convert import Convert
from ir_plugin.preprocess.rewriting import constant_of, new_constant, substitute
from ir_plugin.tensors import Array

_KEPT = (Const, Parameter, Result, Assign, ReadValue, FakeQuantize, FakeConvert, RandomUniform, ShapeOf)
_RESHAPING = (Reshape, Squeeze, Unsqueeze)
_ZERO_POINTS = (Subtract, Convert, Reshape)


def fold_constants(model: Model) -> None:
    """Replace nodes of which all inputs are Constants by Constants of their names.

    Constants that are reshaped to a known shape need no other input to be one.
    """
    for node in order_of(model)[0]:
        inputs = [constant_of(port.source) for port in node.inputs]
        arrays = [array for array in inputs if array is not None]
        if node.is_a(*_RESHAPING) and inputs[0] is not None and node.outputs[0].partial_shape.is_static:
            _replace(node, [inputs[0].reshape(list(node.outputs[0].shape))])
        elif arrays and len(arrays) == len(node.inputs) and _may_fold(node):
            _fold(node, arrays)


def _may_fold(node: Node) -> bool:
    operation = node.operation
    if operation is None or operation.stateful or operation.subgraphs or node.is_a(*_KEPT):
        return False
    return not node.is_a(Convert) or not decompresses(node)


def decompresses(node: Node) -> bool:
    """Return whether a Convert turns compressed weights into floats: those of half precision, or scaled integers."""
    before, after = node.inputs[0].element_type, node.outputs[0].element_type
    if not after.is_real:
        return False
    return before.name in ("f16", "bf16") or (before.bits <= 8 and before.kind != "bool" and _is_scaled(node))


def _is_scaled(node: Node) -> bool:
    """Return whether a Multiply reads a node, perhaps behind the subtraction of a zero point."""
    readers = [reader.node for port in node.outputs for reader in port.readers]
    if any(reader.is_a(Multiply) for reader in readers):
        return True
    return any(_is_scaled(reader) for reader in readers if reader.is_a(*_ZERO_POINTS))


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
