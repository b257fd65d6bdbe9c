"""Samples of PSROIPooling-1."""

from __future__ import annotations

from tests.operations.detection._regions import FRACTIONS, ROIS, maps, with_images
from tests.support.sample import ErrorSample, Sample, param

NO_BINS = {"spatial_bins_x": 0, "spatial_bins_y": 0}
ABSOLUTE, RELATIVE = with_images(ROIS), with_images(FRACTIONS)


def average(group: int = 2, scale: float = 1.0) -> dict[str, object]:
    return {"output_dim": 2, "group_size": group, "spatial_scale": scale, "mode": "average"}


def interpolated(group: int, y: int, x: int, scale: float = 1.0) -> dict[str, object]:
    return {
        "output_dim": 2,
        "group_size": group,
        "spatial_scale": scale,
        "mode": "bilinear",
        "spatial_bins_x": x,
        "spatial_bins_y": y,
    }


PARTIAL = [["?,8,?,?", "?,5"], ["?,1..9,?,?", "2..4,5"]]
SAMPLES = [
    Sample("PSROIPooling", 1, [param(maps(8)), param(ABSOLUTE)], average(), shapes=PARTIAL, atol=1e-5),
    Sample("PSROIPooling", 1, [param(maps(18)), param(ABSOLUTE)], average(3, 0.5), atol=1e-5),
    Sample("PSROIPooling", 1, [param(maps(8)), param(ABSOLUTE)], {**average(), **NO_BINS}, atol=1e-5),
    Sample("PSROIPooling", 1, [param(maps(2)), param(ABSOLUTE)], average(1, 0.3), atol=1e-5),
    Sample("PSROIPooling", 1, [param(maps(8)), param(RELATIVE)], interpolated(2, 2, 2), atol=1e-5),
    Sample("PSROIPooling", 1, [param(maps(4)), param(RELATIVE)], interpolated(3, 1, 2), atol=1e-5),
    Sample("PSROIPooling", 1, [param(maps(12)), param(RELATIVE)], interpolated(1, 2, 3, 0.5), atol=1e-5),
    Sample("PSROIPooling", 1, [param(maps(8), "f16"), param(ABSOLUTE, "f16")], average(), atol=1e-3),
]

ERRORS = [
    ErrorSample("PSROIPooling", 1, ["f32[2,7,9,12]", "f32[4,5]"], average(), part="data", says="7 channels"),
    ErrorSample("PSROIPooling", 1, ["f32[2,8,9,12]", "f32[4,5]"], interpolated(2, 3, 2), part="data", says="is 12"),
    ErrorSample("PSROIPooling", 1, ["f32[2,8,9,12]", "f32[4,4]"], average(), part="rois", says="must be 5"),
    ErrorSample(
        "PSROIPooling",
        1,
        ["f32[2,8,9,12]", "f32[4,5]"],
        {**interpolated(2, 2, 2), **NO_BINS},
        part="spatial_bins_x",
        says="positive",
    ),
    ErrorSample("PSROIPooling", 1, ["f32[2,8,9,12]", "f32[4,5]"], average(0), part="group_size", says="positive"),
    ErrorSample(
        "PSROIPooling", 1, [param(maps(8)), param(ABSOLUTE - 1)], average(), says="rois[:, 0][0] is -1", code="IR701"
    ),
]
