"""Clip: limits as inputs, in older versions as attributes."""

from __future__ import annotations

from ir_plugin import opset16 as ops
from ir_plugin.frontends.onnx.common import Value, scalar
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates


@translates("Clip", 11)
def clip(node: OnnxNode) -> Value:
    """Return Clamp-1 for constant limits of floats, else the minimum with the upper limit of the maximum."""
    data, lower, upper = node.input(0), node.optional(1), node.optional(2)
    low, high = node.constant(1), node.constant(2)
    is_constant = low is not None and high is not None and low.size == high.size == 1
    if (
        is_constant
        and low is not None
        and high is not None
        and node.type_of(0).is_floating
        and low.item() <= high.item()
    ):
        return ops.clamp(data, float(low.item()), float(high.item()))
    result: Value = data if lower is None else ops.maximum(data, lower)
    return result if upper is None else ops.minimum(result, upper)


@translates("Clip", 1)
def clip_6(node: OnnxNode) -> Value:
    """As the newest, but with the limits as attributes."""
    data = node.input(0)
    low, high = node.attributes.float("min", None), node.attributes.float("max", None)
    result: Value = data if low is None else ops.maximum(data, scalar(low, data))
    return result if high is None else ops.minimum(result, scalar(high, data))
