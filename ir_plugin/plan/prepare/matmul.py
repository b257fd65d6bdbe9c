"""Which form a product of matrices gets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.plan.prepare.prepared import Execute, Prepared, apply_late, split_post
from ir_plugin.plan.program import Call
from ir_plugin.tensors import Array


def prepare_matmul(call: Call) -> Prepared | None:
    """Return a product into a given buffer, of rows with packed weights where the second factor is constant."""
    if call.type != "MatMul":
        return None
    a, b, output = call.inputs[0], call.inputs[1], call.outputs[0]
    if a is None or b is None or a.shape is None or b.shape is None or not output.shape:
        return None
    if output.element_type.name not in ("f32", "f64") or len(a.shape) < 2 or len(b.shape) < 2 or 0 in output.shape:
        return None
    fields = call.operation.__dict__
    split = split_post(call.post, output.shape, -1)
    left, right = bool(fields["transpose_a"]), bool(fields["transpose_b"])
    weights = _packed(b.constant, right) if b.constant is not None and len(b.shape) == 2 and not left else None
    shape = output.shape
    count = len(split.row_values)

    def make() -> Execute:
        def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            target = outputs[0]
            if weights is not None:
                rows = inputs[0].reshape(-1, weights.shape[0])
                np.matmul(rows, weights, out=target.reshape(-1, shape[-1]))
                rest = inputs[1:]
            else:
                np.matmul(_swapped(inputs[0], left), _swapped(inputs[1], right), out=target)
                rest = inputs[2:]
            if split.rows is not None:
                flat = target.reshape(-1, shape[-1])
                step = max(2**16 // shape[-1], 1)
                operands = [array.reshape(-1, shape[-1]) for array in rest[:count]]
                for first in range(0, len(flat), step):
                    split.rows(flat[first : first + step], first, operands)
            apply_late(split.late, target, rest[count:])

        return execute

    factors = [a] if weights is not None else [a, b]
    form = "packed" if weights is not None else "batched"
    return Prepared([*factors, *split.row_values, *split.late_values], make, form=form)


def _packed(weights: Array | None, transposed: bool) -> Array | None:
    return None if weights is None else np.ascontiguousarray(weights.T if transposed else weights)


def _swapped(array: Array, transposed: bool) -> Array:
    return array.swapaxes(-1, -2) if transposed else array
