"""QuantizeLinear followed by DequantizeLinear of the same constants: FakeQuantize, as OpenVINO's front end has it."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import type_of
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.quantization.scales import RANGES
from ir_plugin.model import Node, Output
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import Array, ElementType


def fake_quantized(data: Output, scale: Output, zero_point: Output | None) -> Node | None:
    """Return FakeQuantize-1 of what was quantized by the same scale and zero point, None for other data.

    Numbers within rounding of the middle between two steps may go to the other one. The limits of 16 bits are too far
    apart for f32.
    """
    scales = scale.tensor_info.value
    zeros = np.zeros((), np.float32) if zero_point is None else zero_point.tensor_info.value
    if scales is None or zeros is None or type_of(scale) is not ElementType.f32 or not (scales > 0).all():
        return None
    zeros = zeros.astype(np.float32)
    source = _source(data, scales, zeros)
    if source is None or type_of(source) is not ElementType.f32:
        return None
    low, high = RANGES[type_of(data).name]
    first, last = (constant_of(np.asarray((bound - zeros) * scales, np.float32)) for bound in (low, high))
    return ops.fake_quantize(source, first, last, first, last, levels=high - low + 1)


def _source(data: Output, scales: Array, zeros: Array) -> Output | None:
    """Return the output that a chain of Divide, Round, Add, Clamp and Convert quantizes with these constants."""
    if type_of(data).name not in RANGES or type_of(data).bits > 8 or data.node.type != "Convert":
        return None
    clamp = _before(data)
    operation = clamp.node.operation
    if not isinstance(operation, Clamp) or (operation.min, operation.max) != RANGES[type_of(data).name]:
        return None
    rounded = _before(clamp)
    if rounded.node.type == "Add":
        if not _has_constant(rounded, zeros):
            return None
        rounded = _before(rounded)
    elif zeros.any():
        return None
    divide = (
        _before(rounded) if rounded.node.type == "Round" and rounded.node.operation.mode == "half_to_even" else rounded
    )
    return _before(divide) if divide.node.type == "Divide" and _has_constant(divide, scales) else None


def _before(value: Output) -> Output:
    return value.node.input_value(0)


def _has_constant(value: Output, numbers: Array) -> bool:
    """Return whether the second input of a node has these numbers before the run."""
    constant = value.node.input_value(1).tensor_info.value
    return constant is not None and constant.shape == numbers.shape and bool((constant == numbers).all())
