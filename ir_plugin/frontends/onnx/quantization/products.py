"""Integer matrix products: MatMulInteger, QLinearMatMul, and onnxruntime's variants."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, cast, i64, output, rank_of, type_of
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.quantization.scales import centered, is_single, quantized
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType

EXACT = 2**24
"""Sums of whole numbers up to this are exact in f32."""


@translates("MatMulInteger", 10)
def matmul_integer(node: OnnxNode) -> Value:
    """Return the product of whole numbers in i32; computed in f32 where that is exact, else in f64."""
    return integer_product(node.input(0), node.input(1), node.optional(2), node.optional(3))


def integer_product(left: Output, right: Output, left_zero: Output | None, right_zero: Output | None) -> Output:
    """Return the exact product of two matrices of integers, less their zero points, in i32."""
    kind = ElementType.f32 if is_exact(left, right, right_zero) else ElementType.f64
    rows = None if left_zero is None else along_rows(left_zero)
    product = ops.matmul(centered(left, rows, kind), centered(right, right_zero, kind), False, False)
    return cast(product, ElementType.i32)


def is_exact(left: Output, right: Output, right_zero: Output | None) -> bool:
    """Return whether every partial sum of a product of matrices is exact in f32."""
    if largest_sum(right, right_zero, (-2,)) < EXACT:
        return True
    axes = ((left, -1), (right, -1 if rank_of(right) == 1 else -2))
    lengths = [side.tensor_info.shape[axis] for side, axis in axes if side.tensor_info.shape.dims]
    return any(length.is_static and length.get_length() * 255 * 255 < EXACT for length in lengths)


def largest_sum(weights: Output, zero: Output | None, axes: tuple[int, ...]) -> float:
    """Return the largest sum of 8-bit data times constant weights over axes; infinity for other weights."""
    numbers = weights.tensor_info.value
    center = None if zero is None else zero.tensor_info.value
    if numbers is None or (zero is not None and center is None):
        return np.inf
    sizes = np.abs(numbers.astype(np.int64) - (0 if center is None else center.astype(np.int64)))
    return int(sizes.sum(axes if sizes.ndim > 1 else None).max(initial=0)) * 255


def along_rows(parameter: Output) -> Output:
    """Return the scales or zero points of the rows of a matrix so that they broadcast to it."""
    if is_single(parameter) or rank_of(parameter) != 1:
        return parameter
    return output(ops.unsqueeze(parameter, i64([-1])))


@translates("QLinearMatMul", 10)
def qlinear_matmul(node: OnnxNode) -> Value:
    """Return the product of quantized matrices, quantized; its sums are whole numbers in f32."""
    left = centered(node.input(0), along_rows(node.input(2)), ElementType.f32)
    right = centered(node.input(3), node.input(5), ElementType.f32)
    left_scale, right_scale, scale = (cast(node.input(index), ElementType.f32) for index in (1, 4, 6))
    product = ops.matmul(left, right, False, False)
    factor = ops.divide(ops.multiply(along_rows(left_scale), right_scale), scale)
    return quantized(ops.multiply(product, factor), node.input(7), type_of(node.input(7)))
