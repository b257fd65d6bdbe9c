"""Samples of GridSampleND of version extension."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, param

OURS = "OpenVINO has no GridSample of other than two axes"
RANDOM = np.random.default_rng(0)
VOLUME = RANDOM.normal(size=(2, 3, 4, 3, 5)).astype(np.float32)
GRID = RANDOM.uniform(-1.4, 1.4, size=(2, 2, 3, 2, 3)).astype(np.float32)
LINE = np.arange(1.0, 5.0, dtype=np.float32).reshape(1, 1, 4)


def linear(data: Array, grid: Array) -> Array:
    """Return pixels weighted one by one: ends of the axes at the edges of pixels, zeros outside."""
    lengths = data.shape[2:]
    result = np.zeros((*data.shape[:2], *grid.shape[1:-1]), np.float64)
    for batch, *point in product(*map(range, grid.shape[:-1])):
        here: tuple[int, ...] = (batch, *point)
        at = [((x + 1) * n - 1) / 2 for x, n in zip(grid[here][::-1], lengths, strict=True)]
        for corner in product(*[(int(np.floor(x)), int(np.floor(x)) + 1) for x in at]):
            if all(0 <= c < n for c, n in zip(corner, lengths, strict=True)):
                weight = np.prod([1 - abs(x - c) for x, c in zip(at, corner, strict=True)])
                source: tuple[Any, ...] = (batch, slice(None), *corner)
                target: tuple[Any, ...] = (batch, slice(None), *point)
                result[target] += data[source] * weight
    return result


def sampled(data: Array, grid: Array, expected: Array | None = None, **attributes: object) -> Sample:
    return Sample(
        "GridSampleND",
        "extension",
        [param(data), param(grid)],
        attributes,
        expected,
        oracle=None if expected is not None else linear,
        openvino=OURS,
        openvino_shapes=OURS,
    )


POINTS = np.array([-1, -0.5, 0.2, 0.5, 1.5], np.float32).reshape(1, 5, 1)

SAMPLES = [
    sampled(VOLUME, GRID),
    sampled(LINE, POINTS),
    sampled(LINE, POINTS, np.array([[[1, 1, 3, 3, 4]]], np.float32), mode="nearest", padding_mode="border"),
    sampled(
        LINE,
        POINTS,
        np.array([[[1, 1.75, 2.8, 3.25, 3.25]]], np.float32),
        align_corners=True,
        padding_mode="reflection",
    ),
    sampled((LINE * 10).astype(np.uint8), POINTS, np.array([[[10, 18, 28, 32, 10]]], np.uint8), align_corners=True),
    sampled(LINE > 2, POINTS, np.array([[[False, False, True, True, False]]]), mode="nearest"),
    sampled(LINE, np.zeros((1, 0, 1), np.float32), np.zeros((1, 1, 0), np.float32)),
]

ERRORS = [
    ErrorSample(
        "GridSampleND", "extension", ["f32[1,2,3,4,5]", "f32[1,2,2,2,2]"], part="grid", says="the last of them 3"
    ),
    ErrorSample("GridSampleND", "extension", ["f32[2,2,3]", "f32[1,2,1]"], part="grid", says="first dimension"),
    ErrorSample("GridSampleND", "extension", ["f32[1,2,3]", "i64[1,2,1]"], part="grid", says="i64"),
]
