"""Samples of ExperimentalDetectronROIFeatureExtractor-6."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, param

TYPE = "ExperimentalDetectronROIFeatureExtractor"
ROIS = param(
    np.array(
        [
            [0, 0, 100, 100],
            [10, 10, 300, 200],
            [50, 20, 700, 600],
            [0, 0, 20, 1200],
            [5, 5, 5, 5],
            [0, 0, 224, 224],
            [0, 0, 223.99, 223.99],
            [3, 4, 450, 451],
        ],
        np.float32,
    )
)


def pyramid(*sizes: int) -> list[In]:
    random = np.random.default_rng(0)
    return [param(random.normal(size=(1, 2, size, size)).astype(np.float32)) for size in sizes]


def attributes(**more: object) -> dict[str, object]:
    return {"output_size": 3, "sampling_ratio": 2, "pyramid_scales": [4, 8, 16, 32, 64], "aligned": False, **more}


FOUR = [ROIS, *pyramid(64, 32, 16, 8)]
NARROW = [param([[2.3, 22.4, 5.1, 39.4], [32.4, 21.3, 47.8, 23.7]]), *pyramid(16, 8)]
PARTIAL = [["?,4", *["1,2,?,?"] * 4], ["2..4,4", "1,?,?,?", "1,1..3,?,?", "1,2,?,?", "1,2,?,?"]]
SAMPLES = [
    Sample(TYPE, 6, FOUR, attributes(), outputs=2, shapes=PARTIAL, atol=1e-5),
    Sample(TYPE, 6, FOUR, attributes(aligned=True), outputs=2, atol=1e-5),
    Sample(TYPE, 6, NARROW, attributes(aligned=True, pyramid_scales=[4, 8]), outputs=2, atol=1e-5),
    Sample(TYPE, 6, FOUR, attributes(sampling_ratio=0, output_size=5), outputs=2, atol=1e-5),
    Sample(TYPE, 6, [ROIS, *pyramid(30)], attributes(pyramid_scales=[16]), outputs=2, atol=1e-5),
]

SHAPES = ["f32[7,4]", "f32[1,2,8,8]", "f32[1,2,4,4]"]
ERRORS = [
    ErrorSample(TYPE, 6, ["f32[7,5]", *SHAPES[1:]], attributes(), part="rois", says="must be 4", outputs=2),
    ErrorSample(
        TYPE, 6, SHAPES, attributes(pyramid_scales=[4]), part="pyramid_scales", says="1 values for 2 levels", outputs=2
    ),
    ErrorSample(
        TYPE, 6, [*SHAPES[:2], "f32[2,2,4,4]"], attributes(), part="pyramid level 1", says="one image", outputs=2
    ),
    ErrorSample(
        TYPE, 6, [*SHAPES[:2], "f32[1,3,4,4]"], attributes(), part="pyramid level 1", says="2 channels", outputs=2
    ),
    ErrorSample(TYPE, 6, SHAPES, attributes(output_size=0), part="output_size", says="positive", outputs=2),
]
