"""Fuses a division by the root of the mean square into one op."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.graph import Value
from ir_plugin.compiler.matching import producer_of, with_number
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.passes.normalization_fusion import QuotientFusion, is_square, mean_of
from ir_plugin.operations.arithmetic.binary import Add
from ir_plugin.operations.normalization.mvn import MVN
from ir_plugin.tensors import Array


class RmsNorm(MVN):
    """x / sqrt(mean(x²) + eps) along axes: MVN that does not subtract the mean."""

    type = "RmsNorm"
    is_internal = True

    def evaluate(self, data: Array, axes: Array) -> Array:
        """Return the normalized data."""
        squares = np.square(data).mean(axis=tuple(int(axis) for axis in axes.reshape(-1)), keepdims=True)
        result: Array = data / np.sqrt(squares + data.dtype.type(self.eps))
        return result


@follows("normalization_fusion")
class RmsNormFusion(QuotientFusion):
    """Fuse x / sqrt(mean(x²) + eps) into RmsNorm; a later pass fuses the scale.

    The mean keeps its constant axes, and numbers the rank of x; others may read the parts.
    """

    fused = RmsNorm

    def parts(self, numerator: Value, square: Value) -> tuple[Value, Value, float] | None:
        total = with_number(producer_of(square), Add)
        mean = None if total is None else mean_of(total[0])
        if mean is None or total is None or numerator.element_type.name not in ("f32", "f64"):
            return None
        squared = producer_of(mean[0])
        is_mean = squared is not None and squared.inputs[0] is numerator and is_square(squared)
        return (numerator, mean[1], total[1]) if is_mean else None
