"""MatMul and Gemm."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, scalar
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.opsets import opset16 as ops


@translates("MatMul", 1)
def matmul(node: OnnxNode) -> Value:
    """Return MatMul-1."""
    return ops.matmul(node.input(0), node.input(1), False, False)


@translates("Gemm", 7)
def gemm(node: OnnxNode) -> Value:
    """Return alpha * A * B + beta * C."""
    return _with_addend(node, node.optional(2))


@translates("Gemm", 1)
def gemm_1(node: OnnxNode) -> Value:
    """As the newest: C broadcasts in every model that asks for it."""
    return _with_addend(node, node.input(2))


def _with_addend(node: OnnxNode, addend: Value | None) -> Value:
    left, right = node.input(0), node.input(1)
    attributes = node.attributes
    result: Value = ops.matmul(left, right, attributes.flag("transA"), attributes.flag("transB"))
    alpha, beta = attributes.float("alpha"), attributes.float("beta")
    if alpha != 1:
        result = ops.multiply(result, scalar(alpha, left))
    if addend is None:
        return result
    return ops.add(result, addend if beta == 1 else ops.multiply(addend, scalar(beta, left)))
