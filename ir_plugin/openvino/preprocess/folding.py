"""Constant folding as OpenVINO's preprocessing does it: what decompresses weights, or asks for a shape, stays."""

from __future__ import annotations

from ir_plugin.compiler.model_folding import fold_nodes
from ir_plugin.model import Model, Node
from ir_plugin.model.graph import order_of
from ir_plugin.operations.arithmetic.binary import Multiply, Subtract
from ir_plugin.operations.quantization.fake_convert import FakeConvert
from ir_plugin.operations.quantization.fake_quantize import FakeQuantize
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.type.convert import Convert

_KEPT = (FakeQuantize, FakeConvert, ShapeOf)
_ZERO_POINTS = (Subtract, Convert, Reshape)


def fold_constants(model: Model) -> None:
    """Replace nodes of which all inputs are Constants by Constants of their names."""
    fold_nodes(order_of(model)[0], _may_fold)


def _may_fold(node: Node) -> bool:
    return not node.is_a(*_KEPT) and not (node.is_a(Convert) and decompresses(node))


def decompresses(node: Node) -> bool:
    """Return whether a Convert turns compressed weights, of half precision or scaled integers, into floats."""
    before, after = node.inputs[0].element_type, node.outputs[0].element_type
    if not after.is_real:
        return False
    return before.name in ("f16", "bf16") or (before.bits <= 8 and before.kind != "bool" and _is_scaled(node))


def _is_scaled(node: Node) -> bool:
    """Return whether a Multiply reads a node, directly or through the subtraction of a zero point."""
    readers = [reader.node for port in node.outputs for reader in port.readers]
    if any(reader.is_a(Multiply) for reader in readers):
        return True
    return any(_is_scaled(reader) for reader in readers if reader.is_a(*_ZERO_POINTS))
