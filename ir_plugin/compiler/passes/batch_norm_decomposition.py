"""Decomposes BatchNormInference into Multiply and Add per channel."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes, constant_of
from ir_plugin.operations.arithmetic.binary import Add, Multiply
from ir_plugin.operations.normalization.batch_norm_inference import BatchNormInference
from ir_plugin.tensors import Array


@follows("kernel_trimming")
class BatchNormDecomposition(Pattern):
    """Decompose BatchNormInference with constant statistics into Multiply and Add per channel.

    The shape of the data is known; each statistic has one number for each position of the second axis.
    """

    roots = (BatchNormInference,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        order = [1, 2, 3, 4] if op.operation.version == "opset5" else [0, 1, 3, 4]
        data = op.inputs[0 if order[0] == 1 else 2]
        arrays = [_constant(op.inputs[index]) for index in order]
        if data is None or data.shape is None or any(array is None for array in arrays):
            return
        gamma, beta, mean, variance = (array.astype(np.float64) for array in arrays if array is not None)
        scale = gamma / np.sqrt(variance + attributes(op, BatchNormInference).epsilon)
        rewriter.replace(op, _pair(op, data, scale, beta - mean * scale))


def _constant(value: Value | None) -> Array | None:
    return None if value is None else value.constant


def _pair(op: Op, data: Value, scale: Array, offset: Array) -> list[Op]:
    """Return the ops that scale and offset the channels of data."""
    output = op.outputs[0]
    middle = Value(output.element_type, output.shape)
    shape = (-1, *(1,) * (len(data.shape or ()) - 2))
    factors, addends = (
        constant_of(output.element_type, array.astype(output.dtype).reshape(shape)) for array in (scale, offset)
    )
    product, total = Multiply(auto_broadcast="numpy"), Add(auto_broadcast="numpy")
    return [
        Op(product, [data, factors], [middle], list(op.nodes)),
        Op(total, [middle, addends], [output], list(op.nodes)),
    ]
