"""Convolutions of integers: ConvInteger and QLinearConv."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, cast, i64, output, rank_of, type_of
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.quantization.scales import centered, is_single, quantized, shaped
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.frontends.onnx.rewording import as_operator, first_of
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType

_CONV = 22
"""The version of Conv that these operators are read as."""


@translates("ConvInteger", 10)
def conv_integer(node: OnnxNode) -> Value:
    """Return the convolution of whole numbers in i32."""
    inputs = [centered(node.input(0), node.optional(2), ElementType.i32)]
    inputs.append(centered(node.input(1), _of_filters(node, 3), ElementType.i32))
    return first_of(as_operator(node, "Conv", _CONV, inputs))


@translates("QLinearConv", 10)
def qlinear_conv(node: OnnxNode) -> Value:
    """Return the convolution of quantized data and filters, quantized; its sums are whole numbers in i32."""
    return quantized_convolution(node, node.input(0))


@translates("QLinearConv", 1, domain="com.microsoft")
def qlinear_conv_of_channels(node: OnnxNode) -> Value:
    """As ONNX's QLinearConv, with channels-last data if `channels_last` is set."""
    data = node.input(0)
    if not node.attributes.flag("channels_last", 0):
        return quantized_convolution(node, data)
    axes = node.known_rank(3)
    first = ops.transpose(data, i64([0, axes - 1, *range(1, axes - 1)]))
    return ops.transpose(quantized_convolution(node, output(first)), i64([0, *range(2, axes), 1]))


def quantized_convolution(node: OnnxNode, data: Output) -> Output:
    """Return a convolution of quantized data whose channels are axis 1, quantized."""
    numbers = centered(data, node.input(2), ElementType.i32)
    filters = centered(node.input(3), _of_filters(node, 5), ElementType.i32)
    inputs = [numbers, filters, node.optional(8)]
    sums = cast(first_of(as_operator(node, "Conv", _CONV, inputs, channels_last=None)), ElementType.f32)
    factor = output(ops.divide(ops.multiply(node.input(1), node.input(4)), node.input(6)))
    if not is_single(factor):
        factor = shaped(factor, [1, -1, *[1] * (node.known_rank(3) - 2)])
    return quantized(ops.multiply(sums, factor), node.input(7), type_of(node.input(7)))


def _of_filters(node: OnnxNode, index: int) -> Output | None:
    """Return the zero points of filters so that they broadcast to these."""
    zero = node.optional(index)
    if zero is None or is_single(zero) or rank_of(zero) != 1:
        return zero
    return shaped(zero, [-1, *[1] * (node.known_rank(1 if index == 3 else 3) - 1)])
