"""Rotary embeddings: pairs of channels turned by an angle for each position."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.attention.masks import positions
from ir_plugin.frontends.onnx.attention.splitting import joined_heads, length_of, split_heads
from ir_plugin.frontends.onnx.common import cast, i64, output, scalar
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


def rotated(data: Output, cosines: Output, sines: Output, *, interleaved: bool) -> Output:
    """Return data [batch, heads, length, size] turned by angles [batch, 1, length, half]; other channels stay."""
    half, size = cosines.tensor_info.shape[-1], data.tensor_info.shape[-1]
    if not half.is_static or not size.is_static:
        raise OnnxUnsupportedError("the sizes of heads and of the cosines must be known")
    turned, rest = 2 * half.get_length(), size.get_length() - 2 * half.get_length()
    tail = None
    if rest:
        data, tail = ops.variadic_split(data, i64(-1), i64([turned, rest])).outputs
    result = _interleaved(data, cosines, sines) if interleaved else _halves(data, cosines, sines)
    return result if tail is None else output(ops.concat([result, tail], -1))


def _halves(data: Output, cosines: Output, sines: Output) -> Output:
    first, second = ops.split(data, i64(-1), 2).outputs
    return output(ops.concat(_turned(first, second, cosines, sines), -1))


def _interleaved(data: Output, cosines: Output, sines: Output) -> Output:
    """Return data whose pairs are neighbours."""
    half = cosines.tensor_info.shape[-1].get_length()
    pairs = ops.reshape(data, i64([0, 0, 0, half, 2]), special_zero=True)
    first, second = (ops.squeeze(item, i64([-1])) for item in ops.split(pairs, i64(-1), 2).outputs)
    columns = [ops.unsqueeze(item, i64([-1])) for item in _turned(output(first), output(second), cosines, sines)]
    return output(ops.reshape(ops.concat(columns, -1), i64([0, 0, 0, 2 * half]), special_zero=True))


def _turned(first: Output, second: Output, cosines: Output, sines: Output) -> list[Output]:
    real = ops.subtract(ops.multiply(first, cosines), ops.multiply(second, sines))
    imaginary = ops.add(ops.multiply(first, sines), ops.multiply(second, cosines))
    return [output(real), output(imaginary)]


def angles(cache: Output, numbers: Output) -> Output:
    """Return cosines or sines [batch, 1, length, half] of positions [batch, length]."""
    return output(ops.unsqueeze(ops.gather(cache, numbers, i64(0)), i64([1])))


@translates("RotaryEmbedding", 1, domain="com.microsoft")
def rotary_embedding(node: OnnxNode) -> Output:
    """Return data [batch, length, channels] or [batch, heads, length, size] turned by their positions."""
    data, numbers = node.input(0), cast(node.input(1), ElementType.i64)
    is_flat = node.known_rank(0) == 3
    if is_flat:
        data = split_heads(data, _heads(node, data))
    if node.rank(1) == 1:
        numbers = output(ops.unsqueeze(positions(length_of(data, 2), numbers), i64([0])))
    cosines, sines = (angles(node.input(index), numbers) for index in (2, 3))
    result = rotated(data, cosines, sines, interleaved=node.attributes.flag("interleaved", 0))
    return joined_heads(result) if is_flat else result


def _heads(node: OnnxNode, data: Output) -> int:
    """Return the number of heads: the attribute, or as many as the caches leave."""
    count: int = node.attributes.int("num_heads", 0)
    if count:
        return count
    half, channels = node.input(2).tensor_info.shape[-1], data.tensor_info.shape[-1]
    if not half.is_static or not channels.is_static:
        raise OnnxUnsupportedError("the number of heads is unknown: there is no attribute 'num_heads'")
    return channels.get_length() // (2 * half.get_length())


@translates("MRotaryEmbedding", 1, domain="com.microsoft")
def multimodal_rotary_embedding(node: OnnxNode) -> Output:
    """Return data turned by three positions each [3, batch, length], which share the channels by sections."""
    data, numbers = node.input(0), cast(node.input(1), ElementType.i64)
    sections = node.attributes.ints("mrope_section")
    is_flat = node.known_rank(0) == 3
    if is_flat:
        data = split_heads(data, _heads(node, data))
    streams = _streams(sections, node.attributes.int("mrope_layout", 0))
    cosines, sines = (_of_streams(node.input(index), numbers, streams) for index in (2, 3))
    result = rotated(data, cosines, sines, interleaved=node.attributes.flag("interleaved", 0))
    scale = node.attributes.float("scale", 0.0)
    if scale not in (0.0, 1.0):
        result = output(ops.multiply(result, scalar(scale, result)))
    return joined_heads(result) if is_flat else result


def _streams(sections: list[int], layout: int) -> list[int]:
    """Return for each pair of channels which of the three positions turns it."""
    if len(sections) != 3 or min(sections) < 0:
        raise OnnxReadError(f"the attribute 'mrope_section' is {sections}; it must have three lengths")
    if not layout:
        return [stream for stream, length in enumerate(sections) for _ in range(length)]
    streams = [0] * sum(sections)
    for stream in (1, 2):
        for channel in range(stream, min(3 * sections[stream], len(streams)), 3):
            streams[channel] = stream
    return streams


def _of_streams(cache: Output, numbers: Output, streams: list[int]) -> Output:
    """Return cosines or sines [batch, 1, length, half], each channel at the position of its stream."""
    every = ops.transpose(ops.gather(cache, numbers, i64(0)), i64([1, 2, 3, 0]))
    mask = constant_of(np.eye(3)[streams].astype(cache.tensor_info.element_type.dtype), cache.tensor_info.element_type)
    rows = ops.reduce_sum(ops.multiply(every, mask), i64([3]), keep_dims=False)
    return output(ops.unsqueeze(rows, i64([1])))
