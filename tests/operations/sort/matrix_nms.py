"""Samples of MatrixNms-8."""

from __future__ import annotations

import numpy as np

from tests.operations.sort._boxes import APART, inputs
from tests.support.sample import ErrorSample, In, Sample, param


def sample(ports: list[In], expected: object = None, openvino: str = "", **attributes: object) -> Sample:
    return Sample("MatrixNms", 8, ports, {"score_threshold": 0.1, **attributes}, expected, openvino=openvino, outputs=3)


TWO = [param(APART), param(np.array([[[0.5, 0.4, 0.05, 0.9], [0.2, 0.8, 0.6, 0.1]]], np.float32))]
DECAYED = 0.5 * 0.1
PARTIAL = [["?,?,4", "?,?,?"], ["1..3,2..9,4", "2..5,1..4,?"]]
SAMPLES = [
    sample(
        TWO,
        sort_result="class",
        sort_result_across_batch=True,
        keep_top_k=3,
        openvino="OpenVINO does not know the page's attribute",
        expected=[[[0, 0.9, 0, 0, 1, 0.9], [1, 0.8, 2, 2, 3, 3], [1, 0.6, 4, 4, 5, 5]], [[3], [1], [2]], [3]],
    ),
    Sample("MatrixNms", 8, inputs(), {"sort_result_type": "score", "score_threshold": 0.1}, outputs=3, shapes=PARTIAL),
    Sample(
        "MatrixNms",
        8,
        inputs(1),
        {"nms_top_k": 4, "keep_top_k": 5, "sort_result_type": "score"},
        outputs=3,
        shapes=PARTIAL,
    ),
    sample(inputs(2), sort_result_type="classid", sort_result_across_batch=True, background_class=1, nms_top_k=5),
    sample(
        inputs(3),
        sort_result_type="score",
        sort_result_across_batch=True,
        decay_function="gaussian",
        gaussian_sigma=0.5,
    ),
    sample(inputs(4, size=3), sort_result_type="score", normalized=False, post_threshold=0.2, output_type="i32"),
    sample(inputs(5, type="f16"), sort_result_type="score", keep_top_k=8),
    sample(
        TWO,
        sort_result_type="classid",
        keep_top_k=3,
        expected=[[[0, 0.9, 0, 0, 1, 0.9], [1, 0.8, 2, 2, 3, 3], [1, 0.6, 4, 4, 5, 5]], [[3], [1], [2]], [3]],
    ),
    sample(inputs(2), sort_result_type="classid"),
    sample(inputs(2), sort_result_type="classid", keep_top_k=4, nms_top_k=3),
    sample(
        TWO,
        score_threshold=2.0,
        expected=[np.zeros((0, 6)), np.zeros((0, 1)), [0]],
        openvino="the CPU plugin fails for no boxes",
    ),
    sample(
        TWO,
        sort_result_type="score",
        score_threshold=0.45,
        background_class=1,
        expected=[[[0, 0.9, 0, 0, 1, 0.9], [0, DECAYED, 0, 0, 1, 1]], [[3], [0]], [2]],
    ),
]

SHAPES = ["f32[2,8,4]", "f32[2,3,8]"]
ERRORS = [
    ErrorSample("MatrixNms", 8, ["f32[2,8,5]", SHAPES[1]], part="boxes", says="must be 4", outputs=3),
    ErrorSample("MatrixNms", 8, [SHAPES[0], "f32[2,3,7]"], part="scores", says="7 boxes", outputs=3),
    ErrorSample("MatrixNms", 8, [SHAPES[0], "f16[2,3,8]"], part="scores", says="f16", outputs=3),
    ErrorSample("MatrixNms", 8, SHAPES, {"nms_top_k": -2}, part="nms_top_k", says="-2", outputs=3),
    ErrorSample("MatrixNms", 8, SHAPES, {"background_class": -3}, part="background_class", says="-3", outputs=3),
]
