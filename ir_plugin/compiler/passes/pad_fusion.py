"""Fuses a Pad of zeros into the convolutions that read it."""

from __future__ import annotations

from copy import copy

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes
from ir_plugin.operations.base import Operation
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.operations.movement.pad import Pad
from ir_plugin.tensors import Array


@follows("identity_elimination")
class PadFusion(Pattern):
    """Fuse a Pad of zeros on spatial axes into the convolutions that read it.

    All its readers are convolutions of known shapes that read it as data, and not as filters as well.
    """

    roots = (Pad,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        pads, output, data = _spatial_zeros(op), op.outputs[0], op.inputs[0]
        if pads is None or data is None or output.is_result:
            return
        readers = [(reader, _merged(reader, *pads)) for reader in output.users if output not in reader.inputs[1:]]
        if len(readers) != len(output.users) or any(merged is None for _, merged in readers):
            return
        for reader, merged in readers:
            reader.operation = reader.operation if merged is None else merged
            reader.nodes = [*reader.nodes, *op.nodes]
        rewriter.bypass(op, data)


def _spatial_zeros(op: Op) -> tuple[list[int], list[int]] | None:
    """Return the numbers of zeros before and after each spatial axis that a Pad adds, if it does nothing else."""
    if attributes(op, Pad).pad_mode != "constant":
        return None
    numbers: list[Array] = [
        value.constant for value in op.inputs[1:3] if value is not None and value.constant is not None
    ]
    value = op.inputs[3] if len(op.inputs) > 3 else None
    if len(numbers) != 2 or (value is not None and (value.constant is None or bool(value.constant.any()))):
        return None
    begin, end = (array.reshape(-1).tolist() for array in numbers)
    if len(begin) < 3 or any(begin[:2]) or any(end[:2]) or min(*begin, *end) < 0:
        return None
    return begin[2:], end[2:]


def _merged(reader: Op, begin: list[int], end: list[int]) -> Operation | None:
    """Return the operation of a reader with the pads added; None unless it is a convolution of known shapes."""
    data, filters = [*reader.inputs, None, None][:2]
    if not reader.is_a(Convolution, GroupConvolution) or data is None or filters is None:
        return None
    if data.shape is None or filters.shape is None:
        return None
    convolution, axes = attributes(reader, Convolution), len(begin)
    windows = convolution.windows(axes)
    before, after = windows.pads(data.shape[2:], filters.shape[-axes:])
    merged = copy(convolution)
    merged.auto_pad = "explicit"
    merged.pads_begin = tuple(a + b for a, b in zip(before, begin, strict=True))
    merged.pads_end = tuple(a + b for a, b in zip(after, end, strict=True))
    return merged
