"""Gated activations and normalizations of onnxruntime: ScaledSiLU, SwiGLU, GatedAdd, GatedRMSNorm, BiasSoftmax."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, as_scalar, cast, i64, normalized, output, scalar, shape_of
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.microsoft.domain import bias_added, microsoft
from ir_plugin.frontends.onnx.microsoft.normalization import rms_normalized
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import Translated
from ir_plugin.frontends.onnx.rewording import as_operator, first_of
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@microsoft("ScaledSiLU")
def scaled_silu(node: OnnxNode) -> Value:
    """Return Swish-4 of scaled data."""
    data = node.input(0)
    if node.has(1):
        scale = cast(as_scalar(node.input(1)), node.type_of(0))
    else:
        scale = scalar(node.attributes.float("alpha", 1.0), data)
    return ops.swish(ops.multiply(data, scale))


@microsoft("SwiGLU")
def swiglu(node: OnnxNode) -> Value:
    """Return gate * sigmoid(alpha * gate) * (up + beta), both clamped where there is a limit."""
    attributes, gate = node.attributes, node.input(0)
    parts = [gate, node.input(1)] if node.has(1) else list(ops.split(gate, i64(-1), 2).outputs)
    wide = [cast(part, ElementType.f32) for part in parts]
    limit = attributes.float("limit", 0.0)
    if limit > 0:
        wide = [output(ops.minimum(wide[0], scalar(limit, wide[0]))), output(ops.clamp(wide[1], -limit, limit))]
    up = ops.add(wide[1], scalar(attributes.float("activation_beta", 0.0), wide[1]))
    product = ops.multiply(ops.swish(wide[0], scalar(attributes.float("activation_alpha", 1.0), wide[0])), up)
    return cast(product, node.type_of(0))


@microsoft("GatedAdd")
def gated_add(node: OnnxNode) -> Value:
    """Return the sum of data and other data times a gate for each row."""
    gate = node.input(2)
    if node.has(3):
        gate = output(ops.sigmoid(ops.matmul(gate, node.input(3), False, False)))
    return ops.add(node.input(0), ops.multiply(node.input(1), gate))


@microsoft("GatedRMSNorm")
def gated_rms_norm(node: OnnxNode) -> Value:
    """Return groups of channels over the root of their mean square, scaled, times an activation of a gate."""
    name = node.attributes.text("activation", "silu")
    if name not in ("silu", "swish", "sigmoid"):
        raise OnnxReadError(f"the attribute 'activation' is {name!r}; it must be silu, swish or sigmoid")
    data, gate = (cast(node.input(index), ElementType.f32) for index in (0, 2))
    scale = cast(node.input(1), ElementType.f32)
    width = scale.tensor_info.shape[0]
    if not width.is_static:
        raise OnnxUnsupportedError("the length of the scale is unknown; it must be known")
    groups = ops.reshape(data, i64([-1, width.get_length()]), special_zero=False)
    normal = rms_normalized(output(groups), scale, i64([-1]), node.attributes.float("epsilon", 1e-5)).value
    whole = ops.reshape(normal, shape_of(data), special_zero=False)
    factor = ops.sigmoid(gate) if name == "sigmoid" else ops.swish(gate)
    return cast(ops.multiply(whole, factor), node.type_of(0))


@microsoft("BiasSoftmax")
def bias_softmax(node: OnnxNode) -> Value:
    """Return Softmax of the sum with a bias, over all axes from one on."""
    rank = node.known_rank(0)
    axis = normalized(node.attributes.int("axis", 1), rank)
    total = ops.add(node.input(0), node.input(1))
    rows = ops.concat([ops.slice(shape_of(total), i64([0]), i64([axis]), i64([1])), i64([-1])], 0)
    flat = ops.reshape(total, rows, special_zero=False)
    return ops.reshape(ops.softmax(flat, axis), shape_of(total), special_zero=False)


@microsoft("BiasDropout")
def bias_dropout(node: OnnxNode) -> Translated:
    """Return Dropout of the sum with a bias, plus a residual."""
    total = output(ops.add(node.input(0), node.input(1)))
    outputs = as_operator(node, "Dropout", 13, [total, node.optional(3), node.optional(4)])
    return [bias_added(first_of(outputs), node.optional(2)), *outputs[1:]]
