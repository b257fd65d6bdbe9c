"""Samples of Det of version extension."""

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

OURS = "OpenVINO has no Det"
SQUARE = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]], np.float32)


def det(data: object, expected: object, type: str = "f32") -> Sample:
    inputs = [param(data, type)]
    return Sample("Det", "extension", inputs, {}, np.array(expected), openvino=OURS, openvino_shapes=OURS)


SAMPLES = [
    det([[1, 2], [3, 4]], -2.0),
    det(SQUARE, 18.0),
    det(np.stack([SQUARE, -SQUARE]), [18.0, -18.0]),
    det(SQUARE, 18.0, "f64"),
    det(SQUARE[:2, :2], 5.0, "f16"),
    det(np.zeros((2, 0, 3, 3)), np.zeros((2, 0))),
]

ERRORS = [
    ErrorSample("Det", "extension", ["f32[2,3]"], part="data", says="not square"),
    ErrorSample("Det", "extension", ["f32[3]"], part="data", says="two dimensions"),
    ErrorSample("Det", "extension", ["i32[2,2]"], part="data", says="i32"),
]
