"""Makes products and convolutions of quantized data with quantized weights integer, as OpenVINO's low precision."""

from __future__ import annotations

from math import prod

import numpy as np

from ir_plugin.compiler.folding import folded_constant
from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.op import LevelMeaning
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.quantized_operations import QuantizedConvolution, QuantizedMatMul
from ir_plugin.compiler.quantized_tensors import QuantizedWeights, Quantizer, quantized_weights, quantizer_of
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes, constant_of
from ir_plugin.operations.arithmetic.binary import Add, Maximum, Minimum, Multiply, Subtract
from ir_plugin.operations.base import Operation
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.pooling.max_pool import MaxPool
from ir_plugin.operations.quantization.fake_quantize import FakeQuantize
from ir_plugin.operations.quantization.levels import Dequantize, MeanOfLevels, Quantize, QuantizeDequantize
from ir_plugin.operations.reduction.reducing import ReduceMean
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.tensors import ElementType

AGNOSTIC = (MaxPool, Reshape, Transpose, Squeeze, Unsqueeze)
"""Operations that move numbers or take the largest, which may be done with levels in place of numbers."""

MAX_DEPTH = 2**31 // (255 * 128)
"""The most products of u8 and i8 whose sum fits an i32."""

_U8 = ElementType("u8")
_ELEMENTWISE = (Add, Multiply, Subtract, Maximum, Minimum)


@follows("quantize_dequantize_fusion")
class LowPrecision(Pattern):
    """Make convolutions and products of quantized data with quantized constant weights ones of u8 with i8.

    FakeQuantize before them becomes a rounding to u8, which also passes through operations that only move numbers.
    Levels are converted back where floats are needed. Sums are exact in i32. Limits keep the shape of the data and have
    one number, or one for each channel before a depthwise convolution; shapes are known. `LP_TRANSFORMS_MODE` set to
    False computes every FakeQuantize in floats.
    """

    roots = (Convolution, GroupConvolution, MatMul)

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._levels: dict[Value, tuple[Value, Quantizer]] = {}
        """The values that are available as levels."""

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        lower = self._lower_matmul if op.is_a(MatMul) else self._lower_convolution
        lower(op, rewriter)

    def finish(self, rewriter: Rewriter) -> None:
        if self._levels:
            self._replace_remaining(rewriter)
            self._dequantize_operands(rewriter)

    def _lower_convolution(self, op: Op, rewriter: Rewriter) -> None:
        data, output = op.inputs[0], op.outputs[0]
        if data is None or data.shape is None or output.shape is None or len(data.shape) not in (3, 4):
            return
        weights = quantized_weights(op.inputs[1], (0, 1) if op.is_a(GroupConvolution) else (0,))
        if weights is None or prod(weights.levels.shape[1:]) > MAX_DEPTH or 0 in (*data.shape, *output.shape):
            return
        is_depthwise = weights.levels.ndim > len(data.shape) and weights.levels.shape[1:3] == (1, 1)
        quantized = self._quantized(rewriter, data, is_depthwise)
        if quantized is None:
            return
        original = attributes(op, Convolution)
        fields = {name: getattr(original, name) for name in Convolution.fields()}
        operation = QuantizedConvolution(**fields, zero=quantized[1].zero)
        rewriter.replace(op, [_lowered(op, operation, quantized, weights)])

    def _lower_matmul(self, op: Op, rewriter: Rewriter) -> None:
        data, product, output = op.inputs[0], attributes(op, MatMul), op.outputs[0]
        if data is None or not data.shape or len(data.shape) < 2 or product.transpose_a:
            return
        if op.inputs[1] is None or op.inputs[1].rank != 2:
            return
        weights = quantized_weights(op.inputs[1], (0,) if product.transpose_b else (1,), product.transpose_b)
        if weights is None or len(weights.levels) > MAX_DEPTH or not output.shape or 0 in output.shape:
            return
        quantized = self._quantized(rewriter, data, False)
        if quantized is not None:
            operation = QuantizedMatMul(zero=quantized[1].zero)
            rewriter.replace(op, [_lowered(op, operation, quantized, weights)])

    def _quantized(self, rewriter: Rewriter, value: Value, by_channel: bool) -> tuple[Value, Quantizer] | None:
        """Return a value as levels, with one scale unless `by_channel`; None where it cannot be quantized."""
        quantized = self._levels.get(value)
        if quantized is None:
            op = value.producer
            if op is None or value.element_type.name != "f32":
                return None
            quantized = (self._of_agnostic if op.is_a(*AGNOSTIC) else self._of_quantizer)(rewriter, op)
            if quantized is None:
                return None
            self._levels[value] = quantized
        return quantized if by_channel or quantized[1].scale.size == 1 else None

    def _of_quantizer(self, rewriter: Rewriter, op: Op) -> tuple[Value, Quantizer] | None:
        """Return the levels that a FakeQuantize rounds to."""
        quantizer = quantizer_of(op)
        if quantizer is None:
            return None
        operation = Quantize(inverse=quantizer.inverse, shift=quantizer.shift, low=0.0, high=quantizer.high)
        return _insert_after(rewriter, op, operation, op.inputs[:1], quantizer), quantizer

    def _of_agnostic(self, rewriter: Rewriter, op: Op) -> tuple[Value, Quantizer] | None:
        """Return the levels of an operation that only moves numbers or takes the largest."""
        if op.inputs[0] is None:
            return None
        if len(op.outputs) > 1 and (op.outputs[1].users or op.outputs[1].is_result):
            return None
        source = self._quantized(rewriter, op.inputs[0], False)
        if source is None or op.outputs[0].shape is None:
            return None
        return _insert_after(rewriter, op, op.operation, [source[0], *op.inputs[1:]], source[1]), source[1]

    def _replace_remaining(self, rewriter: Rewriter) -> None:
        """Replace each other FakeQuantize by ops that kernels fuse: a rounding to levels, or a rounding in place.

        Levels, a byte each, are used where the tensor is read more than once, or as the second operand of a sum. A
        first operand is rounded in the epilogue of the op that computes it.
        """
        for op in rewriter.ops():
            output = op.outputs[0] if op.outputs else None
            if not op.is_a(FakeQuantize) or output is None or output in self._levels or output.is_result:
                continue
            quantizer = quantizer_of(op)
            if quantizer is None or not quantizer.is_scalar:
                continue
            if len(output.users) > 1 or _is_second_operand(output):
                self._quantized(rewriter, output, False)
                continue
            rounding = QuantizeDequantize(**quantizer.numbers())
            rewriter.replace(op, [Op(rounding, op.inputs[:1], op.outputs, op.nodes)])

    def _dequantize_operands(self, rewriter: Rewriter) -> None:
        """Insert a Dequantize before each op that reads a value with levels as floats."""
        for value, (levels, quantizer) in self._levels.items():
            if not quantizer.is_scalar or value.is_result:
                continue
            for op in dict.fromkeys(value.users):
                if op.is_a(*AGNOSTIC) and op.outputs[0] in self._levels and not op.outputs[0].users:
                    continue
                scale = float(quantizer.scale.reshape(-1)[0])
                if _is_mean_of_pixels(op) and op.inputs[0] is value:
                    mean = MeanOfLevels(scale=scale, offset=quantizer.offset)
                    rewriter.replace(op, [Op(mean, [levels], op.outputs, op.nodes)])
                    continue
                operation = Dequantize(scale=scale, offset=quantizer.offset)
                numbers = Value(value.element_type, value.shape)
                conversion = Op(operation, [levels], [numbers], value.producer.nodes if value.producer else op.nodes)
                rewriter.insert_before(op, [conversion])
                rewriter.set_inputs(op, [numbers if operand is value else operand for operand in op.inputs])


