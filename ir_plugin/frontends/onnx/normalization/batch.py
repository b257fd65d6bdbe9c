"""BatchNormalization: with the statistics of its inputs, or of the batch itself where it trains."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, cast, cast_like, i64, output, rank_of, scalar, type_of
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops


@translates("BatchNormalization", 14)
def batch_normalization(node: OnnxNode) -> list[Value]:
    """Return BatchNormInference-5; where it trains also the running mean and variance."""
    if not node.attributes.flag("training_mode"):
        return [_inferred(node, node.input(3), node.input(4))]
    mean, variance, normal = _trained(node)
    return [normal, _running(node, mean, 3), _running(node, variance, 4)]


@translates("BatchNormalization", 9)
def batch_normalization_9(node: OnnxNode) -> list[Value]:
    """As the newest, but it trains where more outputs than the first are read."""
    return _by_outputs(node)


@translates("BatchNormalization", 7)
def batch_normalization_7(node: OnnxNode) -> list[Value]:
    """As version 9, but without `spatial` each element has separate statistics."""
    return _by_outputs(node) if node.attributes.flag("spatial", 1) else [_each(node)]


@translates("BatchNormalization", 1)
def batch_normalization_1(node: OnnxNode) -> list[Value]:
    """As version 7, but with `is_test` it never trains."""
    if node.attributes.flag("is_test", 0) and node.attributes.flag("spatial", 1):
        return [_inferred(node, node.input(3), node.input(4))]
    return _by_outputs(node) if node.attributes.flag("spatial", 1) else [_each(node)]


def _by_outputs(node: OnnxNode) -> list[Value]:
    """Return the data normalized; with the statistics of the batch where more outputs than the first are read."""
    if not any(node.wants(index) for index in range(1, 5)):
        return [_inferred(node, node.input(3), node.input(4))]
    mean, variance, normal = _trained(node)
    return [normal, _running(node, mean, 3), _running(node, variance, 4), mean, variance]


def _data(node: OnnxNode) -> Output:
    """Return the data [N, C, …]; data [N] has one channel and becomes [N, 1]."""
    data = node.input(0)
    return output(ops.unsqueeze(data, i64([1]))) if rank_of(data) == 1 else data


def _inferred(node: OnnxNode, mean: Value, variance: Value) -> Value:
    data = _data(node)
    gamma, beta = cast_like(node.input(1), data), cast_like(node.input(2), data)
    epsilon = node.attributes.float("epsilon")
    normal = ops.batch_norm_inference(data, gamma, beta, cast_like(mean, data), cast_like(variance, data), epsilon)
    return ops.squeeze(normal, i64([1])) if rank_of(node.input(0)) == 1 else normal


def _trained(node: OnnxNode) -> tuple[Value, Value, Value]:
    """Return mean and variance of the batch in the type of the running ones, and the normalized data."""
    data, rank = _data(node), max(node.known_rank(0), 2)
    axes = i64([axis for axis in range(rank) if axis != 1])
    wide = cast_like(data, node.input(3))
    mean = ops.reduce_mean(wide, axes, keep_dims=True)
    apart = ops.subtract(wide, mean)
    variance = ops.reduce_mean(ops.multiply(apart, apart), axes, keep_dims=True)
    flat = [output(ops.reshape(part, i64([-1]), special_zero=False)) for part in (mean, variance)]
    return flat[0], flat[1], _inferred(node, flat[0], flat[1])


def _running(node: OnnxNode, current: Value, index: int) -> Value:
    """Return the running statistic: input `index` blended with the batch's statistic `current` by `momentum`."""
    momentum = node.attributes.float("momentum")
    decayed = ops.multiply(node.input(index), scalar(momentum, current))
    return ops.add(decayed, ops.multiply(current, scalar(1 - momentum, current)))


def _each(node: OnnxNode) -> Value:
    """Return the data normalized with a mean and a variance for each element of a batch."""
    data = node.input(0)
    scale, bias, mean, variance = (cast(node.input(index), type_of(data)) for index in range(1, 5))
    deviation: Output = output(ops.sqrt(ops.add(variance, scalar(node.attributes.float("epsilon"), data))))
    return ops.add(ops.multiply(ops.divide(ops.subtract(data, mean), deviation), scale), bias)
