"""Samples of ExperimentalDetectronTopKROIs-6."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

TYPE = "ExperimentalDetectronTopKROIs"
ROIS = param(np.arange(24, dtype=np.float32).reshape(6, 4))
PROBABILITIES = param([0.1, 0.5, 0.3, 0.5, 0.9, 0.2])
TWO = param([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])

SAMPLES = [
    Sample(TYPE, 6, [ROIS, PROBABILITIES], {"max_rois": 4}, shapes=[["?,4", "?"], ["2..7,4", "?"]]),
    Sample(TYPE, 6, [ROIS, PROBABILITIES], {"max_rois": 6}),
    Sample(
        TYPE,
        6,
        [TWO, param([0.2, 0.8])],
        {"max_rois": 3},
        expected=[[5, 6, 7, 8], [1, 2, 3, 4], [0] * 4],
        openvino="the rows after the rois are not determined",
    ),
    Sample(TYPE, 6, [ROIS, PROBABILITIES], {"max_rois": 0}),
]

ERRORS = [
    ErrorSample(TYPE, 6, ["f32[6,4]", "f32[5]"], {"max_rois": 4}, part="probabilities", says="differ"),
    ErrorSample(TYPE, 6, ["f32[6,3]", "f32[6]"], {"max_rois": 4}, part="rois", says="must be 4"),
    ErrorSample(TYPE, 6, ["f32[6,4]", "f16[6]"], {"max_rois": 4}, part="probabilities", says="f16"),
    ErrorSample(TYPE, 6, ["f32[6,4]", "f32[6]"], {"max_rois": -1}, part="max_rois", says="-1"),
]
