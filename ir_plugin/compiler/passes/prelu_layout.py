"""Reshapes the slopes of PRelu so that NumPy broadcasts them and epilogues can apply it."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, constant_of
from ir_plugin.operations.activation.prelu import PRelu, belongs_to_channels
from ir_plugin.tensors import PartialShape


@follows("power_to_multiply")
class PreluLayout(Pattern):
    """Reshape constant slopes of PRelu, one for each channel, so that they broadcast as in NumPy.

    The shape of the data is known and has more than two axes; other readers of the slopes read them as they were.
    """

    roots = (PRelu,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        data, slope = op.inputs
        if data is None or slope is None or slope.constant is None or data.shape is None:
            return
        if len(data.shape) > 2 and _is_of_channels(op):
            reshaped = constant_of(slope.element_type, slope.constant.reshape(-1, *[1] * (len(data.shape) - 2)))
            reshaped.is_fixed = slope.is_fixed
            rewriter.set_input(op, 1, reshaped)


def is_broadcast(op: Op) -> bool:
    """Return whether the slopes of a PRelu are constant, finite, of the data's type, and broadcast as in NumPy.

    It is True for other operations.
    """
    if not op.is_a(PRelu):
        return True
    data, slope = op.inputs[:2]
    if data is None or data.shape is None or slope is None or slope.constant is None:
        return False
    if slope.element_type is not data.element_type:
        return False
    rank = len(data.shape)
    return (
        slope.constant.ndim <= rank
        and bool(np.isfinite(slope.constant).all())
        and (rank <= 2 or not _is_of_channels(op))
    )


def _is_of_channels(op: Op) -> bool:
    data, slope = (PartialShape(() if value is None else value.shape or ()) for value in op.inputs)
    return belongs_to_channels(data, slope)
