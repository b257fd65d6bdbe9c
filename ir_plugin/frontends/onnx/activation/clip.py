"""Clip: limits as inputs, in older versions as attributes."""

from __future__ import annotations

import sys

from ir_plugin.frontends.onnx.common import Value, scalar
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.opsets import opset16 as ops

LARGEST = {"f16": 65504.0, "bf16": 2.0**128 - 2.0**120, "f32": 2.0**128 - 2.0**104, "f64": sys.float_info.max}
"""The largest finite numbers, which limit where no limit is given: infinities become finite."""


@translates("Clip", 11)
def clip(node: OnnxNode) -> Value:
    """Return Clamp-1 for constant limits of floats, else the minimum with the upper limit of the maximum."""
    data, lower, upper = node.input(0), node.optional(1), node.optional(2)
    largest = LARGEST.get(node.type_of(0).name)
    low, high = _limit(node, 1, None if largest is None else -largest), _limit(node, 2, largest)
    if low is not None and high is not None and largest is not None and low <= high:
        return ops.clamp(data, low, high)
    if largest is not None:
        lower, upper = (
            scalar(limit, data) if value is None else value for value, limit in ((lower, -largest), (upper, largest))
        )
    result: Value = data if lower is None else ops.maximum(data, lower)
    return result if upper is None else ops.minimum(result, upper)


def _limit(node: OnnxNode, index: int, default: float | None) -> float | None:
    """Return a limit that is known before the run; None for others."""
    constant = node.constant(index)
    if constant is None:
        return None if node.has(index) else default
    return float(constant.item()) if constant.size == 1 else None


@translates("Clip", 1)
def clip_6(node: OnnxNode) -> Value:
    """As the newest, but with the limits as attributes."""
    data = node.input(0)
    default = LARGEST["f32"] if node.type_of(0).name == "f32" else None
    low = node.attributes.float("min", None if default is None else -default)
    high = node.attributes.float("max", default)
    result: Value = data if low is None else ops.maximum(data, scalar(low, data))
    return result if high is None else ops.minimum(result, scalar(high, data))
