"""Layer normalizations of onnxruntime, with skip connections, embeddings or groups."""

from __future__ import annotations

from dataclasses import dataclass

from ir_plugin.frontends.onnx.common import Value, cast, i64, normalized, output, scalar, shape_of, type_of
from ir_plugin.frontends.onnx.microsoft.domain import bias_added, microsoft
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@dataclass
class Normalized:
    """A normalized value and, where they are read, its mean and the inverse of its deviation."""

    value: Output
    mean: Output | None = None
    inverse: Output | None = None


def layer_normalized(data: Output, scale: Output, bias: Output | None, epsilon: float, *, reads: bool) -> Normalized:
    """Return data with mean 0 and variance 1 along the last axis, scaled and shifted."""
    axes = i64([-1])
    normal = ops.multiply(ops.mvn(data, axes, True, epsilon, "inside_sqrt"), scale)
    result = Normalized(bias_added(output(normal), bias))
    if reads:
        result.mean = output(ops.reduce_mean(data, axes, keep_dims=True))
        result.inverse = _inverse(output(ops.subtract(data, result.mean)), axes, epsilon)
    return result


def rms_normalized(data: Output, scale: Output, axes: Output, epsilon: float) -> Normalized:
    """Return data over the root of their mean square, scaled."""
    wide = cast(data, ElementType.f32) if type_of(data).bits < 32 else data
    inverse = _inverse(wide, axes, epsilon)
    return Normalized(output(ops.multiply(cast(ops.multiply(wide, inverse), type_of(data)), scale)), None, inverse)


def _inverse(data: Output, axes: Output, epsilon: float) -> Output:
    """Return 1 over the root of the mean square."""
    mean = ops.reduce_mean(ops.multiply(data, data), axes, keep_dims=True)
    return output(ops.divide(scalar(1, data), ops.sqrt(ops.add(mean, scalar(epsilon, data)))))


@translates("SimplifiedLayerNormalization", 1)
@microsoft("SimplifiedLayerNormalization")
def simplified_layer_normalization(node: OnnxNode) -> list[Value | None]:
    """Return data over the root of their mean square, scaled, and that root's inverse."""
    rank = node.known_rank(0)
    axis = normalized(node.attributes.int("axis", -1), rank)
    axes = i64(list(range(axis, rank)))
    result = rms_normalized(node.input(0), node.input(1), axes, node.attributes.float("epsilon", 1e-5))
    return [result.value, result.inverse]


@microsoft("SkipLayerNormalization")
def skip_layer_normalization(node: OnnxNode) -> list[Value | None]:
    """Return the normalized sum of data, skip connection and bias, its mean, its inverse deviation, and the sum."""
    total = bias_added(output(ops.add(node.input(0), node.input(1))), node.optional(4))
    epsilon = node.attributes.float("epsilon", 1e-12)
    reads = node.wants(1) or node.wants(2)
    result = layer_normalized(total, node.input(2), node.optional(3), epsilon, reads=reads)
    return [result.value, result.mean, result.inverse, total]


@microsoft("SkipSimplifiedLayerNormalization")
def skip_simplified_layer_normalization(node: OnnxNode) -> list[Value | None]:
    """Return the sum of data, skip connection and bias over the root of its mean square, and the sum."""
    total = bias_added(output(ops.add(node.input(0), node.input(1))), node.optional(3))
    result = rms_normalized(total, node.input(2), i64([-1]), node.attributes.float("epsilon", 1e-12))
    return [result.value, None, result.inverse, total]


@microsoft("EmbedLayerNormalization")
def embed_layer_normalization(node: OnnxNode) -> list[Value | None]:
    """Return the normalized sum of the embeddings of words, positions and segments, lengths of samples, and the sum."""
    words = node.input(0)
    total = ops.gather(node.input(2), words, i64(0))
    length = ops.gather(shape_of(words), i64(1), i64(0))
    numbers = node.optional(8) or ops.unsqueeze(ops.range(i64(0), length, i64(1), "i64"), i64([0]))
    total = ops.add(total, ops.gather(node.input(3), numbers, i64(0)))
    if node.has(1) and node.has(4):
        total = ops.add(total, ops.gather(node.input(4), node.input(1), i64(0)))
    epsilon = node.attributes.float("epsilon", 1e-12)
    result = layer_normalized(output(total), node.input(5), node.optional(6), epsilon, reads=False)
    batch = ops.gather(shape_of(words), i64([0]), i64(0))
    lengths: Value = ops.broadcast(scalar(0, ElementType.i32), batch)
    if node.has(7):
        lengths = ops.reduce_sum(cast(node.input(7), ElementType.i32), i64([1]), keep_dims=False)
    return [result.value, lengths, total]


@microsoft("GroupNorm")
def group_norm(node: OnnxNode) -> Value:
    """Return GroupNormalization-12, channels-last by default, followed by Swish-4 if `activation` is set."""
    return _grouped(node, node.input(0))


@microsoft("SkipGroupNorm")
def skip_group_norm(node: OnnxNode) -> list[Value]:
    """Return GroupNorm of the sum of data, skip connection and bias, and the sum."""
    skip, data = node.input(3), node.input(0)
    if len(skip.tensor_info.shape.dims or data.tensor_info.shape) == 2:
        skip = output(ops.unsqueeze(skip, i64([1, 2])))
    total = bias_added(output(ops.add(data, skip)), node.optional(4))
    return [_grouped(node, total), total]


def _grouped(node: OnnxNode, data: Output) -> Output:
    rank = len(data.tensor_info.shape)
    is_last = node.attributes.flag("channels_last", 1)
    if is_last:
        data = output(ops.transpose(data, i64([0, rank - 1, *range(1, rank - 1)])))
    groups, epsilon = node.attributes.int("groups"), node.attributes.float("epsilon", 1e-5)
    scale, bias = (cast(node.input(index), type_of(data)) for index in (1, 2))
    result = output(ops.group_normalization(data, scale, bias, groups, epsilon))
    if node.attributes.flag("activation"):
        result = output(ops.swish(result))
    return output(ops.transpose(result, i64([0, *range(2, rank), 1]))) if is_last else result
