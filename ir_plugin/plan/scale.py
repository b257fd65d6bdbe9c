"""Merging of scales and offsets a channel into the weights of the convolution or product before them."""

from __future__ import annotations

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.plan.program import Call, Program, Value
from ir_plugin.tensors import Array

_WEIGHTED = {"Convolution": 0, "GroupConvolution": 0}


def batch_norm_as_scale(program: Program, multiply: type[Operation], add: type[Operation]) -> None:
    """Write BatchNormInference with constant statistics as a product and a sum."""
    for call in list(program.calls):
        if call.type != "BatchNormInference":
            continue
        order = [1, 2, 3, 4] if call.operation.version == "opset5" else [0, 1, 3, 4]
        data = call.inputs[0 if order[0] == 1 else 2]
        arrays = [_constant(call.inputs[index]) for index in order]
        if data is None or data.shape is None or any(array is None for array in arrays):
            continue
        gamma, beta, mean, variance = (array.astype(np.float64) for array in arrays if array is not None)
        scale = gamma / np.sqrt(variance + call.operation.__dict__["epsilon"])
        _replace_by_pair(program, call, data, scale, beta - mean * scale, (multiply, add))


def _constant(value: Value | None) -> Array | None:
    return None if value is None else value.constant


def _replace_by_pair(
    program: Program, call: Call, data: Value, scale: Array, offset: Array, classes: tuple[type[Operation], ...]
) -> None:
    output = call.outputs[0]
    middle = Value(output.element_type, output.shape)
    shape = (-1, *(1,) * (len(data.shape or ()) - 2))
    calls = []
    for source, array, target, cls in ((data, scale, middle, classes[0]), (middle, offset, output, classes[1])):
        constant = Value(output.element_type, None, array.astype(output.dtype).reshape(shape))
        constant.shape = constant.constant.shape if constant.constant is not None else None
        operation = cls(auto_broadcast="numpy")
        operation.input_types = (output.element_type, output.element_type)
        operation.output_types = (output.element_type,)
        calls.append(Call(operation, [source, constant], [target], list(call.nodes)))
    position = program.calls.index(call)
    program.remove([call])
    for made in calls:
        program.add(made)
        program.calls.pop()
    program.calls[position:position] = calls


def merge_scales(program: Program) -> None:
    """Multiply the weights of a convolution by a constant product a channel that follows it."""
    for call in list(program.calls):
        if call.type != "Multiply" or call.post:
            continue
        pair = _convolution_and_scale(call)
        if pair is None:
            continue
        convolution, scale = pair
        weights = convolution.inputs[1]
        if weights is None or weights.constant is None:
            continue
        merged = _scaled(convolution, weights.constant, scale)
        convolution.inputs[1] = Value(weights.element_type, merged.shape, merged)
        weights.users = [user for user in weights.users if user is not convolution]
        convolution.nodes += call.nodes
        program.replace(call.outputs[0], convolution.outputs[0])
        program.remove([call])


def _convolution_and_scale(call: Call) -> tuple[Call, Array] | None:
    for data, constant in ((call.inputs[0], call.inputs[1]), (call.inputs[1], call.inputs[0])):
        if data is None or constant is None or constant.constant is None or data.producer is None:
            continue
        producer = data.producer
        if producer.type not in _WEIGHTED or producer.post or len(data.users) != 1 or data.is_result:
            continue
        channels = channel_vector(constant.constant, data.shape)
        if channels is not None and data.element_type.name in ("f32", "f64"):
            return producer, channels
    return None


def channel_vector(array: Array, shape: tuple[int, ...] | None) -> Array | None:
    """Return a constant that broadcasts along the channels of `shape` alone as a vector, or None."""
    if shape is None or len(shape) < 3 or array.ndim > len(shape):
        return None
    full = (1,) * (len(shape) - array.ndim) + array.shape
    if full[0] != 1 or any(length != 1 for length in full[2:]) or full[1] not in (1, shape[1]):
        return None
    return np.broadcast_to(array.reshape(-1), (shape[1],))


def _scaled(convolution: Call, weights: Array, scale: Array) -> Array:
    lead = weights.shape[:2] if convolution.type == "GroupConvolution" else weights.shape[:1]
    shape = (*lead, *(1,) * (weights.ndim - len(lead)))
    scaled: Array = (weights * scale.reshape(shape).astype(weights.dtype)).astype(weights.dtype)
    return scaled
