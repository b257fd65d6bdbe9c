"""Fuses a division by the root of the mean square into one op."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.passes.normalization_fusion import mean_of, quotients, replace_quotients
from ir_plugin.compiler.rewriter import is_near, number_of, producer_of, with_number
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


def rms_norm_fusion(graph: Graph) -> None:
    """Fuse x / sqrt(mean(x²) + eps) into RmsNorm; a later pass fuses the scale."""
    replace_quotients(graph, _parts, RmsNorm)


def _parts(op: Op) -> tuple[Value, Value, float] | None:
    """Return the data, axes and eps of a normalization that ends with this op."""
    for x, square in quotients(op):
        total = with_number(producer_of(square), "Add")
        mean = None if total is None else mean_of(total[0])
        if mean is None or total is None or x.element_type.name not in ("f32", "f64"):
            continue
        if _is_square(mean[0], x) and op.outputs[0].shape == x.shape:
            return x, mean[1], total[1]
    return None


def _is_square(value: Value, x: Value) -> bool:
    producer = producer_of(value)
    if producer is None or len(producer.inputs) != 2 or producer.inputs[0] is not x:
        return False
    operand = producer.inputs[1]
    return (producer.type == "Multiply" and operand is x) or (
        producer.type == "Power" and is_near(number_of(operand), 2)
    )
