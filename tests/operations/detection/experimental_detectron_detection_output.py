"""Samples of ExperimentalDetectronDetectionOutput-6."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, param

TYPE = "ExperimentalDetectronDetectionOutput"


def attributes(**more: object) -> dict[str, object]:
    return {
        "score_threshold": 0.3,
        "nms_threshold": 0.4,
        "num_classes": 4,
        "post_nms_count": 20,
        "max_detections_per_image": 12,
        "class_agnostic_box_regression": False,
        "max_delta_log_wh": 4.135,
        "deltas_weights": [10.0, 10.0, 5.0, 5.0],
        **more,
    }


def inputs(seed: int = 0, size: float = 500) -> list[In]:
    random = np.random.default_rng(seed)
    centers, sizes = random.uniform(5, 55, (15, 2)), random.uniform(5, 25, (15, 2))
    arrays = [
        np.concatenate([centers - sizes / 2, centers + sizes / 2], 1),
        random.normal(size=(15, 16)),
        (random.permutation(60) / 60).reshape(15, 4),
        np.array([[size, size, 1]]),
    ]
    return [param(array.astype(np.float32)) for array in arrays]


ONE = [
    param([[10.0, 20.0, 40.0, 50.0], [0.0, 0.0, 0.0, 0.0]]),
    param(np.zeros((2, 8), np.float32)),
    param([[0.9, 0.6], [0.1, 0.8]]),
    param([[30.0, 35.0, 1.0]]),
]
SAMPLES = [
    Sample(TYPE, 6, inputs(), attributes(), outputs=3, atol=1e-4),
    Sample(TYPE, 6, inputs(1), attributes(max_detections_per_image=40), outputs=3, atol=1e-4),
    Sample(TYPE, 6, inputs(2), attributes(class_agnostic_box_regression=True, post_nms_count=2), outputs=3, atol=1e-4),
    Sample(
        TYPE,
        6,
        inputs(3),
        attributes(max_delta_log_wh=0.1, score_threshold=0.7, nms_threshold=0.2),
        outputs=3,
        atol=1e-4,
    ),
    Sample(
        TYPE,
        6,
        ONE,
        attributes(num_classes=2, max_detections_per_image=2),
        outputs=3,
        name="a box beyond the right and the bottom",
    ),
]

SHAPES = ["f32[15,4]", "f32[15,16]", "f32[15,4]", "f32[1,3]"]
ERRORS = [
    ErrorSample(TYPE, 6, ["f32[15,5]", *SHAPES[1:]], attributes(), part="rois", says="must be 4", outputs=3),
    ErrorSample(
        TYPE, 6, [SHAPES[0], "f32[15,15]", *SHAPES[2:]], attributes(), part="deltas", says="must be 16", outputs=3
    ),
    ErrorSample(TYPE, 6, [*SHAPES[:2], "f32[14,4]", SHAPES[3]], attributes(), part="scores", says="rois", outputs=3),
    ErrorSample(TYPE, 6, [*SHAPES[:3], "f32[2,3]"], attributes(), part="im_info", says="one image", outputs=3),
    ErrorSample(TYPE, 6, SHAPES, attributes(deltas_weights=[1.0]), part="deltas_weights", says="1 values", outputs=3),
    ErrorSample(
        TYPE, 6, SHAPES, attributes(max_detections_per_image=-1), part="max_detections_per_image", says="-1", outputs=3
    ),
]
