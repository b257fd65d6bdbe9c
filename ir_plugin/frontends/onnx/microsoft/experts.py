"""MoE and QMoE of onnxruntime: each row goes through a few of several networks, chosen by a router."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ir_plugin.frontends.onnx.common import Value, cast, i64, output, scalar, shape_of, type_of
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.microsoft.domain import microsoft
from ir_plugin.frontends.onnx.microsoft.weights import unpacked
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@dataclass(frozen=True)
class Layer:
    """The weights [experts, rows, columns] of a layer of all experts, and its biases."""

    weights: Output
    bias: Output | None

    def of(self, data: Output) -> Output:
        """Return the layer of data [experts or 1, rows, columns]."""
        result = ops.matmul(data, self.weights, False, True)
        return output(result if self.bias is None else ops.add(result, ops.unsqueeze(self.bias, i64([1]))))


@microsoft("MoE")
def mixture_of_experts(node: OnnxNode) -> Value:
    """Return the sum of the experts of each row, weighted by the router; all experts compute all rows."""
    layers = [Layer(node.input(k), node.optional(k + 1)) if node.has(k) else None for k in (2, 4, 6)]
    return _mixed(node, layers)


@microsoft("QMoE")
def quantized_mixture_of_experts(node: OnnxNode) -> Value:
    """As MoE, of weights of 4 or 8 bits that Convert, Subtract and Multiply decompress."""
    kind = node.attributes.text("quant_type", "int")
    if kind != "int" or any(node.has(index) for index in range(15, 21)):
        raise OnnxUnsupportedError("only experts of the quant_type int without other scales are supported")
    layers = []
    for index, (weights, zero) in enumerate(((2, 11), (5, 12), (8, 13))):
        layers.append(_quantized(node, weights, zero, index + 1) if node.has(weights) else None)
    return _mixed(node, layers)


def _quantized(node: OnnxNode, index: int, zero_index: int, layer: int) -> Layer:
    bits = node.attributes.int(f"fc{layer}_expert_weight_bits", 0) or node.attributes.int("expert_weight_bits", 4)
    data, scales, zero = node.input(index), node.input(index + 1), node.optional(zero_index)
    shape = [dim.get_length() for dim in data.tensor_info.shape]
    experts, rows, columns = shape[0], shape[1], shape[2] * 8 // bits
    count = scales.tensor_info.shape[2].get_length() if len(scales.tensor_info.shape) == 3 else 1
    parts = [experts, rows, count, columns // count]
    numbers = cast(unpacked(data, bits, parts), ElementType.f32)
    if zero is None:
        center = constant_of(np.full((1, 1, 1, 1), 2 ** (bits - 1), np.float32)).outputs[0]
    else:
        padded = -(-count * bits // 8) * 8 // bits
        codes = unpacked(zero, bits, [experts, rows, padded, 1])
        center = cast(ops.slice(codes, i64([0]), i64([count]), i64([1]), i64([2])), ElementType.f32)
    scaled = ops.reshape(cast(scales, ElementType.f32), i64([experts, rows, count, 1]), special_zero=False)
    weights = ops.multiply(ops.subtract(numbers, center), scaled)
    matrix = ops.reshape(weights, i64([experts, rows, columns]), special_zero=False)
    return Layer(cast(matrix, node.type_of(0)), node.optional(index + 2))


def _mixed(node: OnnxNode, layers: list[Layer | None]) -> Value:
    data = node.input(0)
    width = ops.gather(shape_of(data), i64([-1]), i64(0))
    rows = ops.reshape(data, ops.concat([i64([1, -1]), width], 0), special_zero=False)
    first, second, third = layers
    if first is None or second is None:
        raise OnnxReadError("the weights of the first and second layer are required")
    inner = _activated(node, first.of(output(rows)), None if third is None else third.of(output(rows)))
    gates = ops.transpose(_gates(node), i64([1, 0]))
    weighted = ops.multiply(second.of(inner), ops.unsqueeze(gates, i64([2])))
    total = ops.reduce_sum(weighted, i64([0]), keep_dims=False)
    return ops.reshape(total, shape_of(data), special_zero=False)


def _gates(node: OnnxNode) -> Output:
    """Return the weight of each expert [rows, experts]: zero for those that are not chosen."""
    logits, count = node.input(1), node.attributes.int("k", 1)
    best = ops.topk(logits, i64(count), -1, "max", "value", "i64").outputs
    if node.attributes.flag("normalize_routing_weights", 0) or node.type == "QMoE":
        weights = output(ops.softmax(best[0], -1))
    else:
        weights = output(ops.gather_elements(ops.softmax(logits, -1), best[1], -1))
    if node.has(14):
        weights = output(ops.gather_elements(node.input(14), best[1], -1))
    zeros = ops.broadcast(scalar(0, logits), shape_of(logits))
    return output(ops.scatter_elements_update(zeros, best[1], weights, i64(-1)))


def _activated(node: OnnxNode, data: Output, linear: Output | None) -> Output:
    name = node.attributes.text("activation_type", "relu")
    if name == "swiglu":
        return _swiglu(node, data, linear)
    result = data
    if name == "gelu":
        result = output(ops.gelu(data, "tanh"))
    elif name == "relu":
        result = output(ops.relu(data))
    elif name == "silu":
        result = output(ops.swish(data))
    elif name != "identity":
        names = "relu, gelu, silu, swiglu or identity"
        raise OnnxReadError(f"the attribute 'activation_type' is {name!r}; it must be {names}")
    return result if linear is None else output(ops.multiply(result, linear))


def _swiglu(node: OnnxNode, data: Output, linear: Output | None) -> Output:
    """Return gate * sigmoid(alpha * gate) * (linear + beta) of both halves of the data, or of two layers."""
    fusion = node.attributes.int("swiglu_fusion", 0)
    if fusion == 0 and linear is not None:
        gate = data
    elif fusion == 1:
        pairs = ops.reshape(data, i64([0, 0, -1, 2]), special_zero=True)
        gate, linear = (output(ops.squeeze(part, i64([3]))) for part in ops.split(pairs, i64(3), 2).outputs)
    else:
        gate, linear = ops.split(data, i64(-1), 2).outputs
    limit = node.attributes.float("swiglu_limit", np.inf)
    if np.isfinite(limit):
        gate = output(ops.minimum(gate, scalar(limit, gate)))
        linear = output(ops.clamp(linear, -limit, limit))
    alpha, beta = node.attributes.float("activation_alpha", 1.0), node.attributes.float("activation_beta", 0.0)
    moved = ops.add(linear, scalar(beta, type_of(gate))) if beta else linear
    return output(ops.multiply(ops.swish(gate, scalar(alpha, gate)), moved))
