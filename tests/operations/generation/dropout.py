"""Samples of Dropout of version extension."""

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

OURS = "OpenVINO has no Dropout"
DATA = np.arange(1.0, 7.0, dtype=np.float32).reshape(2, 3)


def dropped(ratio: float, training: bool, expected: list[Any], type: str = "f32", seed: int = 0) -> Sample:
    inputs = [param(DATA, type), param(np.float32(ratio)), param(np.bool_(training))]
    attributes = {"seed": seed}
    return Sample("Dropout", "extension", inputs, attributes, expected, outputs=2, openvino=OURS, openvino_shapes=OURS)


KEPT = np.random.RandomState(0).uniform(0, 1, DATA.shape) >= 0.5
ALL = np.ones(DATA.shape, np.bool_)

SAMPLES = [
    dropped(0.5, True, [DATA * KEPT * 2, KEPT]),
    dropped(0.5, True, [DATA * KEPT * 2, KEPT], "f16"),
    dropped(0.5, False, [DATA, ALL]),
    dropped(0.0, True, [DATA, ALL]),
]

ERRORS = [
    ErrorSample("Dropout", "extension", ["i32[2]", "f32[]", "boolean[]"], part="data", says="i32"),
    ErrorSample(
        "Dropout",
        "extension",
        [param(DATA), param(np.float32(1.5)), param(np.bool_(True))],
        says="1.5",
        code="IR701",
        outputs=2,
    ),
]
