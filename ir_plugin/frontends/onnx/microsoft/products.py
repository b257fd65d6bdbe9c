"""Products and convolutions that onnxruntime fuses with transposes and activation functions."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, i64, output, scalar
from ir_plugin.frontends.onnx.faults import OnnxUnsupportedError
from ir_plugin.frontends.onnx.microsoft.domain import bias_added, microsoft
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.recurrent.functions import Activation, is_function
from ir_plugin.frontends.onnx.rewording import as_operator, first_of
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops


@microsoft("TransposeMatMul")
@microsoft("FusedMatMul")
def fused_matmul(node: OnnxNode) -> Value:
    """Return alpha times the product of matrices, transposed where asked, also with the batch in the middle."""
    return _product(node)


@microsoft("FusedMatMulActivation")
def fused_matmul_activation(node: OnnxNode) -> Value:
    """Return an activation function of FusedMatMul."""
    attributes = node.attributes
    parameters = [attributes.float(f"activation_{name}", 0.0) for name in ("alpha", "beta")]
    return _activated(attributes.text("activation"), parameters, _product(node), attributes.int("activation_axis", -1))


def _product(node: OnnxNode) -> Output:
    left, right = (
        _after_batch(node.input(index)) if node.attributes.flag(f"transBatch{side}", 0) else node.input(index)
        for index, side in enumerate("AB")
    )
    result = ops.matmul(left, right, node.attributes.flag("transA", 0), node.attributes.flag("transB", 0))
    alpha = node.attributes.float("alpha", 1.0)
    return output(result if alpha == 1 else ops.multiply(result, scalar(alpha, result)))


def _after_batch(value: Output) -> Output:
    """Return [rows, batch…, columns] as [batch…, rows, columns]."""
    rank = len(value.tensor_info.shape)
    return output(ops.transpose(value, i64([*range(1, rank - 1), 0, rank - 1])))


@microsoft("FusedGemm")
def fused_gemm(node: OnnxNode) -> Value:
    """Return an activation function of Gemm."""
    attributes = node.attributes
    parameters = [attributes.float(f"activation_{name}", 0.0) for name in ("alpha", "beta")]
    result = first_of(as_operator(node, "Gemm", 13, node.inputs))
    return _activated(attributes.text("activation", ""), parameters, result)


@microsoft("FusedConv")
def fused_conv(node: OnnxNode) -> Value:
    """Return an activation function of a convolution and what is added to it."""
    result = first_of(as_operator(node, "Conv", 22, node.inputs[:3]))
    parameters = node.attributes.floats("activation_params", None) or []
    return _activated(node.attributes.text("activation", ""), parameters, bias_added(result, node.optional(3)))


@microsoft("NhwcConv")
def nhwc_conv(node: OnnxNode) -> Value:
    """Return a convolution with channels-last data and filters, between Transposes."""
    rank = node.known_rank(0)
    first, last = i64([0, rank - 1, *range(1, rank - 1)]), i64([0, *range(2, rank), 1])
    data, filters = (ops.transpose(node.input(index), first) for index in (0, 1))
    return ops.transpose(first_of(as_operator(node, "Conv", 22, [data, filters, node.optional(2)])), last)


def _activated(name: str, parameters: list[float], data: Output, axis: int = -1) -> Output:
    """Return an activation function by the name of its operator; without a name the data."""
    if not name:
        return data
    if name == "Clip":
        return output(ops.clamp(data, parameters[0], parameters[1]))
    if name == "Softmax":
        return output(ops.softmax(data, axis))
    if name == "HardSwish":
        return output(ops.hswish(data))
    if not is_function(name.lower()):
        raise OnnxUnsupportedError(f"the activation function {name!r} is not known")
    return Activation(name.lower(), *parameters[:2])(data)
