"""Means and sums over neighbouring axes, as products with a vector."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ir_plugin.kernels.team import Team
from ir_plugin.plan.prepare.prepared import Execute, Options, Prepared
from ir_plugin.plan.program import Call
from ir_plugin.tensors import Array


def prepare_mean(call: Call, _options: Options) -> Prepared | None:
    """Return ReduceMean or ReduceSum of f32 or f64 over the last axes, or over the spatial ones of [N, C, …].

    The product with a vector is 4 to 20 times as fast as `sum`: .006 ms for 7x7x2048.
    """
    if call.type not in ("ReduceMean", "ReduceSum") or len(call.inputs) != 2 or call.post:
        return None
    data, axes, output = call.inputs[0], call.inputs[1], call.outputs[0]
    if data is None or not data.shape or axes is None or axes.constant is None or 0 in data.shape:
        return None
    if data.element_type.name not in ("f32", "f64"):
        return None
    rank = len(data.shape)
    chosen = sorted({int(axis) % rank for axis in axes.constant.reshape(-1)})
    if not chosen or chosen != list(range(chosen[0], rank)):
        return None
    count = prod(data.shape[chosen[0] :])
    weights = np.full(count, 1 / count if call.type == "ReduceMean" else 1, data.dtype)
    by_channel = data.channels_last and chosen[0] == 2
    run = _of_channels(data.shape, weights) if by_channel else _of_rows(weights)

    def make(_team: Team) -> Execute:
        return run

    last = by_channel and len(output.shape or ()) == rank
    return Prepared([data], make, channels_last=last, form="gemv")


def _of_channels(shape: tuple[int, ...], weights: Array) -> Execute:
    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        rows = np.moveaxis(inputs[0], 1, -1).reshape(shape[0], len(weights), shape[1])
        outputs[0][...] = np.matmul(weights, rows).reshape(outputs[0].shape)

    return execute


def _of_rows(weights: Array) -> Execute:
    def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        outputs[0][...] = np.matmul(inputs[0].reshape(-1, len(weights)), weights).reshape(outputs[0].shape)

    return execute
