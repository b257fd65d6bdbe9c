"""Samples of MulticlassNms-9 and MulticlassNms-8."""

from __future__ import annotations

import numpy as np

from tests.operations.sort._boxes import APART, inputs
from tests.support.sample import ErrorSample, In, Sample, param

NMS = "MulticlassNms"


def sample(version: int, inputs: list[In], expected: object = None, openvino: str = "", **attributes: object) -> Sample:
    chosen = {"score_threshold": 0.1, "iou_threshold": 0.4, **attributes}
    return Sample(NMS, version, inputs, chosen, expected, openvino=openvino, outputs=3)


TWO = [param(APART), param(np.array([[[0.5, 0.4, 0.05, 0.9], [0.2, 0.8, 0.6, 0.1]]], np.float32))]
PARTIAL = [["?,?,4", "?,?,?"], ["1..3,2..9,4", "2..5,1..4,?"]]


def both(version: int) -> list[Sample]:
    return [
        Sample(NMS, version, inputs(), {"sort_result_type": "score", "iou_threshold": 0.4}, outputs=3, shapes=PARTIAL),
        Sample(
            NMS, version, inputs(1), {"nms_top_k": 4, "keep_top_k": 5, "iou_threshold": 0.3}, outputs=3, shapes=PARTIAL
        ),
        sample(version, inputs(2), sort_result_type="classid", background_class=1, nms_top_k=5),
        sample(version, inputs(3), sort_result_type="classid", sort_result_across_batch=True),
        sample(
            version,
            inputs(4, size=3),
            sort_result_type="score",
            sort_result_across_batch=True,
            normalized=False,
            output_type="i32",
        ),
        sample(version, inputs(5, type="f16"), sort_result_type="score", keep_top_k=8),
        sample(
            version,
            TWO,
            sort_result_type="classid",
            score_threshold=0.4,
            expected=[
                [[0, 0.9, 0, 0, 1, 0.9], [0, 0.4, 2, 2, 3, 3], [1, 0.8, 2, 2, 3, 3], [1, 0.6, 4, 4, 5, 5]],
                [[3], [1], [1], [2]],
                [4],
            ],
        ),
        sample(version, TWO, score_threshold=2.0, expected=[np.zeros((0, 6)), np.zeros((0, 1)), [0]]),
        sample(
            version,
            TWO,
            iou_threshold=0.95,
            nms_eta=0.9,
            score_threshold=0.45,
            background_class=1,
            sort_result_type="score",
            expected=[[[0, 0.9, 0, 0, 1, 0.9]], [[3]], [1]],
        ),
    ]


def unshared() -> list[In]:
    """Return boxes, scores and numbers of boxes for images that do not share boxes."""
    boxes, scores = inputs(7, images=1, classes=3, count=8)
    more = np.concatenate([boxes.value, boxes.value[:, ::-1], boxes.value + 0.05])
    return [param(more), param(scores.value[0]), param([3, 5])]


SPLIT = [["?,?,4", "?,?", "?"], ["2..3,?,4", "?,2..9", "1..3"]]
SAMPLES = [
    *both(9),
    *both(8),
    Sample(NMS, 9, unshared(), {"sort_result_type": "score", "iou_threshold": 0.3}, outputs=3, shapes=SPLIT),
    sample(9, unshared(), sort_result_type="classid", sort_result_across_batch=True, background_class=0),
    sample(9, unshared(), keep_top_k=2, nms_top_k=3, output_type="i32"),
    sample(9, [*unshared()[:2], param([0, 2, 6], "i32")], sort_result_type="classid"),
]

SHAPES = ["f32[2,8,4]", "f32[2,3,8]"]
SPLIT_SHAPES = ["f32[3,8,4]", "f32[3,8]"]
ERRORS = [
    ErrorSample(NMS, 9, ["f32[2,8,5]", SHAPES[1]], part="boxes", says="must be 4", outputs=3),
    ErrorSample(NMS, 8, [SHAPES[0], "f32[1,3,8]"], part="scores", says="batches", outputs=3),
    ErrorSample(NMS, 8, SHAPES, {"keep_top_k": -2}, part="keep_top_k", says="-2", outputs=3),
    ErrorSample(NMS, 9, SHAPES, {"nms_eta": 1.5}, part="nms_eta", says="[0, 1]", outputs=3),
    ErrorSample(NMS, 9, [*SPLIT_SHAPES, "i64[1,2]"], part="roisnum", says="rank must be 1", outputs=3),
    ErrorSample(NMS, 9, [*SPLIT_SHAPES, "f32[2]"], part="roisnum", says="f32", outputs=3),
    ErrorSample(NMS, 9, [SPLIT_SHAPES[0], "f32[3,7]", "i64[2]"], part="scores", says="differ", outputs=3),
    ErrorSample(NMS, 9, [*unshared()[:2], param([3, 6])], says="roisnum is [3, 6]", code="IR701", outputs=3),
]
