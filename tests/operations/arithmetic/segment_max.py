"""Samples of SegmentMax-16."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

IDS = [0, 0, 2, 3, 3]
LOWEST = {"fill_mode": "lowest"}
ZERO = {"fill_mode": "zero"}
LEAST = float(np.finfo(np.float32).min)
ROWS = np.array([[1, -2, 3], [4, -5, 6], [0, 7, -8], [9, 9, 9], [-1, 10, 2]])

SAMPLES = [
    Sample("SegmentMax", 16, [param([1, -2, 3, 4, 5], "f32"), param(IDS)], ZERO, expected=[1, 0, 3, 5]),
    Sample("SegmentMax", 16, [param([1, -2, 3, 4, 5], "f32"), const(IDS)], LOWEST, expected=[1, LEAST, 3, 5]),
    Sample(
        "SegmentMax",
        16,
        [param(ROWS, "i32"), const(IDS, "i32"), const(6)],
        LOWEST,
        expected=[[4, -2, 6], [-(2**31)] * 3, [0, 7, -8], [9, 10, 9], [-(2**31)] * 3, [-(2**31)] * 3],
    ),
    Sample(
        "SegmentMax",
        16,
        [param(ROWS, "f32"), param(IDS), param(5)],
        ZERO,
        expected=[[4, -2, 6], [0] * 3, [0, 7, -8], [9, 10, 9], [0] * 3],
        shapes=[["?,3", "1..9", ""]],
    ),
    *(
        Sample("SegmentMax", 16, [param(ROWS, "f32"), param(IDS), const(count)], fill, expected=rows)
        for fill in (ZERO, LOWEST)
        for count, rows in (
            (1, [[4, -2, 6]]),
            (3, [[4, -2, 6], [fill["fill_mode"] == "lowest" and LEAST] * 3, [0, 7, -8]]),
            (0, np.zeros((0, 3))),
        )
    ),
    Sample("SegmentMax", 16, [param(ROWS, "f32"), param([4, 4, 5, 5, 6]), const(2)], ZERO, expected=np.zeros((2, 3))),
    Sample(
        "SegmentMax",
        16,
        [param([1, -2, 3, 4, 5], "f16"), param(IDS)],
        LOWEST,
        expected=[1, -65504, 3, 5],
        openvino="fills with the lowest number of f32",
    ),
    Sample(
        "SegmentMax",
        16,
        [param([1, -2, 3, 4, 5], "bf16"), param(IDS)],
        LOWEST,
        expected=[1, -3.3895313892515355e38, 3, 5],
        openvino="rounds the lowest f32 to -inf on processors without bf16",
    ),
    Sample(
        "SegmentMax",
        16,
        [param([2**62 + 1, 5]), param([1, 1])],
        ZERO,
        expected=[0, 2**62 + 1],
        openvino="cuts 64 bits to 32",
    ),
]

ERRORS = [
    ErrorSample("SegmentMax", 16, ["f32[]", "i64[2]"], ZERO, part="data", says="scalar"),
    ErrorSample("SegmentMax", 16, ["f32[3]", "i64[2]"], ZERO, part="segment_ids", says="2 elements"),
    ErrorSample("SegmentMax", 16, ["f32[2]", "u8[2]"], ZERO, part="segment_ids", says="u8"),
    ErrorSample("SegmentMax", 16, ["f32[2]", "i64[1,2]"], ZERO, part="segment_ids", says="rank"),
    ErrorSample(
        "SegmentMax", 16, ["f32[3]", const([0, 2, 1])], ZERO, part="segment_ids", says="segment_ids[2] is 1, after 2"
    ),
    ErrorSample("SegmentMax", 16, ["f32[2]", "i64[2]", "i64[1]"], ZERO, part="num_segments", says="rank"),
    ErrorSample("SegmentMax", 16, ["f32[2]", "i64[2]", const(-1)], ZERO, part="num_segments", says="-1"),
    ErrorSample("SegmentMax", 16, [param([1.0, 2.0]), param([2, 1])], ZERO, code="IR701", says="segment_ids[1] is 1"),
    ErrorSample(
        "SegmentMax", 16, [param([1.0, 2.0]), param([-1, 2]), const(3)], ZERO, code="IR701", says="segment_ids[0] is -1"
    ),
    ErrorSample("SegmentMax", 16, ["string[2]", "i64[2]"], ZERO, part="data", says="string"),
]
