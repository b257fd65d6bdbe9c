"""Samples of NMSRotated-13."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param


def boxes(seed: int, count: int = 10) -> Array:
    random = np.random.default_rng(seed)
    centers, sizes, angles = (
        random.uniform(0, 3, (2, count, 2)),
        random.uniform(0.5, 3, (2, count, 2)),
        random.uniform(-4, 4, (2, count, 1)),
    )
    return np.concatenate([centers, sizes, angles], -1).astype(np.float32)


def scores(seed: int, count: int = 10) -> Array:
    ranks = np.random.default_rng(seed).permutation(4 * count)
    return (ranks / (4 * count)).reshape(2, 2, count).astype(np.float32)


def limits(count: int, overlap: float, least: float) -> list[In]:
    return [const(count), const(float(overlap)), const([float(least)])]


def sample(inputs: list[In], expected: object = None, openvino: str = "", **attributes: object) -> Sample:
    return Sample("NMSRotated", 13, inputs, attributes, expected, openvino=openvino, outputs=3)


# A unit square, the same turned by 45° (they share 2(√2 - 1), iou 0.707), a square turned by 90° beside it.
SQUARES = const(np.array([[[0, 0, 1, 1, 0], [0, 0, 1, 1, np.pi / 4], [1, 0, 1, 1, np.pi / 2]]], np.float32))
THREE = param([[[0.9, 0.8, 0.5]]])
SAMPLES = [
    sample([const(boxes(0)), param(scores(0)), *limits(6, 0.3, 0.1)]),
    sample([const(boxes(1)), param(scores(1)), *limits(20, 0.6, 0.0)], clockwise=False),
    sample([const(boxes(2)), param(scores(2)), *limits(3, 0.1, 0.4)], sort_result_descending=False, output_type="i32"),
    sample(
        [const(boxes(3, 40)), param(scores(3, 40)), *limits(40, 0.2, 0.1)],
        clockwise=False,
        sort_result_descending=False,
    ),
    sample([SQUARES, THREE, *limits(3, 0.7, 0.0)], [[[0, 0, 0], [0, 0, 2]], [[0, 0, 0.9], [0, 0, 0.5]], [2]]),
    sample([SQUARES, THREE, *limits(3, 0.71, 0.6)], [[[0, 0, 0], [0, 0, 1]], [[0, 0, 0.9], [0, 0, 0.8]], [2]]),
    Sample(
        "NMSRotated",
        13,
        [param(SQUARES.value), THREE, *limits(1, 0.5, 0.0)],
        {},
        [[[0, 0, 0]], [[0, 0, 0.9]], [1]],
        outputs=3,
        openvino="the CPU wants the last dimension of boxes to be known when it compiles",
        shapes=[["?,?,5", "?,?,?"], ["1..2,3..9,5", "1..4,2..3,?"]],
    ),
]

SHAPES: list[In | str] = ["f32[2,6,5]", "f32[2,1,6]", const(1), const(0.5), const(0.1)]
ERRORS = [
    ErrorSample("NMSRotated", 13, ["f32[2,6,4]", *SHAPES[1:]], part="boxes", says="must be 5", outputs=3),
    ErrorSample("NMSRotated", 13, [SHAPES[0], "f32[2,1,5]", *SHAPES[2:]], part="scores", says="5 boxes", outputs=3),
    ErrorSample("NMSRotated", 13, [*SHAPES[:2], const([1, 2]), *SHAPES[3:]], part="max_output", says="[2]", outputs=3),
    ErrorSample("NMSRotated", 13, [*SHAPES[:3], const(1), SHAPES[4]], part="iou_threshold", says="i64", outputs=3),
]
