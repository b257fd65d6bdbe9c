"""Gelu and what onnxruntime fuses with it: BiasGelu, FastGelu, QuickGelu, BiasSplitGelu; and BiasAdd."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import i64, scalar
from ir_plugin.frontends.onnx.microsoft.domain import bias_added, microsoft
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops


@microsoft("Gelu")
def gelu(node: OnnxNode) -> Node:
    """Return Gelu-7."""
    return ops.gelu(node.input(0), "erf")


@microsoft("BiasGelu")
def bias_gelu(node: OnnxNode) -> Node:
    """Return Gelu-7 of the sum with a bias."""
    return ops.gelu(ops.add(node.input(0), node.input(1)), "erf")


@microsoft("FastGelu")
def fast_gelu(node: OnnxNode) -> Node:
    """Return Gelu-7 by tanh, of the sum with a bias if there is one."""
    return ops.gelu(bias_added(node.input(0), node.optional(1)), "tanh")


@microsoft("QuickGelu")
def quick_gelu(node: OnnxNode) -> Node:
    """Return Swish-4: x * sigmoid(alpha * x)."""
    data = node.input(0)
    return ops.swish(data, scalar(node.attributes.float("alpha", 1.702), data))


@microsoft("BiasSplitGelu")
def bias_split_gelu(node: OnnxNode) -> Node:
    """Return the first half of the channels times Gelu-7 of the second half, after a bias."""
    left, right = ops.split(ops.add(node.input(0), node.input(1)), i64(-1), 2).outputs
    return ops.multiply(left, ops.gelu(right, "erf"))


@microsoft("BiasAdd")
def bias_add(node: OnnxNode) -> Node:
    """Return the sum of data, bias and skip connection."""
    return ops.add(ops.add(node.input(0), node.input(1)), node.input(2))
