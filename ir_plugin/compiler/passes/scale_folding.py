"""Folds scales per channel into the weights of the convolution before them."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.rewriter import remove_ops, replace_uses, set_input, set_inputs
from ir_plugin.tensors import Array
from ir_plugin.tensors.merging import merged_product, merged_sum, scaled_weights

_WEIGHTED = {"Convolution": 0, "GroupConvolution": 0}


def scale_folding(graph: Graph) -> None:
    """Fold constant scales per channel into the weights of the convolution before them, and merge offsets.

    A scale moves before an offset: (w * x + b) * s is s * w * x + s * b. The three sums and two products behind each
    convolution of paddleocr's models become one sum.
    """
    _swap_sums(graph)
    for op in list(graph.ops):
        if op.type != "Multiply" or op.epilogue:
            continue
        pair = _convolution_and_scale(op)
        if pair is None:
            continue
        convolution, scale = pair
        weights = convolution.inputs[1]
        if weights is None or weights.constant is None:
            continue
        merged = _scaled(graph, convolution, weights.constant, scale)
        if merged is None:
            continue
        set_input(convolution, 1, Value(weights.element_type, merged.shape, merged))
        convolution.nodes += op.nodes
        convolution.outputs[0].port = op.outputs[0].port
        replace_uses(graph, op.outputs[0], convolution.outputs[0])
        remove_ops(graph, [op])


def _swap_sums(graph: Graph) -> None:
    """Move constant scales per channel before constant offsets, and merge consecutive offsets."""
    for op in list(graph.ops):
        matched = _with_channels(op, ("Multiply", "Add"))
        inner = (
            None if matched is None or matched[0].producer is None else _with_channels(matched[0].producer, ("Add",))
        )
        if matched is None or inner is None or not _is_weighted(inner[0]):
            continue
        middle, outer, addend = matched[0], matched[1], inner[1]
        before = middle.producer
        if before is None or len(middle.users) != 1 or middle.is_result or before.epilogue:
            continue
        joined = (merged_sum if op.type == "Add" else merged_product)(addend, outer)
        if joined is None:
            continue
        if op.type == "Add":
            _set_operands(op, 0, inner[0], joined)
            remove_ops(graph, [before])
        else:
            _set_operands(before, 0, inner[0], outer)
            _set_operands(op, 0, middle, joined)
            before.operation, op.operation = op.operation, before.operation
            middle.port = None


def _is_weighted(value: Value) -> bool:
    """Return whether a convolution produces a value, optionally scaled per channel."""
    producer = value.producer
    while producer is not None and producer.type not in _WEIGHTED:
        scaled = _with_channels(producer, ("Multiply",))
        producer = None if scaled is None else scaled[0].producer
    return producer is not None


def _set_operands(op: Op, position: int, data: Value, channels: Array) -> None:
    """Make an op of two operands read the data and a vector with one element per channel."""
    shape = (-1, *(1,) * (len(data.shape or ()) - 2))
    array = channels.reshape(shape)
    constant = Value(data.element_type, array.shape, array)
    set_inputs(op, [data, constant] if position == 0 else [constant, data])


def _with_channels(op: Op, types: tuple[str, ...]) -> tuple[Value, Array] | None:
    """Return the operand of a sum or product with a constant per channel, and that constant as a vector."""
    if op.type not in types or op.epilogue or len(op.inputs) != 2:
        return None
    for data, constant in ((op.inputs[0], op.inputs[1]), (op.inputs[1], op.inputs[0])):
        if data is None or constant is None or constant.constant is None or data.constant is not None:
            continue
        if data.element_type.name not in ("f32", "f64") or op.outputs[0].shape != data.shape:
            continue
        channels = channel_vector(constant.constant, data.shape)
        if channels is not None and constant.element_type is data.element_type:
            return data, channels.astype(data.dtype)
    return None


def _convolution_and_scale(op: Op) -> tuple[Op, Array] | None:
    for data, constant in ((op.inputs[0], op.inputs[1]), (op.inputs[1], op.inputs[0])):
        if data is None or constant is None or constant.constant is None or data.producer is None:
            continue
        producer = data.producer
        if producer.type not in _WEIGHTED or producer.epilogue or len(data.users) != 1 or data.is_result:
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


def _scaled(graph: Graph, convolution: Op, weights: Array, scale: Array) -> Array | None:
    """Return weights times a scale, once for all plans of a model; None where they overflow or underflow."""
    lead = weights.shape[:2] if convolution.type == "GroupConvolution" else weights.shape[:1]
    shape = (*lead, *(1,) * (weights.ndim - len(lead)))
    kind = ("scaled", scale.dtype.str, scale.tobytes())
    merged = graph.weight_cache.derived(kind, [weights], lambda: scaled_weights(weights, scale.reshape(shape)))
    return merged[0] if merged else None
