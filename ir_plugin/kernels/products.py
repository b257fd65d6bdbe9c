"""Products of matrices into given buffers, shared by the threads of a team."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels.post import Rows
from ir_plugin.kernels.team import SMALL_WORK, Team, split
from ir_plugin.tensors import Array

MANY_ROWS = 512
"""From so many rows on threads share the rows; below, the columns, so that each packs only its part of the weights."""

STAGE_BYTES = 2**18
"""Bytes of rows to which fused stages are applied at once."""

Product: TypeAlias = "Callable[[Array, Array, Sequence[Array]], None]"
"""Computes rows [M, N] from rows [M, K], given the operands of fused stages as rows."""


def with_weights(weights: Array, rows: int, post: Rows | None, team: Team) -> Product:
    """Return the product of so many rows with constant weights [K, N]."""
    depth, width = weights.shape
    small = rows * depth * width < SMALL_WORK
    by_rows = rows >= MANY_ROWS
    parts = split(rows if by_rows else width, 1 if small else team.size)
    packed = [weights] * len(parts) if by_rows else [np.ascontiguousarray(weights[:, a:b]) for a, b in parts]
    step = max(STAGE_BYTES // (weights.itemsize * width), 1)
    stage_parts = split(rows, len(parts))

    def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
        def product(number: int) -> None:
            start, end = parts[number]
            if by_rows:
                for first in range(start, end, step * 8):
                    last = min(first + step * 8, end)
                    np.matmul(data[first:last], packed[number], out=output[first:last])
                    _stages(post, output, first, last, step, operands)
            else:
                np.matmul(data, packed[number], out=output[:, start:end])

        def stages(number: int) -> None:
            _stages(post, output, *stage_parts[number], step, operands)

        team.run(product, len(parts))
        if post is not None and not by_rows:
            team.run(stages, len(stage_parts))

    return run


def _stages(post: Rows | None, output: Array, start: int, end: int, step: int, operands: Sequence[Array]) -> None:
    if post is not None:
        for first in range(start, end, step):
            post(output[first : min(first + step, end)], first, operands)


def batched(a: Array, b: Array, output: Array, team: Team) -> None:
    """Compute the products of two stacks of matrices, whose leading dimensions broadcast."""
    work = output.size * a.shape[-1]
    leads = output.shape[:-2]
    if work < SMALL_WORK or team.size == 1 or not leads or leads[-1] < team.size:
        np.matmul(a, b, out=output)
        return
    parts = split(leads[-1], team.size)

    def part(number: int) -> None:
        start, end = parts[number]
        np.matmul(_some(a, start, end), _some(b, start, end), out=output[..., start:end, :, :])

    team.run(part, len(parts))


def _some(array: Array, start: int, end: int) -> Array:
    return array if array.ndim < 3 or array.shape[-3] == 1 else array[..., start:end, :, :]
