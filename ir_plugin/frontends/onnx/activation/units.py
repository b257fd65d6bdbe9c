"""Activation functions with attributes: Elu, Selu, LeakyRelu, HardSigmoid, Gelu, Swish and others."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, cast, cast_like, scalar, type_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@translates("Elu", 1)
def elu(node: OnnxNode) -> Node:
    """Return Elu-1."""
    return ops.elu(node.input(0), node.attributes.float("alpha"))


@translates("Celu", 12)
def celu(node: OnnxNode) -> Node:
    """Return alpha times Elu-1 of the data divided by alpha; the function of ONNX makes scalars [1]."""
    data = node.input(0)
    alpha = scalar(node.attributes.float("alpha"), data)
    return ops.multiply(ops.elu(ops.divide(data, alpha), 1.0), alpha)


@translates("Selu", 1)
def selu(node: OnnxNode) -> Node:
    """Return Selu-1 with the constants of the attributes."""
    data = node.input(0)
    return ops.selu(data, scalar(node.attributes.float("alpha"), data), scalar(node.attributes.float("gamma"), data))


@translates("LeakyRelu", 1)
def leaky_relu(node: OnnxNode) -> Node:
    """Return PRelu-1 with a constant slope."""
    data = node.input(0)
    return ops.prelu(data, scalar(node.attributes.float("alpha"), data))


@translates("PRelu", 1)
def prelu_1(node: OnnxNode) -> Node:
    """Return PRelu-1, in which a vector of slopes has one slope a channel."""
    return ops.prelu(node.input(0), node.input(1))


@translates("PRelu", 7)
def prelu(node: OnnxNode) -> Node:
    """Return data * slope where data is negative; the slope broadcasts as in NumPy."""
    data, slope = node.input(0), node.input(1)
    if node.rank(1) not in (None, 1):
        return ops.prelu(data, slope)
    return ops.select(ops.less(data, scalar(0, data)), ops.multiply(data, slope), data)


@translates("ThresholdedRelu", 10)
def thresholded_relu(node: OnnxNode) -> Node:
    """Return the elements above `alpha`, zero for others."""
    data = node.input(0)
    return ops.select(ops.greater(data, scalar(node.attributes.float("alpha"), data)), data, scalar(0, data))


@translates("HardSigmoid", 1)
def hard_sigmoid(node: OnnxNode) -> Node:
    """Return HardSigmoid-1."""
    data = node.input(0)
    alpha, beta = (scalar(node.attributes.float(name), data) for name in ("alpha", "beta"))
    return ops.hard_sigmoid(data, alpha, beta)


@translates("HardSwish", 14)
def hard_swish(node: OnnxNode) -> Node:
    """Return HSwish-4."""
    return ops.hswish(node.input(0))


@translates("Mish", 18)
def mish(node: OnnxNode) -> Node:
    """Return Mish-4."""
    return ops.mish(node.input(0))


@translates("Softplus", 1)
def softplus(node: OnnxNode) -> Node:
    """Return SoftPlus-4."""
    return ops.softplus(node.input(0))


@translates("Gelu", 20)
def gelu(node: OnnxNode) -> Node:
    """Return Gelu-7."""
    approximate = node.attributes.text("approximate")
    modes = {"none": "erf", "tanh": "tanh"}
    if approximate not in modes:
        raise OnnxReadError(f"the attribute 'approximate' is {approximate!r}; it must be none or tanh")
    return ops.gelu(node.input(0), modes[approximate])


@translates("Swish", 24)
def swish(node: OnnxNode) -> Node:
    """Return Swish-4."""
    data = node.input(0)
    return ops.swish(data, scalar(node.attributes.float("alpha"), data))


@translates("Shrink", 9)
def shrink(node: OnnxNode) -> Value:
    """Return x + bias below -lambd, x - bias above lambd, zero between; of integers, computed in f64 and cut."""
    source = node.input(0)
    data = source if type_of(source).is_floating else cast(source, ElementType.f64)
    bias, limit = (scalar(node.attributes.float(name), data) for name in ("bias", "lambd"))
    above = ops.select(ops.greater(data, limit), ops.subtract(data, bias), scalar(0, data))
    return cast_like(ops.select(ops.less(data, ops.negative(limit)), ops.add(data, bias), above), source)
