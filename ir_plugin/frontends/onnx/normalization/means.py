"""InstanceNormalization, LayerNormalization, GroupNormalization, MeanVarianceNormalization: mean 0 and variance 1."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, cast, i64, normalized, output, rank_as_value, scalar, shape_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@translates("InstanceNormalization", 1)
def instance_normalization(node: OnnxNode) -> Node:
    """Return MVN-6 over the spatial axes, scaled and shifted by channel."""
    data, rank = node.input(0), node.known_rank(0)
    normal = ops.mvn(data, i64(list(range(2, rank))), True, node.attributes.float("epsilon"), "inside_sqrt")
    scale, bias = (_of_channels(node.input(index), rank) for index in (1, 2))
    return ops.add(ops.multiply(normal, scale), bias)


def _of_channels(values: Value, rank: int) -> Value:
    """Return a vector of channels that broadcasts to data of a rank."""
    return ops.reshape(values, i64([1, -1, *[1] * (rank - 2)]), special_zero=False)


@translates("LayerNormalization", 17)
def layer_normalization(node: OnnxNode) -> list[Value]:
    """Return MVN-6 over the axes from `axis` on, scaled and shifted, and where they are read mean and deviation."""
    data, axes = node.input(0), _from_axis(node)
    epsilon = node.attributes.float("epsilon")
    statistics = [node.wants(1), node.wants(2)]
    normal: Value = ops.mvn(data, axes, True, epsilon, "inside_sqrt")
    normal = ops.multiply(normal, node.input(1))
    result: Value = ops.add(normal, node.input(2)) if node.has(2) else normal
    return [result, *_statistics(node, axes, epsilon)] if any(statistics) else [result]


def _from_axis(node: OnnxNode) -> Output:
    axis, rank = node.attributes.int("axis"), node.rank(0)
    if rank is not None:
        return i64(list(range(normalized(axis, rank), rank)))
    if axis < 0:
        return i64(list(range(axis, 0)))
    return output(ops.range(i64(axis), rank_as_value(node.input(0)), i64(1), "i64"))


def _statistics(node: OnnxNode, axes: Output, epsilon: float) -> list[Value]:
    """Return the mean and the inverse of the deviation in the type that `stash_type` says."""
    stash = node.attributes.element_type("stash_type", ElementType.f32)
    data = cast(node.input(0), stash)
    mean = ops.reduce_mean(data, axes, keep_dims=True)
    apart = ops.subtract(data, mean)
    variance = ops.reduce_mean(ops.multiply(apart, apart), axes, keep_dims=True)
    return [mean, ops.divide(scalar(1, data), ops.sqrt(ops.add(variance, scalar(epsilon, data))))]


@translates("GroupNormalization", 21)
def group_normalization(node: OnnxNode) -> Node:
    """Return GroupNormalization-12."""
    return _grouped(node, node.input(1), node.input(2))


@translates("GroupNormalization", 18)
def group_normalization_18(node: OnnxNode) -> Node:
    """As the newest version, but scale and bias have one element a group."""
    groups = node.attributes.int("num_groups")
    channels = ops.gather(shape_of(node.input(0)), i64([1]), i64(0))
    target = ops.concat([i64([groups]), ops.divide(channels, i64([groups]))], 0)
    parts = []
    for index in (1, 2):
        columns = ops.unsqueeze(node.input(index), i64([1]))
        parts.append(ops.reshape(ops.broadcast(columns, target), i64([-1]), special_zero=False))
    return _grouped(node, parts[0], parts[1])


def _grouped(node: OnnxNode, scale: Value, bias: Value) -> Node:
    groups = node.attributes.int("num_groups")
    if groups < 1:
        raise OnnxReadError(f"the attribute 'num_groups' is {groups}; it must be 1 or more")
    return ops.group_normalization(node.input(0), scale, bias, groups, node.attributes.float("epsilon"))


@translates("MeanVarianceNormalization", 9)
def mean_variance_normalization(node: OnnxNode) -> Node:
    """Return MVN-6."""
    return ops.mvn(node.input(0), i64(node.attributes.ints("axes")), True, 1e-9, "outside_sqrt")
