"""Fuses the ops of decomposed activations into one op, and decomposes others into ops that can be fused."""

from __future__ import annotations

from ir_plugin.compiler.activations import LAST_OPS, fused_activation
from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.matching import (
    number_beside,
)
from ir_plugin.compiler.passes.dead_code import dead_code
from ir_plugin.compiler.rewriter import replace_ops, rewrites
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.hard_sigmoid import HardSigmoid
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.activation.unary import Sigmoid
from ir_plugin.operations.arithmetic.binary import Add, Multiply

_TYPES = ("f32", "f64")


@rewrites(*LAST_OPS, HardSigmoid, Swish)
def activation_fusion(graph: Graph) -> None:
    """Fuse subgraphs that compute Swish, HSwish, HSigmoid or Gelu into that op; decompose HardSigmoid and scaled Swish.

    The patterns are x * sigmoid(x), x * clip(x + 3, 0, 6) / 6, clip(x + 3, 0, 6) / 6, x * (1 + erf(x / √2)) / 2, and
    x * (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2. All parts read one x of f32 or f64, and no number raises its rank;
    parts that others read stay.
    """
    is_changed = False
    for op in list(graph.ops):
        fused = fused_activation(op) if op.is_a(*LAST_OPS) and op.outputs[0].element_type.name in _TYPES else None
        if fused is not None and fused[1].shape == op.outputs[0].shape:
            replace_ops(graph, [op], op, [Op(fused[0], [fused[1]], op.outputs, op.nodes)])
            is_changed = True
    for op in list(graph.ops):
        if op.is_a(HardSigmoid):
            _decompose_hard_sigmoid(graph, op)
        elif op.is_a(Swish) and len(op.inputs) == 2:
            _decompose_swish(graph, op)
    if is_changed:
        dead_code(graph)


def _decompose_hard_sigmoid(graph: Graph, op: Op) -> None:
    """Replace HardSigmoid with constant inputs by Multiply, Add and Clamp, which fuse into an epilogue."""
    output, (data, alpha, beta) = op.outputs[0], op.inputs
    if data is None or data.element_type is not output.element_type or output.element_type.name not in _TYPES:
        return
    if number_beside(data, alpha) is None or number_beside(data, beta) is None:
        return
    product, total = Value(output.element_type, output.shape), Value(output.element_type, output.shape)
    ops = [
        Op(Multiply(auto_broadcast="numpy"), [data, alpha], [product], op.nodes),
        Op(Add(auto_broadcast="numpy"), [product, beta], [total], list(op.nodes)),
        Op(Clamp(min=0.0, max=1.0), [total], [output], list(op.nodes)),
    ]
    replace_ops(graph, [op], op, ops)


def _decompose_swish(graph: Graph, op: Op) -> None:
    """Replace Swish with a constant beta: 1 by Swish without beta, others by Multiply, Sigmoid and Multiply."""
    output, (data, beta) = op.outputs[0], op.inputs
    number = number_beside(data, beta)
    if data is None or number is None or output.element_type.name not in _TYPES:
        return
    if number == 1:
        replace_ops(graph, [op], op, [Op(Swish(), [data], [output], op.nodes)])
        return
    product, gate = Value(output.element_type, output.shape), Value(output.element_type, output.shape)
    ops = [
        Op(Multiply(auto_broadcast="numpy"), [data, beta], [product], op.nodes),
        Op(Sigmoid(), [product], [gate], list(op.nodes)),
        Op(Multiply(auto_broadcast="numpy"), [data, gate], [output], list(op.nodes)),
    ]
    replace_ops(graph, [op], op, ops)