def _lowered(op: Op, operation: Operation, quantized: tuple[Value, Quantizer], weights: QuantizedWeights) -> Op:
    """Return the op of levels with the same output as one of floats."""
    levels, quantizer = quantized
    scale = (quantizer.scale.reshape(-1).astype(np.float64) * weights.scale).astype(np.float32)
    scale = np.broadcast_to(scale, (weights.width,)).copy()
    filters, factors = weights.value, constant_of(op.outputs[0].element_type, scale)
    return Op(operation, [levels, filters, factors], op.outputs, op.nodes)


def _insert_after(
    rewriter: Rewriter, op: Op, operation: Operation, inputs: list[Value | None], quantizer: Quantizer
) -> Value:
    """Insert an op with an output of u8 after another, and return its output."""
    meaning = LevelMeaning(quantizer.scale, quantizer.zero)
    output = Value(_U8, op.outputs[0].shape, port=op.outputs[0].port, meaning=meaning)
    others = [Value(value.element_type, value.shape) for value in op.outputs[1:]]
    rewriter.insert_after(op, [Op(operation, list(inputs), [output, *others], op.nodes)])
    return output


def _is_mean_of_pixels(op: Op) -> bool:
    """Return whether an op is the mean over both spatial axes of [N, C, H, W], as [N, C, 1, 1]."""
    data, axes = op.inputs[0], folded_constant(op.inputs[1]) if len(op.inputs) == 2 else None
    if not op.is_a(ReduceMean) or data is None or data.shape is None or axes is None or len(data.shape) != 4:
        return False
    chosen = sorted({int(axis) % 4 for axis in axes.reshape(-1)})
    return chosen == [2, 3] and op.outputs[0].shape == (*data.shape[:2], 1, 1)


def _is_second_operand(value: Value) -> bool:
    """Return whether a value is the second operand of a sum or product that has the value's shape."""
    op = value.users[0] if value.users else None
    if op is None or not op.is_a(*_ELEMENTWISE) or op.inputs[0] is value or op.outputs[0].shape != value.shape:
        return False
    return op.inputs[0] is not None and op.inputs[0].constant is None
