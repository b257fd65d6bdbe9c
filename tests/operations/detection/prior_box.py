"""Samples of PriorBox-8 and PriorBox-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, const, param

SIZES = [const([3, 4]), param([30, 50])]
FULL: dict[str, Any] = {
    "min_size": [16.0, 20.0],
    "max_size": [30.0, 40.0],
    "aspect_ratio": [2.0, 1.0, 2.0, 3.0],
    "flip": True,
}
FRACTIONS: dict[str, Any] = {"min_size": [0.5, 0.25], "aspect_ratio": [2.0, 3.0], "scale_all_sizes": False}


def sample(
    version: int, inputs: list[In] = SIZES, expected: object = None, openvino: str = "", **attributes: object
) -> Sample:
    return Sample("PriorBox", version, inputs, {"offset": 0.5, **attributes}, expected, openvino=openvino)


def both(version: int) -> list[Sample]:
    return [
        sample(version, min_size=[16.0]),
        sample(
            version,
            [const([24, 42]), param([384, 672])],
            aspect_ratio=[2.0],
            flip=True,
            max_size=[38.46],
            min_size=[16.0],
            step=16.0,
            variance=[0.1, 0.1, 0.2, 0.2],
        ),
        sample(version, **FULL),
        sample(version, [const([3, 4], "i32"), const([30, 50], "i32")], **FULL, clip=True),
        sample(
            version,
            [param([2, 5]), param([64, 32])],
            min_size=[16.0],
            max_size=[20.0, 25.0][:1],
            step=8.0,
            offset=0.0,
            variance=[0.3],
        ),
        sample(version, **FRACTIONS),
        sample(version, **FRACTIONS, step=0.1, flip=True),
        sample(version, clip=True, fixed_size=[16.0, 8.0], density=[2.0, 1.0]),
        sample(version, clip=True, fixed_size=[16.0, 9.0], density=[3.0, 2.0], aspect_ratio=[2.0], flip=True, step=9.0),
        sample(version, clip=True, fixed_size=[16.0, 32.0], density=[3.0, 2.0], fixed_ratio=[1.0]),
        sample(
            version,
            [const([0, 4]), param([30, 50])],
            min_size=[16.0],
            expected=np.zeros((2, 0)),
            openvino="the CPU divides by zero",
        ),
    ]


SAMPLES = [
    *both(8),
    *both(1),
    sample(8, **FULL, min_max_aspect_ratios_order=False),
    sample(
        1,
        [const([1, 1]), param([20, 40])],
        min_size=[10.0],
        max_size=[40.0],
        variance=[0.1, 0.2, 0.3, 0.4],
        expected=[[0.375, 0.25, 0.625, 0.75, 0.25, 0.0, 0.75, 1.0], [0.1, 0.2, 0.3, 0.4] * 2],
    ),
]

SAMPLES += [
    Sample("PriorBox", version, [const([2, 3]), image], {"offset": 0.5, "min_size": [5.0], "aspect_ratio": [2.0]})
    for version in (1, 8)
    for image in (param([30, 50, 7, 8, 9]), const([30, 50, 1]))
]

ONE = {"offset": 0.5, "min_size": [1.0]}
ERRORS = [
    ErrorSample("PriorBox", 8, ["i64[3]", "i64[2]"], ONE, part="output_size", says="[3]"),
    ErrorSample("PriorBox", 8, ["i64[2]", "f32[2]"], ONE, part="image_size", says="f32"),
    ErrorSample("PriorBox", 8, ["i64[2]", "i64[2]"], {**ONE, "variance": [0.1, 0.2]}, part="variance", says="2 values"),
    *(
        ErrorSample("PriorBox", 8, ["i64[2]", "i64[2]"], {**ONE, name: [value]}, part=name, says="positive")
        for name, value in (("min_size", -1), ("max_size", 0), ("aspect_ratio", -2), ("aspect_ratio", "inf"))
    ),
    ErrorSample("PriorBox", 8, ["i64[2]", "i64[2]"], {**ONE, "max_size": [3, 4, 5]}, part="max_size", says="3 values"),
    ErrorSample("PriorBox", 1, ["i64[1,2]", "i64[2]"], ONE, part="output_size", says="rank must be 1"),
    ErrorSample("PriorBox", 1, [const([-1, 2]), "i64[2]"], ONE, part="output_size", says="-1"),
    ErrorSample(
        "PriorBox",
        1,
        ["i64[2]", "i64[2]"],
        {"offset": 0.5, "fixed_size": [1.0, 2.0], "density": [1.0]},
        part="density",
        says="fixed_size",
    ),
    ErrorSample("PriorBox", 8, ["i64[2]", "i64[2]"], {**ONE, "density": [0.0], "fixed_size": [1.0]}, part="density"),
]
