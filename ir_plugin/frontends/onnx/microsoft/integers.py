"""Products of integers in floats: MatMulIntegerToFloat, DynamicQuantizeMatMul, and QGemm."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, all_axes, cast, output, scalar, type_of
from ir_plugin.frontends.onnx.microsoft.domain import bias_added, microsoft
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.quantization.products import along_rows
from ir_plugin.frontends.onnx.quantization.scales import centered, quantized
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@microsoft("MatMulIntegerToFloat")
def matmul_integer_to_float(node: OnnxNode) -> Value:
    """Return the product of integers times their scales, plus a bias; its sums are whole numbers in f32."""
    left_zero = node.optional(4)
    kind = type_of(node.input(2))
    left = centered(node.input(0), None if left_zero is None else along_rows(left_zero), kind)
    scale = output(ops.multiply(along_rows(node.input(2)), node.input(3)))
    return _scaled(left, node.input(1), node.optional(5), scale, node.optional(6))


@microsoft("DynamicQuantizeMatMul")
def dynamic_quantize_matmul(node: OnnxNode) -> Value:
    """Return the product of data, which are quantized to their range, and of integers, times both scales."""
    numbers, scale = rounded(node.input(0))
    factor = output(ops.multiply(scale, node.input(2)))
    return _scaled(numbers, node.input(1), node.optional(3), factor, node.optional(4))


def _scaled(left: Output, right: Output, zero: Output | None, scale: Output, bias: Output | None) -> Output:
    product = ops.matmul(left, centered(right, zero, type_of(left)), False, False)
    return bias_added(output(ops.multiply(product, scale)), bias)


def rounded(data: Output) -> tuple[Output, Output]:
    """Return data divided by the scale that maps their range, with 0, to u8: rounded and cut; and the scale."""
    axes, zero = all_axes(data), scalar(0, data)
    largest = ops.maximum(ops.reduce_max(data, axes, False), zero)
    smallest = ops.minimum(ops.reduce_min(data, axes, False), zero)
    width = ops.subtract(largest, smallest)
    step = ops.divide(width, scalar(255, data))
    scale = ops.select(ops.equal(width, zero), scalar(1, data), step)
    center = ops.round(ops.clamp(ops.divide(ops.negative(smallest), scale), 0, 255), "half_to_even")
    numbers = ops.clamp(ops.add(ops.round(ops.divide(data, scale), "half_to_even"), center), 0, 255)
    return output(ops.subtract(numbers, center)), output(scale)


@microsoft("QGemm")
def qgemm(node: OnnxNode) -> Value:
    """Return alpha * A * B + C of quantized matrices: quantized, or in f32 without a scale for the result."""
    attributes = node.attributes
    is_transposed = attributes.flag("transB", 0)
    left = centered(node.input(0), node.input(2), ElementType.f32)
    zero = along_rows(node.input(5)) if is_transposed else node.input(5)
    right = centered(node.input(3), zero, ElementType.f32)
    sums: Value = ops.matmul(left, right, attributes.flag("transA", 0), is_transposed)
    if node.has(6):
        sums = ops.add(sums, cast(node.input(6), ElementType.f32))
    alpha = np.float32(attributes.float("alpha", 1.0))
    scale = ops.multiply(ops.multiply(node.input(1), node.input(4)), scalar(alpha, ElementType.f32))
    if not node.has(7):
        return ops.multiply(sums, scale)
    result = ops.multiply(sums, ops.divide(scale, node.input(7)))
    return quantized(result, node.input(8), type_of(node.input(8)))
