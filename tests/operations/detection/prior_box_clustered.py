"""Samples of PriorBoxClustered-1."""

from __future__ import annotations

from tests.support.sample import ErrorSample, In, Sample, const, param

SIZES = [const([3, 4]), param([30, 50])]
TWO = {"width": [10.0, 20.0], "height": [5.0, 8.0]}
PAGE_WIDTH = [86.0, 13.0, 57.0, 39.0, 68.0, 34.0, 142.0, 50.0, 23.0]
PAGE_HEIGHT = [44.0, 10.0, 30.0, 19.0, 94.0, 32.0, 61.0, 53.0, 17.0]


def sample(inputs: list[In] = SIZES, **attributes: object) -> Sample:
    return Sample("PriorBoxClustered", 1, inputs, {"offset": 0.5, **TWO, **attributes})


SAMPLES = [
    sample(),
    sample(
        [const([10, 19]), param([180, 320])],
        width=PAGE_WIDTH,
        height=PAGE_HEIGHT,
        clip=False,
        step=16.0,
        variance=[0.1, 0.1, 0.2, 0.2],
    ),
    sample(step=16.0, clip=False),
    sample(step_w=16.0, step_h=8.0, offset=0.0),
    sample(step_h=8.0, step=3.0),
    sample([param([3, 4], "i32"), param([30, 50], "i32")], variance=[0.3]),
    Sample(
        "PriorBoxClustered",
        1,
        [const([1, 1]), param([20, 40])],
        {"offset": 0.5, "width": [10.0], "height": [10.0]},
        expected=[[0.375, 0.25, 0.625, 0.75], [0.1] * 4],
    ),
]

SAMPLES += [
    Sample("PriorBoxClustered", 1, [const([2, 3]), image], {"offset": 0.5, **TWO, **steps})
    for image in (param([30, 50]), param([30, 50, 7, 8, 9]), const([30, 50, 1]))
    for steps in ({}, {"step_w": 16.0}, {"step_h": 8.0}, {"step_h": -0.5}, {"step": 4.0, "step_w": 16.0}, {"step": 4.0})
]

ERRORS = [
    ErrorSample(
        "PriorBoxClustered",
        1,
        ["i64[2]", "i64[2]"],
        {"offset": 0.5, "width": [1.0, 2.0], "height": [1.0]},
        part="height",
        says="1 values",
    ),
    ErrorSample("PriorBoxClustered", 1, ["i64[2]", "i64[1]"], {"offset": 0.5, **TWO}, part="image_size", says="[1]"),
    ErrorSample("PriorBoxClustered", 1, ["i64[2]"], {"offset": 0.5, **TWO}, part="image_size", says="not connected"),
    ErrorSample("PriorBoxClustered", 1, ["f32[2]", "i64[2]"], {"offset": 0.5, **TWO}, part="output_size", says="f32"),
    ErrorSample(
        "PriorBoxClustered",
        1,
        ["i64[2]", "i64[2]"],
        {"offset": 0.5, **TWO, "variance": [1.0, 2.0, 3.0]},
        part="variance",
        says="3 values",
    ),
]
