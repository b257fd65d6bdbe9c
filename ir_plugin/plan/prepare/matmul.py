"""Which form a product of matrices gets."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ir_plugin.kernels import products
from ir_plugin.kernels.team import Team
from ir_plugin.plan.prepare.prepared import Execute, Options, Prepared, Split, apply_late, split_post
from ir_plugin.plan.program import Call, Value
from ir_plugin.tensors import Array


def prepare_matmul(call: Call, options: Options) -> Prepared | None:
    """Return a product into a given buffer, of rows with packed weights where the second factor is constant."""
    if call.type != "MatMul":
        return None
    a, b, output = call.inputs[0], call.inputs[1], call.outputs[0]
    if a is None or b is None or a.shape is None or b.shape is None or not output.shape:
        return None
    if output.element_type.name not in ("f32", "f64") or len(a.shape) < 2 or len(b.shape) < 2 or 0 in output.shape:
        return None
    fields = call.operation.__dict__
    split = split_post(call.post, output.shape, -1, options)
    left, right = bool(fields["transpose_a"]), bool(fields["transpose_b"])
    weights = _packed(b.constant, right) if b.constant is not None and len(b.shape) == 2 and not left else None
    if weights is not None:
        return _with_weights(a, weights, output.shape, split)
    width, count = output.shape[-1], len(split.row_values)

    def make(team: Team) -> Execute:
        def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            target = outputs[0]
            products.batched(_swapped(inputs[0], left), _swapped(inputs[1], right), target, team)
            if split.rows is not None:
                split.rows(target.reshape(-1, width), 0, [array.reshape(-1, width) for array in inputs[2 : 2 + count]])
            apply_late(split.late, target, inputs[2 + count :])

        return execute

    return Prepared([a, b, *split.row_values, *split.late_values], make, form="batched")


def _with_weights(data: Value, weights: Array, shape: tuple[int, ...], split: Split) -> Prepared:
    depth, width = weights.shape
    count = len(split.row_values)

    def make(team: Team) -> Execute:
        run = products.with_weights(weights, prod(shape[:-1]), split.rows, team)

        def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            operands = [array.reshape(-1, width) for array in inputs[1 : 1 + count]]
            run(inputs[0].reshape(-1, depth), outputs[0].reshape(-1, width), operands)
            apply_late(split.late, outputs[0], inputs[1 + count :])

        return execute

    return Prepared([data, *split.row_values, *split.late_values], make, form="packed")


def _packed(weights: Array | None, transposed: bool) -> Array | None:
    return None if weights is None else np.ascontiguousarray(weights.T if transposed else weights)


def _swapped(array: Array, transposed: bool) -> Array:
    return array.swapaxes(-1, -2) if transposed else array
