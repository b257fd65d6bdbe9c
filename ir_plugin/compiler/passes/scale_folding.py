"""Folds scales per channel into the weights of the convolution before them."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.matching import commuted_operands, single_use_producer
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, constant_of
from ir_plugin.operations.arithmetic.binary import Add, Multiply
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.tensors import Array
from ir_plugin.tensors.merging import merged_product, merged_sum, scaled_weights


@follows("batch_norm_decomposition")
class SumSwap(Pattern):
    """Move constant scales per channel before constant offsets, and merge consecutive offsets."""

    roots = (Multiply, Add)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        matched = _with_channels(op, Multiply, Add)
        inner = None if matched is None else single_use_producer(matched[0], Add)
        inner_matched = None if inner is None else _with_channels(inner, Add)
        if matched is None or inner is None or inner_matched is None or not _is_scaled_convolution(inner_matched[0]):
            return
        (middle, outer), (data, addend) = matched, inner_matched
        merged = (merged_sum if op.is_a(Add) else merged_product)(addend, outer)
        if merged is None:
            return
        if op.is_a(Add):
            _set_operands(rewriter, op, data, merged)
            rewriter.remove(inner)
        else:
            _set_operands(rewriter, inner, data, outer)
            _set_operands(rewriter, op, middle, merged)
            inner.operation, op.operation = op.operation, inner.operation
            middle.port = None


@follows("batch_norm_decomposition")
class ScaleFolding(Pattern):
    """Fold constant scales per channel into the weights of the convolution before them, and merge offsets.

    A scale moves before an offset: (w * x + b) * s is s * w * x + s * b. The three sums and two products after each
    convolution of paddleocr's models become one sum. Shapes are known, scales and offsets vary along the second axis
    alone and keep the shape of the data, and nothing else reads the values in between.
    """

    roots = (Multiply,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        matched = _with_channels(op, Multiply)
        convolution = None if matched is None else single_use_producer(matched[0])
        if matched is None or convolution is None or not convolution.is_a(Convolution, GroupConvolution):
            return
        weights = convolution.inputs[1]
        if weights is None or weights.constant is None:
            return
        merged = _scaled(self.graph, convolution, weights.constant, matched[1])
        if merged is not None:
            rewriter.set_input(convolution, 1, constant_of(weights.element_type, merged))
            convolution.nodes += op.nodes
            convolution.outputs[0].port = op.outputs[0].port
            rewriter.bypass(op, convolution.outputs[0])


def _is_scaled_convolution(value: Value) -> bool:
    """Return whether a value is the output of a convolution, optionally scaled per channel."""
    producer = value.producer
    while producer is not None and not producer.is_a(Convolution, GroupConvolution):
        scaled = _with_channels(producer, Multiply)
        producer = None if scaled is None else scaled[0].producer
    return producer is not None


def _set_operands(rewriter: Rewriter, op: Op, data: Value, channels: Array) -> None:
    """Make a binary op read the data, and a constant with one element per channel."""
    shape = (-1, *(1,) * (len(data.shape or ()) - 2))
    rewriter.set_inputs(op, [data, constant_of(data.element_type, channels.reshape(shape))])


def _with_channels(op: Op, *definitions: OperationClass) -> tuple[Value, Array] | None:
    """Return the data of one of these binary ops with a constant per channel, and that constant as a vector."""
    for data, constant in commuted_operands(op) if op.is_a(*definitions) else []:
        if constant.constant is None or data.constant is not None or constant.element_type is not data.element_type:
            continue
        if data.element_type.name in ("f32", "f64") and op.outputs[0].shape == data.shape:
            channels = _channel_vector(constant.constant, data.shape)
            if channels is not None:
                return data, channels.astype(data.dtype)
    return None


def _channel_vector(array: Array, shape: tuple[int, ...] | None) -> Array | None:
    """Return a constant that broadcasts along the channels of `shape` alone as a vector; None for any other."""
    if shape is None or len(shape) < 3 or array.ndim > len(shape):
        return None
    full = (1,) * (len(shape) - array.ndim) + array.shape
    if full[0] != 1 or any(length != 1 for length in full[2:]) or full[1] not in (1, shape[1]):
        return None
    return np.broadcast_to(array.reshape(-1), (shape[1],))


def _scaled(graph: Graph, convolution: Op, weights: Array, scale: Array) -> Array | None:
    """Return weights times a scale, once for all plans of a model; None where they overflow or underflow."""
    lead = weights.shape[:2] if convolution.is_a(GroupConvolution) else weights.shape[:1]
    shape = (*lead, *(1,) * (weights.ndim - len(lead)))
    kind = ("scaled", scale.dtype.str, scale.tobytes())
    merged = graph.weight_cache.derived(kind, [weights], lambda: scaled_weights(weights, scale.reshape(shape)))
    return merged[0] if merged else None
