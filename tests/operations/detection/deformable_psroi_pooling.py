"""Samples of DeformablePSROIPooling-1."""

from __future__ import annotations

import numpy as np

from tests.operations.detection._regions import ROIS, maps, with_images
from tests.support.sample import ErrorSample, Sample, param

DP = "DeformablePSROIPooling"
BOXES = param(with_images(ROIS))


def attributes(group: int, y: int = 1, x: int = 1, scale: float = 1.0, part: int = 1) -> dict[str, object]:
    return {
        "output_dim": 2,
        "group_size": group,
        "spatial_scale": scale,
        "spatial_bins_x": x,
        "spatial_bins_y": y,
        "trans_std": 0.3,
        "part_size": part,
    }


def offsets(classes: int, part: int) -> np.ndarray:
    return np.random.default_rng(1).uniform(-0.5, 1, (9, 2 * classes, part, part)).astype(np.float32)


PARTIAL = [["?,8,?,?", "?,5"], ["?,1..9,?,?", "2..4,5"]]
SAMPLES = [
    Sample(DP, 1, [param(maps(8)), BOXES], attributes(2), shapes=PARTIAL, atol=1e-5),
    Sample(DP, 1, [param(maps(8)), BOXES], attributes(2, 2, 2, 0.5), atol=1e-5),
    Sample(DP, 1, [param(maps(18)), BOXES, param(offsets(1, 3))], attributes(3, 2, 3, part=3), atol=1e-5),
    Sample(DP, 1, [param(maps(8)), BOXES, param(offsets(2, 2))], attributes(2, 2, 2, part=2), atol=1e-5),
    Sample(DP, 1, [param(maps(18)), BOXES, param(offsets(1, 2))], attributes(3, 1, 2, 0.7, part=2), atol=1e-5),
]

SAMPLES += [
    *(
        Sample(DP, 1, [param(np.rint(maps(8) * 9) % 50, type), BOXES], attributes(2, 2, 2, 0.5))
        for type in ("i32", "i64", "i8", "u8", "boolean")
    ),
    *(
        Sample(DP, 1, [param(maps(8)), param([[0, 0, 1, 5, 6], [1, 2, 2, 9, 8]], type)], attributes(2, 2, 2), atol=1e-5)
        for type in ("i32", "u8", "f16")
    ),
    Sample(
        DP,
        1,
        [param(np.full((1, 8, 9, 12), 3.0), "f32"), param([[0, 1, 1, 5, 6]], "f32")],
        attributes(2) | {"mode": "average"},
        expected=np.full((1, 2, 2, 2), 3),
        openvino="the CPU reads other modes and does not run them",
    ),
]

ERRORS = [
    ErrorSample(DP, 1, ["f32[2,7,9,12]", "f32[4,5]"], attributes(2), part="data", says="7 channels"),
    ErrorSample(DP, 1, ["f32[2,8,9,12]", "f32[4,5]"], attributes(2, 0), part="spatial_bins_y", says="positive"),
    ErrorSample(
        DP, 1, ["f32[2,8,9,12]", "f32[4,5]", "f32[3,2,2,2]"], attributes(2, part=2), part="offsets", says="differ"
    ),
    ErrorSample(
        DP, 1, ["f32[2,8,9,12]", "f32[4,5]", "f32[4,2,3,3]"], attributes(2, part=2), part="offsets", says="part_size"
    ),
    ErrorSample(
        DP, 1, ["f32[2,8,9,12]", "f32[4,5]", "f32[4,6,2,2]"], attributes(2, part=2), part="offsets", says="6 channels"
    ),
]
