"""Fuses what QuantizeLinear and DequantizeLinear of ONNX are converted to into one FakeQuantize."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_plugin.compiler.folding import folded_constant
from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.matching import broadcasts_to, single_use_producer
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes, constant_of
from ir_plugin.operations.arithmetic.binary import Multiply, Subtract
from ir_plugin.operations.quantization.fake_quantize import FakeQuantize
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import Array


class _Pair(NamedTuple):
    quantize: Op
    scale: Array
    zero: Array


@follows()
class QuantizeDequantizeFusion(Pattern):
    """Fuse FakeQuantize, conversions to integers and back, Subtract and Multiply into one FakeQuantize.

    Nothing else reads the levels, and the constant scale and zero point broadcast to the shape of the levels.
    """

    roots = (Multiply,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        pair = _pair(op)
        limits = [] if pair is None else [folded_constant(value) for value in pair.quantize.inputs[3:5]]
        if pair is None or len(limits) != 2 or any(limit is None for limit in limits):
            return
        outputs = [(limit.astype(np.float32) - pair.zero) * pair.scale for limit in limits if limit is not None]
        quantize, (output,) = pair.quantize, op.outputs
        values = [constant_of(output.element_type, np.asarray(array, np.float32)) for array in outputs]
        operation, nodes = attributes(quantize, FakeQuantize), [*op.nodes, *quantize.nodes]
        rewriter.replace(op, [Op(operation, [*quantize.inputs[:3], *values], [output], nodes)])


def _pair(op: Op) -> _Pair | None:
    """Return the FakeQuantize, scale and zero point of a dequantization that ends with this op."""
    if op.outputs[0].element_type.name != "f32" or op.outputs[0].is_result:
        return None
    inner = single_use_producer(op.inputs[0])
    centred = inner if inner is not None and inner.is_a(Subtract) else None
    widened = single_use_producer((op if centred is None else centred).inputs[0], Convert)
    narrowed = None if widened is None else single_use_producer(widened.inputs[0], Convert)
    quantize = None if narrowed is None else single_use_producer(narrowed.inputs[0], FakeQuantize)
    limits = None if narrowed is None else _LIMITS.get(narrowed.outputs[0].element_type.name)
    if quantize is None or limits is None or not _is_whole(quantize, *limits):
        return None
    scale = folded_constant(op.inputs[1])
    zero = np.zeros((), np.float32) if centred is None else folded_constant(centred.inputs[1])
    if scale is None or zero is None or not _may_be_limits(quantize, scale, zero):
        return None
    return _Pair(quantize, scale, zero)


def _may_be_limits(quantize: Op, *operands: Array) -> bool:
    """Return whether a FakeQuantize can have constants, which are applied to its output, among its output limits."""
    is_numpy = attributes(quantize, FakeQuantize).auto_broadcast == "numpy"
    output = quantize.outputs[0]
    return all(broadcasts_to(array, output) and (is_numpy or array.size == 1) for array in operands)


_LIMITS = {"u8": (0, 255), "i8": (-128, 127), "u16": (0, 65535), "i16": (-32768, 32767)}


def _is_whole(quantize: Op, low: int, high: int) -> bool:
    """Return whether the levels of a FakeQuantize are consecutive integers between two limits, also as f32 rounds them.

    The quotient by 37 steps times 37 is not always whole, and a Convert leaves its fraction out.
    """
    ends = [folded_constant(value) for value in quantize.inputs[3:5]]
    if any(end is None or end.size != 1 for end in ends):
        return False
    first, last = (np.float32(end.reshape(-1)[0]) for end in ends if end is not None)
    steps = attributes(quantize, FakeQuantize).levels - 1
    if not low <= first < last <= high or last - first != steps:
        return False
    levels = np.arange(steps + 1, dtype=np.float32)
    return bool((levels / np.float32(steps) * (last - first) + first == levels + first).all())
