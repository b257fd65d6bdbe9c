"""Trims the outer elements of convolution kernels that read nothing but pads."""

from __future__ import annotations

from copy import copy

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes, constant_of
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.group_convolution import GroupConvolution


@follows("pad_fusion")
class KernelTrimming(Pattern):
    """Trim outer rows and columns of constant convolution kernels that read only pads.

    Shapes are known and not empty; other readers of the kernel read it whole.
    """

    roots = (Convolution, GroupConvolution)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        data, filters = op.inputs[:2]
        shape, output = None if data is None else data.shape, op.outputs[0].shape
        if filters is None or filters.constant is None or not shape or not output or 0 in (*shape, *output):
            return
        convolution, lengths = attributes(op, Convolution), shape[2:]
        kernel = filters.constant.shape[-len(lengths) :]
        windows = convolution.windows(len(lengths))
        begin, end = windows.pads(lengths, kernel)
        steps = zip(lengths, output[2:], kernel, windows.strides, windows.dilations, begin, end, strict=True)
        trims = [_trims_of(*axis) for axis in steps]
        if not any(map(any, trims)):
            return
        trimmed = copy(convolution)
        trimmed.auto_pad = "explicit"
        trimmed.pads_begin = tuple(a - n * d for a, (n, _), d in zip(begin, trims, windows.dilations, strict=True))
        trimmed.pads_end = tuple(a - n * d for a, (_, n), d in zip(end, trims, windows.dilations, strict=True))
        spatial = [slice(first, size - last) for (first, last), size in zip(trims, kernel, strict=True)]
        channels = [slice(None)] * (filters.constant.ndim - len(kernel))
        value = constant_of(filters.element_type, filters.constant[tuple(channels + spatial)])
        value.is_fixed = filters.is_fixed
        op.operation = trimmed
        rewriter.set_input(op, 1, value)


def _trims_of(
    length: int, windows: int, kernel: int, stride: int, dilation: int, begin: int, end: int
) -> tuple[int, int]:
    """Return how many of the first and how many of the last elements of a kernel read only pads along an axis.

    Each trimmed element removes as many pads as the dilation, so there are no more than the pads allow; one stays.
    """
    last_start = (windows - 1) * stride - begin
    first = max(0, min(-(last_start // dilation), begin // dilation, kernel - 1))
    last = max(0, min(kernel - 1 - (length - 1 + begin) // dilation, end // dilation, kernel - 1 - first))
    return first, last
