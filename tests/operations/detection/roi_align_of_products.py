"""Samples of ROIAlignOfProducts of version extension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.tensors import Array
from tests.operations.detection.roi_align import IMAGES, MAPS, ROIS, attributes
from tests.support.sample import ErrorSample, Sample, param

OURS = "OpenVINO's ROIAlign takes the largest sample"


def products(data: Array, rois: Array, images: Array) -> Any:
    """Return the largest product in each of 2 × 3 bins of 2 × 2 samples, one by one (asymmetric, scale 1)."""
    result = np.zeros((len(rois), data.shape[1], 2, 3))
    for number, (box, image) in enumerate(zip(rois.astype(np.float64), images, strict=True)):
        sizes = np.maximum([box[3] - box[1], box[2] - box[0]], 1)
        for row, column in np.ndindex(2, 3):
            samples = []
            for i, j in np.ndindex(2, 2):
                y = box[1] + (2 * row + i + 0.5) * sizes[0] / 4
                x = box[0] + (2 * column + j + 0.5) * sizes[1] / 6
                samples += weighted(data[image], y, x)
            result[number, :, row, column] = np.max(samples, axis=0)
    return result


def weighted(planes: Array, y: float, x: float) -> list[Array]:
    """Return the four pixels around a point, each times its weight."""
    height, width = planes.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return [np.zeros(len(planes))]
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    low, far = y - top, x - left
    corners = [(top, left, (1 - low) * (1 - far)), (top, right, (1 - low) * far)]
    corners += [(bottom, left, low * (1 - far)), (bottom, right, low * far)]
    return [planes[:, row, column] * weight for row, column, weight in corners]


def pooled(rois: Array, images: Array, type: str = "f32", mode: str = "max", expected: Any = None) -> Sample:
    return Sample(
        "ROIAlignOfProducts",
        "extension",
        [param(MAPS, type), param(rois, type), param(images)],
        attributes(9, mode),
        expected,
        oracle=products if expected is None else None,
        openvino=OURS,
        openvino_shapes=OURS,
        rtol=1e-5 if type != "f16" else 1e-2,
        atol=1e-6 if type != "f16" else 1e-2,
    )


SAMPLES = [
    pooled(ROIS, IMAGES),
    pooled(ROIS[:2], IMAGES[:2], "f64"),
    pooled(ROIS[-2:], IMAGES[-2:]),
    pooled(ROIS[:1], IMAGES[:1], "f16"),
]

ERRORS = [
    ErrorSample("ROIAlignOfProducts", "extension", ["f32[1,2,5,5]", "f32[3,5]", "i64[3]"], attributes(9), says="5")
]
