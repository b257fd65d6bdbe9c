"""Samples of Resize of version extension, with the values of ONNX's pages."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

OURS = "OpenVINO has no Resize"
SQUARE = np.arange(1.0, 17.0, dtype=np.float32).reshape(4, 4)
AXES = const([0, 1])


def resize(
    target: Any, expected: Any, mode: str, kind: str = "sizes", data: Any = SQUARE, roi: Any = None, **more: Any
) -> Sample:
    target = np.array(target, np.float32) if kind == "scales" else target
    inputs = [param(data), const(target), AXES, *([] if roi is None else [param(np.array(roi, np.float32))])]
    attributes = {"mode": mode, "shape_calculation_mode": kind} | more
    values = np.array(expected, data.dtype)
    return Sample("Resize", "extension", inputs, attributes, values, openvino=OURS, openvino_shapes=OURS, rtol=1e-4)


SAMPLES = [
    resize([0.6, 0.6], [[2.875, 4.5], [9.375, 11]], "linear", "scales", antialias=True),
    resize([3, 3], [[2.3636363, 3.590909, 4.818182], [7.2727275, 8.5, 9.727273], [12.181818, 13.409091, 14.636364]],
           "linear", antialias=True),
    resize([0.6, 0.6], [[2.5180721, 4.2858863], [9.589329, 11.357142]], "cubic", "scales", antialias=True),
    resize([0.8, 0.8], [[1, 2.363636, 3.727273], [6.454545, 7.818182, 9.181818], [11.909091, 13.272727, 14.636364]],
           "linear", "scales", coordinate_transformation_mode="align_corners"),
    resize([3, 3], [[7.6000004, 7.9, 8.2], [8.8, 9.1, 9.400001], [10, 10.3, 10.6]], "linear",
           roi=[0.4, 0.6, 0.6, 0.8], coordinate_transformation_mode="tf_crop_and_resize"),
    resize([3, 3], [[7.6000004, 10, 10], [12.400001, 10, 10], [10, 10, 10]], "linear", roi=[0.4, 0.6, 1.2, 1.7],
           coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=10),
    resize([7, 8], np.repeat(np.repeat(SQUARE[:2], 2, 0), 2, 1), "nearest", data=SQUARE[:2],
           keep_aspect_ratio_policy="not_larger"),
    resize([1, 3], [[1, 2, 3], [5, 6, 7], [9, 10, 11]], "nearest",
           keep_aspect_ratio_policy="not_smaller", nearest_mode="floor"),
    resize([2, 2], [[4, 6], [12, 14]], "linear", data=SQUARE.astype(np.int32),
           coordinate_transformation_mode="half_pixel_symmetric"),
    resize([0, 2], np.zeros((0, 2)), "linear"),
    resize([2, 1.2], [[1, 1, 2, 3], [1, 1, 2, 3], [5, 5, 6, 7], [5, 5, 6, 7]], "nearest", "scales", data=SQUARE[:2],
           coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
    resize([2, 1.2], [[1, 1.833333, 2.666667, 3.5], [3, 3.833333, 4.666667, 5.5], [5, 5.833333, 6.666667, 7.5],
                      [5, 5.833333, 6.666667, 7.5]],
           "linear", "scales", data=SQUARE[:2], coordinate_transformation_mode="asymmetric"),
    resize([1.2, 1.2], SQUARE, "linear", "scales", coordinate_transformation_mode="asymmetric"),
]  # fmt: skip

ERRORS = [
    ErrorSample(
        "Resize",
        "extension",
        ["f32[4,4]", const([2, 2, 2]), AXES],
        {"mode": "linear", "shape_calculation_mode": "sizes"},
        part="target",
        says="3 elements",
    ),
    ErrorSample(
        "Resize",
        "extension",
        [param(SQUARE), const([2, 2]), AXES],
        {"mode": "linear", "shape_calculation_mode": "sizes", "coordinate_transformation_mode": "tf_crop_and_resize"},
        says="needs 4",
        code="IR701",
    ),
]
