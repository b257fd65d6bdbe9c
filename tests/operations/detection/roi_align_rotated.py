"""Samples of ROIAlignRotated-15."""

from __future__ import annotations

import numpy as np

from tests.operations.detection._regions import IMAGES, ROIS, maps
from tests.support.sample import ErrorSample, Sample, param

CENTERS, SIZES = (ROIS[:, :2] + ROIS[:, 2:]) / 2, np.abs(ROIS[:, 2:] - ROIS[:, :2]) + 0.5
ANGLES = np.linspace(-2, 7, 9)[:, None]
TURNED = np.concatenate([CENTERS, SIZES, ANGLES], axis=1).astype(np.float32)


def attributes(
    ratio: int = 2, scale: float = 1.0, clockwise: bool = False, size: tuple[int, int] = (2, 3)
) -> dict[str, object]:
    return {
        "pooled_h": size[0],
        "pooled_w": size[1],
        "sampling_ratio": ratio,
        "spatial_scale": scale,
        "clockwise_mode": clockwise,
    }


GIVEN = [param(maps(3)), param(TURNED), param(IMAGES)]
PARTIAL = [["?,3,?,?", "?,5", "?"], ["?,1..3,?,?", "2..10,5", "5..20"]]
SAMPLES = [
    Sample("ROIAlignRotated", 15, GIVEN, attributes(), shapes=PARTIAL, atol=1e-5),
    Sample("ROIAlignRotated", 15, GIVEN, attributes(clockwise=True), atol=1e-5),
    Sample("ROIAlignRotated", 15, GIVEN, attributes(0, 0.5, size=(4, 4)), atol=1e-5),
    Sample("ROIAlignRotated", 15, GIVEN, attributes(1, 2.0, True, size=(1, 1)), atol=1e-5),
    Sample(
        "ROIAlignRotated",
        15,
        [param(maps(3), "f16"), param(TURNED, "f16"), param(IMAGES, "i32")],
        attributes(),
        atol=5e-2,
    ),
]

SHAPES = ["f32[2,3,9,12]", "f32[4,5]", "i64[4]"]
ERRORS = [
    ErrorSample("ROIAlignRotated", 15, [SHAPES[0], "f32[4,4]", SHAPES[2]], attributes(), part="rois", says="must be 5"),
    ErrorSample("ROIAlignRotated", 15, [*SHAPES[:2], "i64[3]"], attributes(), part="batch_indices", says="differ"),
    ErrorSample("ROIAlignRotated", 15, SHAPES, attributes(-1), part="sampling_ratio", says="-1"),
    ErrorSample("ROIAlignRotated", 15, SHAPES, attributes(scale=0.0), part="spatial_scale", says="positive"),
    ErrorSample(
        "ROIAlignRotated",
        15,
        [param(maps(3)), param(TURNED), param(IMAGES + 2)],
        attributes(),
        says="batch_indices[0] is 2",
        code="IR701",
    ),
]
