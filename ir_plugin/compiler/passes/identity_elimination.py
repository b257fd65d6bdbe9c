"""Removes ops that return their input unchanged."""

from __future__ import annotations

from ir_plugin.compiler.graph import Graph, Op
from ir_plugin.compiler.rewriter import remove_ops, replace_uses, rewrites
from ir_plugin.operations.activation.identity import Identity
from ir_plugin.operations.movement.broadcast import Broadcast
from ir_plugin.operations.movement.tile import Tile
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.operations.type.convert import Convert
from ir_plugin.operations.type.convert_like import ConvertLike

_MAY_BE_IDENTITIES = (Convert, ConvertLike, Reshape, Squeeze, Unsqueeze, Identity, Tile, Broadcast)


@rewrites(*_MAY_BE_IDENTITIES)
def identity_elimination(graph: Graph) -> None:
    """Remove ops that return their input unchanged, such as Reshape to the same shape.

    Types and known shapes of input and output are equal, and the output is no result.
    """
    for op in list(graph.ops):
        source = op.inputs[0] if op.inputs else None
        if source is None or not _is_identity(op):
            continue
        replace_uses(graph, op.outputs[0], source)
        remove_ops(graph, [op])


def _is_identity(op: Op) -> bool:
    source, target = op.inputs[0], op.outputs[0]
    if source is None or target.is_result:
        return False
    same = source.element_type is target.element_type and source.shape == target.shape and source.shape is not None
    return same and op.is_a(*_MAY_BE_IDENTITIES)
