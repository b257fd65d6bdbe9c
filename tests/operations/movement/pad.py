"""Samples of Pad-12 and Pad-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

DATA = np.arange(1, 13, dtype=np.float32).reshape(3, 4)

POSITIVE = {
    "constant": [[0, 1, 2, 3, 4, 0, 0, 0], [0, 5, 6, 7, 8, 0, 0, 0], [0, 9, 10, 11, 12, 0, 0, 0], [0] * 8, [0] * 8],
    "edge": [[1, 1, 2, 3, 4, 4, 4, 4], [5, 5, 6, 7, 8, 8, 8, 8]] + [[9, 9, 10, 11, 12, 12, 12, 12]] * 3,
    "reflect": [
        [2, 1, 2, 3, 4, 3, 2, 1],
        [6, 5, 6, 7, 8, 7, 6, 5],
        [10, 9, 10, 11, 12, 11, 10, 9],
        [6, 5, 6, 7, 8, 7, 6, 5],
        [2, 1, 2, 3, 4, 3, 2, 1],
    ],
    "symmetric": [
        [1, 1, 2, 3, 4, 4, 3, 2],
        [5, 5, 6, 7, 8, 8, 7, 6],
        [9, 9, 10, 11, 12, 12, 11, 10],
        [9, 9, 10, 11, 12, 12, 11, 10],
        [5, 5, 6, 7, 8, 8, 7, 6],
    ],
}

MIXED = {
    "constant": [[0] * 6, [0] * 6, [2, 3, 4, 0, 0, 0], [6, 7, 8, 0, 0, 0]],
    "edge": [[2, 3, 4, 4, 4, 4]] * 3 + [[6, 7, 8, 8, 8, 8]],
    "reflect": [[10, 11, 12, 11, 10, 9], [6, 7, 8, 7, 6, 5], [2, 3, 4, 3, 2, 1], [6, 7, 8, 7, 6, 5]],
    "symmetric": [[6, 7, 8, 8, 7, 6], [2, 3, 4, 4, 3, 2], [2, 3, 4, 4, 3, 2], [6, 7, 8, 8, 7, 6]],
}

# every mode of the pages' examples
PAGES = [
    sample
    for version in (1, 12)
    for mode in POSITIVE
    for sample in [
        Sample(
            "Pad",
            version,
            [param(DATA), const([0, 1]), const([2, 3])],
            {"pad_mode": mode},
            expected=POSITIVE[mode],
            shapes=[["?,4"], ["3..5,..8"], ["..."]],
        ),
        Sample("Pad", version, [param(DATA), const([-1, -1]), const([-1, -1])], {"pad_mode": mode}, expected=[[6, 7]]),
        Sample(
            "Pad",
            version,
            [param(DATA), const([2, -1]), const([-1, 3])],
            {"pad_mode": mode},
            expected=MIXED[mode],
            shapes=[["?,4"], ["3..5,4..8"]],
        ),
    ]
]

CROPPED = "OpenVINO does not foresee that more is cropped than there is, and breaks off"
LARGE = np.arange(2 * 3 * 5 * 4, dtype=np.float32).reshape(2, 3, 5, 4)

SAMPLES = [
    *PAGES,
    Sample(
        "Pad",
        12,
        [param(LARGE), const([0, 2, 1, 1]), const([1, 0, 3, 0]), const(15.0)],
        {"pad_mode": "constant"},
        expected=np.pad(LARGE, [(0, 1), (2, 0), (1, 3), (1, 0)], constant_values=15),
    ),
    Sample(
        "Pad",
        12,
        [param(LARGE), const([0, -2, -3, 1]), const([-1, 4, -1, 2]), const(15.0)],
        {"pad_mode": "constant"},
        expected=np.pad(LARGE[:1, 2:, 3:4], [(0, 0), (0, 4), (0, 0), (1, 2)], constant_values=15),
    ),
    Sample(
        "Pad",
        1,
        [param(LARGE), param([0, 1, 1, 1], "i32"), param([1, 0, 3, 0], "i32"), param(7.0)],
        {"pad_mode": "constant"},
        expected=np.pad(LARGE, [(0, 1), (1, 0), (1, 3), (1, 0)], constant_values=7),
        shapes=[["2,3,5,4", "4", "4", ""], ["2,3,5,4", "?", "?", ""], ["...", "4", "4", ""]],
    ),
    Sample(
        "Pad",
        12,
        [param(DATA, "f16"), const([1, 0]), const([0, 1]), const(2, "f16")],
        {"pad_mode": "constant"},
        expected=np.pad(DATA, [(1, 0), (0, 1)], constant_values=2),
    ),
    Sample(
        "Pad",
        12,
        [param(DATA, "bf16"), const([1, 2]), const([0, 3])],
        {"pad_mode": "reflect"},
        expected=np.pad(DATA, [(1, 0), (2, 3)], mode="reflect"),
    ),
    Sample(
        "Pad",
        12,
        [param([1, 250], "u8"), const([1]), const([2]), const(9, "u8")],
        {"pad_mode": "constant"},
        expected=[9, 1, 250, 9, 9],
    ),
    Sample(
        "Pad", 12, [param([True], "boolean"), const([1]), const([0])], {"pad_mode": "constant"}, expected=[False, True]
    ),
    Sample(
        "Pad",
        12,
        [param([2**62 + 1]), const([1]), const([0])],
        {"pad_mode": "constant"},
        expected=[0, 2**62 + 1],
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "Pad",
        12,
        [param(["a"], "string"), const([1]), const([1])],
        {"pad_mode": "constant"},
        expected=["", "a", ""],
        openvino="the CPU plugin does not run strings",
    ),
    Sample(
        "Pad",
        12,
        [param(DATA), const([-5, 2]), const([1, 1])],
        {"pad_mode": "constant"},
        expected=np.zeros((0, 7)),
        openvino=CROPPED,
        openvino_shapes=CROPPED,
    ),
    Sample(
        "Pad",
        12,
        [param(DATA), const([-2, 3]), const([3, -6])],
        {"pad_mode": "constant"},
        expected=[[0], [0], [0], [0]],
        openvino=CROPPED,
        openvino_shapes=CROPPED,
    ),
    Sample(
        "Pad",
        12,
        [param(np.zeros((0, 2), np.float32)), const([1, 0]), const([1, 0]), const(3.0)],
        {"pad_mode": "constant"},
        expected=[[3, 3], [3, 3]],
    ),
]

CONSTANT = {"pad_mode": "constant"}

ERRORS = [
    *(
        error
        for version in (1, 12)
        for error in [
            ErrorSample(
                "Pad", version, ["f32[2,3]", const([1]), const([1])], CONSTANT, part="pads_begin", says="1 values"
            ),
            ErrorSample(
                "Pad", version, ["f32[2,3]", const([1, 1]), const([1])], CONSTANT, part="pads_end", says="1 values"
            ),
            ErrorSample(
                "Pad",
                version,
                ["f32[3]", const([3]), const([0])],
                {"pad_mode": "reflect"},
                part="pads_begin",
                says="allows 2",
            ),
            ErrorSample(
                "Pad",
                version,
                ["f32[3]", const([0]), const([4])],
                {"pad_mode": "symmetric"},
                part="pads_end",
                says="allows 3",
            ),
            ErrorSample(
                "Pad",
                version,
                ["f32[0]", const([0]), const([1])],
                {"pad_mode": "edge"},
                part="pads_end",
                says="allows 0",
            ),
            ErrorSample(
                "Pad",
                version,
                ["f32[3]", const([0]), const([1]), const([1.0, 2.0])],
                CONSTANT,
                part="pad_value",
                says="rank",
            ),
            ErrorSample(
                "Pad", version, ["f32[3]", const([0]), const([1]), const(1)], CONSTANT, part="pad_value", says="i64"
            ),
            ErrorSample("Pad", version, ["f32[3]", const([0.0]), const([1])], CONSTANT, part="pads_begin", says="f32"),
        ]
    ),
    ErrorSample(
        "Pad", 12, ["string[3]", const([0]), const([1])], {"pad_mode": "edge"}, part="pad_mode", says="strings"
    ),
]
