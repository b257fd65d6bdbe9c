"""Operators on quantized data (QLinear…): they compute in f32, and quantize the result."""

from __future__ import annotations

from collections.abc import Callable

from ir_plugin.frontends.onnx.common import Value, cast, i64, normalized, output, scalar, type_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.microsoft.domain import microsoft
from ir_plugin.frontends.onnx.microsoft.normalization import embed_layer_normalization
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.quantization.scales import centered, quantized
from ir_plugin.frontends.onnx.registry import Translated
from ir_plugin.frontends.onnx.rewording import as_operator, first_of
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType

Compute = Callable[[OnnxNode, Output], Value]


def real(node: OnnxNode, index: int) -> Output:
    """Return the numbers that quantized data stand for; scale and zero point are the next inputs."""
    numbers = centered(node.input(index), node.optional(index + 2), ElementType.f32)
    return output(ops.multiply(numbers, node.input(index + 1)))


def result(node: OnnxNode, value: Value, index: int, like: int = 0) -> Output:
    """Return a value quantized by the scale of an input and the zero point of the next one."""
    zero = node.optional(index + 1)
    element_type = node.type_of(like) if zero is None else type_of(zero)
    return quantized(ops.divide(value, node.input(index)), zero, element_type)


def _sigmoid(_node: OnnxNode, data: Output) -> Value:
    return ops.sigmoid(data)


def _leaky_relu(node: OnnxNode, data: Output) -> Value:
    return ops.prelu(data, scalar(node.attributes.float("alpha", 0.01), data))


def _mean(node: OnnxNode, data: Output) -> Value:
    axes = node.attributes.ints("axes", None)
    every = list(range(node.known_rank(0)))
    return ops.reduce_mean(data, i64(axes or every), keep_dims=node.attributes.flag("keepdims", 1))


def _softmax(node: OnnxNode, data: Output) -> Value:
    version = node.attributes.int("opset", 13)
    return first_of(as_operator(node, "Softmax", version, [data], opset=None))


def _average_pool(node: OnnxNode, data: Output) -> Value:
    return _of_channels(
        node, data, lambda first: first_of(as_operator(node, "AveragePool", 11, [first], channels_last=None))
    )


def _global_average_pool(node: OnnxNode, data: Output) -> Value:
    return _of_channels(node, data, lambda first: first_of(as_operator(node, "GlobalAveragePool", 1, [first])))


def _of_channels(node: OnnxNode, data: Output, pool: Callable[[Output], Value]) -> Value:
    """Apply `pool` to the data, which is channels-last if `channels_last` is set."""
    if not node.attributes.flag("channels_last", 0):
        return pool(data)
    rank = node.known_rank(0)
    first = output(ops.transpose(data, i64([0, rank - 1, *range(1, rank - 1)])))
    return ops.transpose(pool(first), i64([0, *range(2, rank), 1]))


_UNARY: dict[str, Compute] = {
    "QLinearSigmoid": _sigmoid,
    "QLinearLeakyRelu": _leaky_relu,
    "QLinearReduceMean": _mean,
    "QLinearSoftmax": _softmax,
    "QLinearAveragePool": _average_pool,
    "QLinearGlobalAveragePool": _global_average_pool,
}
_BINARY = {"QLinearAdd": ops.add, "QLinearMul": ops.multiply}


def _register_unary(type: str, compute: Compute) -> None:
    @microsoft(type)
    def translate(node: OnnxNode) -> Value:
        return result(node, compute(node, real(node, 0)), 3)


def _register_binary(type: str, compute: Callable[..., Value]) -> None:
    @microsoft(type)
    def translate(node: OnnxNode) -> Value:
        return result(node, compute(real(node, 0), real(node, 3)), 6)


for _type, _compute in _UNARY.items():
    _register_unary(_type, _compute)
for _type, _function in _BINARY.items():
    _register_binary(_type, _function)


@microsoft("QLinearWhere")
def qlinear_where(node: OnnxNode) -> Value:
    """Return elements of one or the other of two quantized data."""
    return result(node, ops.select(node.input(0), real(node, 1), real(node, 4)), 7)


@microsoft("QLinearConcat")
def qlinear_concat(node: OnnxNode) -> Value:
    """Return quantized data of different scales joined along an axis."""
    count = len(node.inputs) - 2
    if count < 3 or count % 3:
        raise OnnxReadError(f"it has {count} inputs after scale and zero point; it must have three for each tensor")
    parts = [real(node, index) for index in range(2, len(node.inputs), 3)]
    return result(node, ops.concat(parts, normalized(node.attributes.int("axis"), node.known_rank(2))), 0)


@microsoft("QEmbedLayerNormalization")
def qembed_layer_normalization(node: OnnxNode) -> Translated:
    """Return EmbedLayerNormalization of tables that are quantized as a whole."""
    tables: list[Output | None] = []
    for index in range(5):
        table, scale, zero = (node.optional(base + index) for base in (2, 8, 13))
        if table is None or scale is None:
            tables.append(None)
        else:
            tables.append(output(ops.multiply(centered(table, zero, ElementType.f32), cast(scale, ElementType.f32))))
    inner = OnnxNode(
        node.scope, node.proto, node.version, node.schema, [node.input(0), node.optional(1), *tables, node.optional(7)]
    )
    return embed_layer_normalization(inner)
