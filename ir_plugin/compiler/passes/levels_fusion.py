"""Lets epilogues read levels of u8 in place of the floats that a Dequantize converts them to."""

from __future__ import annotations

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.quantized_operations import QuantizedConvolution, QuantizedMatMul
from ir_plugin.compiler.rewriter import Pattern, Rewriter
from ir_plugin.operations.quantization.levels import Dequantize, OnLevels


@follows("epilogue_fusion")
class LevelsFusion(Pattern):
    """Let epilogues of integer operations read levels as an operand: a byte an element in place of four.

    Levels have the shape of the output, and no other operand of the epilogue varies; others may read the floats.
    """

    roots = (QuantizedConvolution, QuantizedMatMul, Dequantize)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        readers = [item for item in op.epilogue if item.operand is not None and item.operand.constant is None]
        item = readers[0] if len(readers) == 1 else None
        operand = None if item is None else item.operand
        conversion = None if operand is None else operand.producer
        if item is None or operand is None or conversion is None or conversion.epilogue or not conversion.inputs[0]:
            return
        dequantize = conversion.operation
        if isinstance(dequantize, Dequantize) and operand.shape == op.outputs[0].shape:
            fused = OnLevels(operation=item.operation, scale=dequantize.scale, offset=dequantize.offset)
            item.operation = fused.specialize(*item.operation._types)
            rewriter.set_operand(op, item, conversion.inputs[0])
