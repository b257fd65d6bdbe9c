"""LRN and LpNormalization."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import i64, scalar
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops


@translates("LRN", 1)
def lrn(node: OnnxNode) -> Node:
    """Return LRN-1 over the channels."""
    alpha, beta, bias = (node.attributes.float(name) for name in ("alpha", "beta", "bias"))
    return ops.lrn(node.input(0), i64([1]), alpha, beta, bias, node.attributes.int("size"))


@translates("LpNormalization", 1)
def lp_normalization(node: OnnxNode) -> Node:
    """Return the data divided by its norm along an axis; a norm of zero gives zeros."""
    data, axis, order = node.input(0), i64([node.attributes.int("axis")]), node.attributes.int("p")
    if order not in (1, 2):
        raise OnnxReadError(f"the attribute 'p' is {order}; it must be 1 or 2")
    norm = (ops.reduce_l1 if order == 1 else ops.reduce_l2)(data, axis, keep_dims=True)
    is_zero = ops.equal(norm, scalar(0, data))
    return ops.divide(ops.select(is_zero, scalar(0, data), data), ops.select(is_zero, scalar(1, data), norm))
