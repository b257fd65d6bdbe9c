"""ConvTranspose: the gradient of a convolution."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, i64, shape_of
from ir_plugin.frontends.onnx.convolution.conv import biased, conv_window, grouped
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.frontends.onnx.windows import Window
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops


@translates("ConvTranspose", 1)
def conv_transpose(node: OnnxNode) -> Value:
    """Return ConvolutionBackpropData-1 (GroupConvolutionBackpropData-1 for groups) and the sum with the bias."""
    window, group = conv_window(node), node.attributes.int("group")
    extra = node.attributes.ints("output_padding", None) or [0] * len(window.kernel)
    lengths = node.attributes.ints("output_shape", None)
    if lengths:
        return _with_bias(node, _to_shape(node, window, extra, lengths[-len(window.kernel) :]))
    begin, end = window.begin, window.end
    if window.is_same and not _is_kernel_known(node):
        spatial = ops.slice(shape_of(node.input(0)), i64([2]), i64([2 + len(window.kernel)]), i64([1]))
        multiplied = ops.multiply(spatial, i64(window.strides))
        return _with_bias(node, _transposed(node, group, window, begin, end, extra, multiplied))
    if window.is_same:
        extents = zip(window.extents(), extra, window.strides, strict=True)
        totals = [extent + more - stride for extent, more, stride in extents]
        begin, end = _split(totals, window)
        extra = [more + max(-total, 0) for more, total in zip(extra, totals, strict=True)]
    return _with_bias(node, _transposed(node, group, window, begin, end, extra))


def _to_shape(node: OnnxNode, window: Window, extra: list[int], lengths: list[int]) -> Node:
    """Return the convolution to spatial lengths, for which the pads are derived."""
    group, shape = node.attributes.int("group"), node.input(0).tensor_info.shape
    spatial = list(shape[2:]) if shape.ndim is not None else []
    if not spatial or not all(dim.is_static for dim in spatial) or not _is_kernel_known(node):
        return _transposed(node, group, window, window.begin, window.end, extra, i64(lengths))
    ends = zip(spatial, window.strides, extra, window.extents(), lengths, strict=True)
    totals = [(dim.get_length() - 1) * stride + more + size - target for dim, stride, more, size, target in ends]
    begin, end = _split(totals, window)
    extra = [more + max(-total, 0) for more, total in zip(extra, totals, strict=True)]
    return _transposed(node, group, window, begin, end, extra)


def _is_kernel_known(node: OnnxNode) -> bool:
    """Return whether the lengths of the kernel are known before the run."""
    declared = node.attributes.ints("kernel_shape", None)
    return bool(declared) or all(dim.is_static for dim in node.input(1).tensor_info.shape[2:])


def _split(totals: list[int], window: Window) -> tuple[list[int], list[int]]:
    """Split total pads into begin and end; of an odd total the end gets the larger half only with SAME_UPPER."""
    totals = [max(total, 0) for total in totals]
    small, large = [total // 2 for total in totals], [total - total // 2 for total in totals]
    return (small, large) if window.auto_pad == "same_upper" else (large, small)


def _transposed(
    node: OnnxNode,
    group: int,
    window: Window,
    begin: list[int],
    end: list[int],
    extra: list[int],
    lengths: Value | None = None,
) -> Node:
    data, filters = node.input(0), node.input(1)
    if group < 1:
        raise OnnxReadError(f"the attribute 'group' is {group}; it must be 1 or more")
    build = ops.convolution_backprop_data if group == 1 else ops.group_convolution_backprop_data
    return build(
        data,
        filters if group == 1 else grouped(filters, group),
        window.strides,
        lengths,
        begin,
        end,
        window.dilations,
        "explicit" if lengths is None else _larger_half(window),
        extra,
    )


def _larger_half(window: Window) -> str:
    """Return the `auto_pad` that splits pads as `_split` does; the larger half is in front by IR's same_upper."""
    return "same_lower" if window.auto_pad == "same_upper" else "same_upper"


def _with_bias(node: OnnxNode, result: Node) -> Value:
    return biased(node, result, node.optional(2))
