"""Samples of NonMaxSuppression-9, -5, -4, -3 and -1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param

NMS = "NonMaxSuppression"
BOXES = np.array(
    [[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]]],
    np.float32,
)
SCORES = np.array([[[0.9, 0.75, 0.6, 0.95, 0.5, 0.3]]], np.float32)
FLIPPED = BOXES[..., [2, 1, 0, 3]]
CENTERS = np.concatenate([(BOXES[..., :2] + BOXES[..., 2:]) / 2, BOXES[..., 2:] - BOXES[..., :2]], axis=-1)
TWO_BOXES = np.concatenate([BOXES, BOXES[:, ::-1]])
TWO_SCORES = np.stack([np.stack([SCORES[0, 0], SCORES[0, 0] * 0.9]), np.stack([SCORES[0, 0] * 0.8, SCORES[0, 0]])])
RANDOM = np.random.default_rng(3)
CORNERS = RANDOM.uniform(0, 10, (2, 50, 2)).astype(np.float32)
MANY_BOXES = np.concatenate([CORNERS, CORNERS + RANDOM.uniform(1, 5, (2, 50, 2)).astype(np.float32)], axis=-1)
MANY_SCORES = (RANDOM.permutation(300).reshape(2, 3, 50) / 300).astype(np.float32)
EQUAL = np.full((1, 2, 6), 0.5, np.float32)


DYNAMIC = "the CPU wants the last dimension of boxes to be known when it compiles"


def naive(boxes: Array, scores: Array, count: Array, overlap: Array, least: Array) -> list[Array]:
    """Select box by box, as the page says."""
    rows: list[tuple[float, int, int, int]] = []
    for batch, label in np.ndindex(scores.shape[:2]):
        candidates = [i for i in range(scores.shape[2]) if scores[batch, label, i] > least]
        selected: list[int] = []
        while candidates and len(selected) < count:
            best = max(candidates, key=lambda i: (scores[batch, label, i], -i))
            selected.append(best)
            candidates = [i for i in candidates if i != best and shared(boxes[batch, best], boxes[batch, i]) <= overlap]
        rows += [(-scores[batch, label, i], batch, label, i) for i in selected]
    rows.sort(key=lambda row: row[0])
    triplets = np.array([row[1:] for row in rows])
    score_triplets = np.array([[batch, label, -score] for score, batch, label, _ in rows], np.float32)
    return [triplets, score_triplets, np.array([len(rows)])]


def shared(a: Array, b: Array) -> float:
    """Return intersection over union of two boxes with ordered corners."""
    sides = [max(min(a[k + 2], b[k + 2]) - max(a[k], b[k]), 0) for k in (0, 1)]
    sizes = [float((box[2] - box[0]) * (box[3] - box[1])) for box in (a, b)]
    return float(sides[0] * sides[1] / (sum(sizes) - sides[0] * sides[1]))


def thresholds(count: int, overlap: float = 0.5, score: float = 0.0, *sigma: float) -> list[In]:
    return [const(count), *(const(float(value)) for value in (overlap, score, *sigma))]


def sample(
    version: int, inputs: Sequence[In | None], expected: object = None, openvino: str = "", **attributes: object
) -> Sample:
    return Sample(
        NMS,
        version,
        inputs,
        attributes,
        expected,
        openvino=openvino,
        outputs=3 if version >= 5 else 1,
        openvino_shapes="OpenVINO takes bounds for lengths, and unknown for one class" if version < 5 else "",
    )


def fixed(version: int) -> list[Sample]:
    """Return samples of the versions whose output has a fixed size in a model that is read."""
    single, double = [const(BOXES), param(SCORES)], [const(TWO_BOXES), param(TWO_SCORES)]
    return [
        sample(version, [*single, *thresholds(3)], [[0, 0, 3], [0, 0, 0], [0, 0, 5]]),
        sample(version, [param(BOXES), param(SCORES), *thresholds(2)], [[0, 0, 3], [0, 0, 0]], DYNAMIC),
        sample(version, [*single, *thresholds(6)], [[0, 0, 3], [0, 0, 0], [0, 0, 5]]),
        sample(version, [*single, *thresholds(4, 0.5, 0.4)], [[0, 0, 3], [0, 0, 0]]),
        sample(version, [*single, *thresholds(2)], sort_result_descending=False),
        sample(version, single, np.zeros((0, 3))),
        sample(version, [*single, const(2), const(0.5)], box_encoding="corner"),
        sample(
            version,
            [const(CENTERS), param(SCORES), *thresholds(3)],
            [[0, 0, 3], [0, 0, 0], [0, 0, 5]],
            box_encoding="center",
        ),
        sample(version, [*double, *thresholds(3)]),
        sample(version, [*double, *thresholds(3)], sort_result_descending=False),
        sample(version, [const(MANY_BOXES), param(MANY_SCORES), *thresholds(50)]),
    ]


def growing(version: int) -> list[Sample]:
    """Return samples of the versions with as many rows as boxes are selected."""
    single, double = [const(BOXES), param(SCORES)], [const(TWO_BOXES), param(TWO_SCORES)]
    large = [const(MANY_BOXES), param(MANY_SCORES)]
    chosen = [[[0, 0, 3], [0, 0, 0]], [[0, 0, 0.95], [0, 0, 0.9]], [2]]
    return [
        sample(version, [*single, *thresholds(6, 0.5, 0.4)], chosen),
        sample(version, [const(FLIPPED), param(SCORES), *thresholds(6, 0.5, 0.4)], chosen, output_type="i32"),
        sample(version, [const(CENTERS), param(SCORES), *thresholds(6, 0.5, 0.4)], chosen, box_encoding="center"),
        Sample(
            NMS,
            version,
            [param(TWO_BOXES), param(TWO_SCORES), *thresholds(2)],
            outputs=3,
            oracle=naive,
            openvino=DYNAMIC,
            shapes=[["2,6,?", "2,2,6"], ["1..2,3..8,4", "?,1..4,2..7"], ["?,?,?", "2,2,6"]],
        ),
        sample(version, [*double, *thresholds(2)], sort_result_descending=False),
        sample(version, [*double, param(3), param(0.4), param(0.2)]),
        sample(version, [*large, *thresholds(20, 0.3, 0.1)]),
        sample(version, [*large, *thresholds(50, 0.6, 0.2)], sort_result_descending=False),
        sample(version, [const(MANY_BOXES, "f16"), param(MANY_SCORES, "f16"), const([7], "i32"), const([0.45], "f16")]),
        sample(version, [const(BOXES), param(EQUAL), *thresholds(5)]),
        sample(
            version, [*single, *thresholds(6, 0.5, 0.3)], [[[0, 0, 3], [0, 0, 0]], [[0, 0, 0.95], [0, 0, 0.9]], [2]]
        ),
        sample(
            version,
            [*single, *thresholds(0)],
            [np.zeros((0, 3)), np.zeros((0, 3)), [0]],
            "the CPU plugin fails for 0 boxes",
        ),
        sample(version, single, [np.zeros((0, 3)), np.zeros((0, 3)), [0]], "the CPU plugin fails for 0 boxes"),
        sample(
            version,
            [const(BOXES[:, [0, 0, 3]]), param(SCORES[..., :3]), *thresholds(3, 0.0)],
            [[[0, 0, 0], [0, 0, 2]], [[0, 0, 0.9], [0, 0, 0.6]], [2]],
            "the CPU drops boxes of an overlap of just the threshold",
        ),
    ]


CORNERS = RANDOM.uniform(0, 30, (1, 700, 2)).astype(np.float32)
CROWD = const(np.concatenate([CORNERS, CORNERS + RANDOM.uniform(1, 5, (1, 700, 2)).astype(np.float32)], axis=-1))
CROWD_SCORES = param((RANDOM.permutation(700).reshape(1, 1, 700) / 700).astype(np.float32))
SOFT = [
    sample(9, [CROWD, CROWD_SCORES, *thresholds(700, 0.2, 0.05)]),
    sample(9, [CROWD, CROWD_SCORES, *thresholds(250, 0.5, 0.05)]),
    sample(9, [const(MANY_BOXES), param(MANY_SCORES), *thresholds(30, 0.4, 0.05, 0.5)]),
    sample(9, [const(BOXES), param(SCORES), *thresholds(6, 0.9, 0.2, 0.3)]),
    sample(9, [const(TWO_BOXES), param(TWO_SCORES), *thresholds(6, 0.0, 0.0, 1.0)], sort_result_descending=False),
    sample(5, [const(BOXES), param(SCORES), *thresholds(6, 1.0, 0.2, 0.3)]),
    sample(
        5,
        [const(BOXES), param(SCORES), *thresholds(6, 0.5, 0.2, 0.3)],
        [[[0, 0, 3], [0, 0, 0], [0, 0, 5]], [[0, 0, 0.95], [0, 0, 0.9], [0, 0, 0.3]], [3]],
        "the CPU computes the -9",
    ),
]

SAMPLES = [
    *growing(9),
    *growing(5),
    *SOFT,
    *fixed(4),
    *fixed(3),
    *fixed(1),
    sample(4, [const(TWO_BOXES), param(TWO_SCORES), *thresholds(2)], output_type="i32"),
]

ERRORS = [
    ErrorSample(NMS, 9, ["f32[2,6,3]", "f32[2,1,6]"], part="boxes", says="must be 4", outputs=3),
    ErrorSample(NMS, 9, ["f32[2,6,4]", "f32[1,1,6]"], part="scores", says="batches", outputs=3),
    ErrorSample(NMS, 5, ["f32[2,6,4]", "f32[2,1,5]"], part="scores", says="5 boxes", outputs=3),
    ErrorSample(NMS, 5, ["i32[2,6,4]", "f32[2,1,6]"], part="boxes", says="i32", outputs=3),
    ErrorSample(NMS, 9, ["f32[2,6,4]", "f32[2,1,6]", const([1, 2])], part="max_output", says="[2]", outputs=3),
    ErrorSample(NMS, 9, ["f32[2,6,4]", "f32[2,1,6]", const(1), const(1)], part="iou_threshold", says="i64", outputs=3),
    ErrorSample(NMS, 4, ["f32[2,6,4]", "f32[2,1,6]", const([1])], part="max_output", says="rank must be 0"),
    ErrorSample(NMS, 3, ["f32[6,4]", "f32[2,1,6]"], part="boxes", says="rank must be 3"),
    ErrorSample(NMS, 1, ["f32[2,6,4]", "f32[1,6]"], part="scores", says="rank must be 3"),
]
