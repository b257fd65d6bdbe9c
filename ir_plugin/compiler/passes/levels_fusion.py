"""Lets epilogues read levels of u8 in place of the floats that a Dequantize converts them to."""

from __future__ import annotations

from ir_plugin.compiler.graph import EpilogueOp, Graph, Op
from ir_plugin.compiler.quantized_operations import QuantizedConvolution, QuantizedMatMul
from ir_plugin.compiler.rewriter import replace_operand, rewrites
from ir_plugin.operations.quantization.levels import Dequantize, OnLevels

_HOSTS = (QuantizedConvolution, QuantizedMatMul, Dequantize)


@rewrites(*_HOSTS)
def levels_fusion(graph: Graph) -> None:
    """Let epilogues of integer operations read levels as an operand: a byte an element in place of four.

    Levels have the shape of the output, and no other operand of the epilogue varies; others may read the floats.
    """
    for op in list(graph.ops):
        if not op.is_a(*_HOSTS):
            continue
        readers = [item for item in op.epilogue if item.operand is not None and item.operand.constant is None]
        if len(readers) == 1:
            _fuse(op, readers[0])


def _fuse(op: Op, item: EpilogueOp) -> None:
    operand = item.operand
    conversion = None if operand is None else operand.producer
    if operand is None or conversion is None or conversion.epilogue or conversion.inputs[0] is None:
        return
    dequantize = conversion.operation
    if isinstance(dequantize, Dequantize) and operand.shape == op.outputs[0].shape:
        fused = OnLevels(operation=item.operation, scale=dequantize.scale, offset=dequantize.offset)
        item.operation = fused.specialize(*item.operation._types)
        replace_operand(op, item, conversion.inputs[0])
