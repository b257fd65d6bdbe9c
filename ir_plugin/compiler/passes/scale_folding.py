"""Merging of scales and offsets a channel into the weights of the convolution or product before them."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.graph import Call, Program, Value
from ir_plugin.compiler.rewriter import constant_of, operation_of, replace
from ir_plugin.tensors import Array

_WEIGHTED = {"Convolution": 0, "GroupConvolution": 0}


def batch_norm_as_scale(program: Program) -> None:
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
        _replace_by_pair(program, call, data, scale, beta - mean * scale)


def _constant(value: Value | None) -> Array | None:
    return None if value is None else value.constant


def _replace_by_pair(program: Program, call: Call, data: Value, scale: Array, offset: Array) -> None:
    output = call.outputs[0]
    middle = Value(output.element_type, output.shape)
    shape = (-1, *(1,) * (len(data.shape or ()) - 2))
    factors, addends = (
        constant_of(output.element_type, array.astype(output.dtype).reshape(shape)) for array in (scale, offset)
    )
    product, total = (operation_of(type, auto_broadcast="numpy") for type in ("Multiply", "Add"))
    calls = [
        Call(product, [data, factors], [middle], list(call.nodes)),
        Call(total, [middle, addends], [output], list(call.nodes)),
    ]
    replace(program, [call], call, calls)


def merge_scales(program: Program) -> None:
    """Multiply the weights of a convolution by a constant product a channel that follows it, and join sums.

    Where a sum a channel stands between them, the product goes before it: (w * x + b) * s is s * w * x + s * b. What
    paddleocr's models spell out behind each convolution, three sums and two products, becomes one sum.
    """
    _swap_sums(program)
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
        convolution.outputs[0].port = call.outputs[0].port
        program.replace(call.outputs[0], convolution.outputs[0])
        program.remove([call])


def _swap_sums(program: Program) -> None:
    """Move constant products a channel before constant sums, and join sums with sums."""
    for call in list(program.calls):
        found = _with_channels(call, ("Multiply", "Add"))
        inner = None if found is None or found[0].producer is None else _with_channels(found[0].producer, ("Add",))
        if found is None or inner is None or not _is_weighted(inner[0]):
            continue
        middle, outer, addend = found[0], found[1], inner[1]
        before = middle.producer
        if before is None or len(middle.users) != 1 or middle.is_result or before.post:
            continue
        if call.type == "Add":
            _give(call, 0, inner[0], addend + outer)
            program.remove([before])
            inner[0].users.append(call)
        else:
            _give(before, 0, inner[0], outer)
            _give(call, 0, middle, addend * outer)
            before.operation, call.operation = call.operation, before.operation
            middle.port = None


def _is_weighted(value: Value) -> bool:
    """Return whether a convolution makes a value, perhaps with products a channel behind it."""
    producer = value.producer
    while producer is not None and producer.type not in _WEIGHTED:
        found = _with_channels(producer, ("Multiply",))
        producer = None if found is None else found[0].producer
    return producer is not None


def _give(call: Call, position: int, data: Value, channels: Array) -> None:
    """Let a call of two operands read the data and a vector a channel."""
    for value in call.inputs:
        if value is not None and value is not data:
            value.users = [user for user in value.users if user is not call]
    shape = (-1, *(1,) * (len(data.shape or ()) - 2))
    array = channels.astype(data.dtype).reshape(shape)
    constant = Value(data.element_type, array.shape, array, users=[call])
    call.inputs = [data, constant] if position == 0 else [constant, data]


def _with_channels(call: Call, types: tuple[str, ...]) -> tuple[Value, Array] | None:
    """Return the operand of a sum or product whose other one is a constant a channel, and this as a vector."""
    if call.type not in types or call.post or len(call.inputs) != 2:
        return None
    for data, other in ((call.inputs[0], call.inputs[1]), (call.inputs[1], call.inputs[0])):
        if data is None or other is None or other.constant is None or data.constant is not None:
            continue
        if data.element_type.name not in ("f32", "f64") or call.outputs[0].shape != data.shape:
            continue
        channels = channel_vector(other.constant, data.shape)
        if channels is not None and other.element_type is data.element_type:
            return data, channels.astype(np.float64)
    return None


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
