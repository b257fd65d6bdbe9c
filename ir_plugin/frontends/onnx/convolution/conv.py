"""Conv and DeformConv: convolutions with groups and a bias."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, i64, output, shape_of
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.frontends.onnx.windows import Window, window_of
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops


@translates("Conv", 1)
def conv(node: OnnxNode) -> Value:
    """Return Convolution-1, or GroupConvolution-1 for several groups, and the sum with the bias."""
    data, filters = node.input(0), node.input(1)
    window, group = conv_window(node), node.attributes.int("group")
    arguments = (window.strides, window.begin, window.end, window.dilations, window.auto_pad)
    if group == 1:
        return biased(node, ops.convolution(data, filters, *arguments), node.optional(2))
    return biased(node, ops.group_convolution(data, grouped(filters, group), *arguments), node.optional(2))


@translates("DeformConv", 19)
def deform_conv(node: OnnxNode) -> Value:
    """Return DeformableConvolution-8 and the sum with the bias."""
    window = conv_window(node)
    if len(window.kernel) != 2:
        raise OnnxUnsupportedError(f"it has {len(window.kernel)} spatial axes; only two are supported")
    result = ops.deformable_convolution(
        node.input(0),
        node.input(2),
        node.input(1),
        window.strides,
        window.begin,
        window.end,
        window.dilations,
        node.optional(4),
        group=node.attributes.int("group"),
        deformable_group=node.attributes.int("offset_group"),
        bilinear_interpolation_pad=True,
    )
    return biased(node, result, node.optional(3))


def conv_window(node: OnnxNode) -> Window:
    """Return the window of a convolution, whose kernel is as long as its filters."""
    rank = node.known_rank(1)
    if rank < 3:
        raise OnnxReadError(f"the filters have the rank {rank}; it must be 3 or more")
    lengths = [dim.get_length() if dim.is_static else None for dim in node.input(1).tensor_info.shape[2:]]
    kernel: list[int] = node.attributes.ints("kernel_shape", None) or [length or 1 for length in lengths]
    if len(kernel) != len(lengths) or any(
        actual not in (None, declared) for actual, declared in zip(lengths, kernel, strict=True)
    ):
        raise OnnxReadError(
            f"the attribute 'kernel_shape' is {kernel}; the filters are {node.input(1).tensor_info.shape}"
        )
    return window_of(node, kernel)


def grouped(filters: Output, group: int) -> Output:
    """Return filters with an axis of groups in front."""
    shape = filters.tensor_info.shape
    if shape[0].is_static and (group < 1 or shape[0].get_length() % group):
        raise OnnxReadError(f"the attribute 'group' is {group}; it must divide the {shape[0]} filters")
    lengths = [dim.get_length() for dim in shape] if shape.is_static else None
    if lengths is not None:
        target = i64([group, lengths[0] // group, *lengths[1:]])
        return output(ops.reshape(filters, target, special_zero=False))
    rest = ops.slice(shape_of(filters), i64([1]), i64([shape.ndim or 0]), i64([1]))
    return output(ops.reshape(filters, ops.concat([i64([group, -1]), rest], 0), special_zero=False))


def biased(node: OnnxNode, result: Value, bias: Output | None) -> Value:
    """Return the sum of a convolution and the bias of its channels."""
    if bias is None:
        return result
    spatial = node.known_rank(1) - 2
    constant = bias.tensor_info.value
    if constant is not None:
        return ops.add(result, constant_of(constant.reshape(1, -1, *[1] * spatial), bias.tensor_info.element_type))
    return ops.add(result, ops.reshape(bias, i64([1, -1, *[1] * spatial]), special_zero=False))
