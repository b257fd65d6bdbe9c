"""Samples of ROIAlign-9 and ROIAlign-3."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, param

RANDOM = np.random.default_rng(0)
MAPS = RANDOM.normal(size=(2, 3, 9, 12)).astype(np.float32)
ROIS = np.array(
    [
        [1, 1, 7, 6],
        [0, 0, 11, 8],
        [2.3, 1.2, 5.9, 7.1],
        [-3, -2, 4, 4],
        [8, 5, 16, 14],
        [4, 4, 4, 4],
        [6, 6, 3, 2],
        [0, 0, 0.5, 0.25],
        [20, 20, 25, 25],
    ],
    np.float32,
)
IMAGES = np.array([0, 1, 0, 1, 1, 0, 0, 1, 0])


def attributes(
    version: int,
    mode: str = "avg",
    aligned: str = "asymmetric",
    ratio: int = 2,
    scale: float = 1.0,
    size: tuple[int, int] = (2, 3),
) -> dict[str, object]:
    common: dict[str, object] = {
        "pooled_h": size[0],
        "pooled_w": size[1],
        "sampling_ratio": ratio,
        "spatial_scale": scale,
        "mode": mode,
    }
    return common | ({"aligned_mode": aligned} if version == 9 else {})


def largest(data: Array, rois: Array, images: Array) -> Any:
    """Return the largest of 0 and four samples in each of 2 × 3 bins, one by one (asymmetric, scale 1)."""
    result = np.zeros((len(rois), data.shape[1], 2, 3))
    for roi, channel, row, column in np.ndindex(*result.shape):
        x, y, right, bottom = rois[roi]
        width, height = max(right - x, 1) / 3, max(bottom - y, 1) / 2
        samples = [
            bilinear(
                data[images[roi], channel], y + (row + (i + 0.5) / 2) * height, x + (column + (j + 0.5) / 2) * width
            )
            for i in range(2)
            for j in range(2)
        ]
        result[roi, channel, row, column] = max(0, *samples)
    return result


def bilinear(plane: Array, y: float, x: float) -> float:
    if y < -1 or x < -1 or y > plane.shape[0] or x > plane.shape[1]:
        return 0
    y, x = min(max(y, 0), plane.shape[0] - 1), min(max(x, 0), plane.shape[1] - 1)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, plane.shape[0] - 1), min(left + 1, plane.shape[1] - 1)
    upper = plane[top, left] * (1 - x + left) + plane[top, right] * (x - left)
    lower = plane[bottom, left] * (1 - x + left) + plane[bottom, right] * (x - left)
    return float(upper * (1 - y + top) + lower * (y - top))


def all_of(version: int) -> list[Sample]:
    operands = [param(MAPS), param(ROIS), param(IMAGES)]
    positive = [param(np.abs(MAPS)), param(ROIS), param(IMAGES, "i32")]
    partial = [["?,3,?,?", "?,4", "?"], ["?,1..3,?,?", "2..10,4", "5..20"]]
    return [
        Sample("ROIAlign", version, operands, attributes(version), shapes=partial, atol=1e-5),
        Sample("ROIAlign", version, operands, attributes(version, ratio=0, scale=0.5, size=(4, 4)), atol=1e-5),
        Sample("ROIAlign", version, operands, attributes(version, ratio=1, scale=2.0, size=(1, 1)), atol=1e-5),
        Sample("ROIAlign", version, positive, attributes(version, mode="max"), oracle=largest, atol=1e-5),
        Sample("ROIAlign", version, positive, attributes(version, mode="max", ratio=0, scale=0.5), atol=1e-5),
        Sample("ROIAlign", version, operands, attributes(version, mode="max"), oracle=largest, atol=1e-5),
        Sample(
            "ROIAlign", version, [param(-np.abs(MAPS)), *operands[1:]], attributes(version, mode="max"), oracle=largest
        ),
        Sample(
            "ROIAlign", version, [param(MAPS, "f16"), param(ROIS, "f16"), param(IMAGES)], attributes(version), atol=1e-3
        ),
    ]


ALIGNED = [
    Sample(
        "ROIAlign",
        9,
        [param(MAPS), param(ROIS[:5]), param(IMAGES[:5])],
        attributes(9, aligned=aligned, ratio=ratio, scale=0.5, size=(4, 3)),
        atol=1e-5,
    )
    for aligned in ("half_pixel", "half_pixel_for_nn")
    for ratio in (2, 0)
]

SAMPLES = [
    *all_of(9),
    *all_of(3),
    *ALIGNED,
    Sample(
        "ROIAlign",
        9,
        [param(MAPS), param(ROIS[5:7]), param(IMAGES[5:7])],
        attributes(9, aligned="half_pixel", ratio=0, size=(1, 2)),
        expected=np.zeros((2, 3, 1, 2)),
        openvino="the CPU divides by zero",
    ),
    Sample(
        "ROIAlign",
        9,
        [param(MAPS), param(ROIS), param(IMAGES)],
        attributes(9, aligned="half_pixel", size=(1, 2)),
        atol=1e-5,
    ),
    Sample(
        "ROIAlign",
        9,
        [param(MAPS), param(ROIS[:0]), param(IMAGES[:0])],
        attributes(9),
        expected=np.zeros((0, 3, 2, 3)),
        openvino="the CPU's answer is of no interest here",
    ),
]

ERRORS = [
    ErrorSample("ROIAlign", 9, ["f32[2,3,9,12]", "f32[4,3]", "i64[4]"], attributes(9), part="rois", says="must be 4"),
    ErrorSample(
        "ROIAlign", 9, ["f32[2,3,9,12]", "f32[4,4]", "i64[3]"], attributes(9), part="batch_indices", says="differ"
    ),
    ErrorSample("ROIAlign", 9, ["f32[2,3,9,12]", "f16[4,4]", "i64[4]"], attributes(9), part="rois", says="f16"),
    ErrorSample(
        "ROIAlign", 9, ["f32[2,3,9,12]", "f32[4,4]", "f32[4]"], attributes(9), part="batch_indices", says="f32"
    ),
    ErrorSample(
        "ROIAlign", 9, ["f32[3,9,12]", "f32[4,4]", "i64[4]"], attributes(9), part="data", says="rank must be 4"
    ),
    ErrorSample(
        "ROIAlign",
        3,
        ["f32[2,3,9,12]", "f32[4,4]", "i64[4]"],
        attributes(3, size=(0, 1)),
        part="pooled_h",
        says="positive",
    ),
    ErrorSample(
        "ROIAlign",
        3,
        ["f32[2,3,9,12]", "f32[4,4]", "i64[4]"],
        attributes(3, ratio=-1),
        part="sampling_ratio",
        says="-1",
    ),
    ErrorSample(
        "ROIAlign",
        3,
        [param(MAPS), param(ROIS), param(IMAGES + 1)],
        attributes(3),
        says="batch_indices[1] is 2",
        code="IR701",
    ),
]
