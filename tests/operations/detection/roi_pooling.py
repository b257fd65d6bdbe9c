"""Samples of ROIPooling-2."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

RANDOM = np.random.default_rng(0)
MAPS = RANDOM.normal(size=(2, 3, 9, 12)).astype(np.float32)
ROIS = np.array(
    [
        [0, 1, 1, 7, 6],
        [1, 0, 0, 11, 8],
        [0, 2.3, 1.2, 5.9, 7.1],
        [1, -3, -2, 4, 4],
        [1, 8, 5, 16, 14],
        [0, 4, 4, 4, 4],
        [0, 6, 6, 3, 2],
        [1, 0, 0, 0.5, 0.25],
        [0, 20, 20, 25, 25],
    ],
    np.float32,
)
FRACTIONS = np.array(
    [
        [0, 0.1, 0.1, 0.7, 0.6],
        [1, 0, 0, 1, 1],
        [0, 0.23, 0.12, 0.59, 0.71],
        [1, -0.3, -0.2, 0.4, 0.4],
        [1, 0.8, 0.5, 1.6, 1.4],
        [0, 0.4, 0.4, 0.4, 0.4],
        [0, 0.6, 0.6, 0.3, 0.2],
    ],
    np.float32,
)


def attributes(method: str = "max", size: tuple[int, int] = (2, 3), scale: float = 1.0) -> dict[str, object]:
    return {"pooled_h": size[0], "pooled_w": size[1], "spatial_scale": scale, "method": method}


SAMPLES = [
    Sample("ROIPooling", 2, [param(MAPS), param(ROIS)], attributes() | {"output_size": [2, 3], "output_roi": [2, 3]}),
    Sample(
        "ROIPooling",
        2,
        [param(MAPS), param(ROIS)],
        attributes(),
        shapes=[["?,3,?,?", "?,5"], ["?,1..3,?,?", "2..10,5"]],
    ),
    Sample("ROIPooling", 2, [param(MAPS), param(ROIS)], attributes(size=(4, 4), scale=0.5)),
    Sample("ROIPooling", 2, [param(MAPS), param(ROIS)], attributes(size=(6, 6), scale=0.3)),
    Sample("ROIPooling", 2, [param(MAPS), param(FRACTIONS)], attributes("bilinear"), atol=1e-5),
    Sample("ROIPooling", 2, [param(MAPS), param(FRACTIONS)], attributes("bilinear", size=(1, 1)), atol=1e-5),
    Sample("ROIPooling", 2, [param(MAPS), param(FRACTIONS)], attributes("bilinear", size=(1, 5)), atol=1e-5),
    Sample("ROIPooling", 2, [param(MAPS, "f16"), param(ROIS, "f16")], attributes()),
    Sample(
        "ROIPooling",
        2,
        [param([[[[1, 2], [3, 4]]]], "f32"), param([[0, 0, 0, 1, 1]], "f32")],
        attributes(size=(1, 2)),
        expected=[[[[3, 4]]]],
    ),
]

ERRORS = [
    ErrorSample("ROIPooling", 2, ["f32[2,3,9,12]", "f32[4,4]"], attributes(), part="rois", says="must be 5"),
    ErrorSample("ROIPooling", 2, ["f32[2,3,9,12]", "f16[4,5]"], attributes(), part="rois", says="f16"),
    ErrorSample("ROIPooling", 2, ["i32[2,3,9,12]", "i32[4,5]"], attributes(), part="data", says="i32"),
    ErrorSample(
        "ROIPooling", 2, ["f32[2,3,9,12]", "f32[4,5]"], attributes(scale=0.0), part="spatial_scale", says="positive"
    ),
    ErrorSample("ROIPooling", 2, [param(MAPS), param(ROIS + 1)], attributes(), says="rois[:, 0][1] is 2", code="IR701"),
]
