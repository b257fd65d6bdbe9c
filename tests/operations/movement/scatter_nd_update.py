"""Samples of ScatterNDUpdate-15 and ScatterNDUpdate-4 (whose page calls it 3)."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

EIGHT = param([1, 2, 3, 4, 5, 6, 7, 8], "f32")
UP, DOWN = (
    [[1, 2, 3, 4], [5, 6, 7, 8], [8, 7, 6, 5], [4, 3, 2, 1]],
    [[8, 7, 6, 5], [4, 3, 2, 1], [1, 2, 3, 4], [5, 6, 7, 8]],
)
FIVES = [[5, 5, 5, 5], [6, 6, 6, 6], [7, 7, 7, 7], [8, 8, 8, 8]]
ONES = [[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3], [4, 4, 4, 4]]
CUT = "the CPU plugin cuts i64 to i32"

BOTH = [
    sample
    for version in (4, 15)
    for sample in [
        Sample(
            "ScatterNDUpdate",
            version,
            [EIGHT, param([[4], [3], [1], [7]]), param([9, 10, 11, 12], "f32")],
            expected=[1, 11, 3, 10, 9, 6, 7, 12],
            shapes=[["?", "?,1", "?"], ["2..9", "4,?", "1..5"]],
        ),
        Sample(
            "ScatterNDUpdate",
            version,
            [param([UP, UP, DOWN, DOWN], "f32"), param([[0], [2]], "i32"), param([FIVES, ONES], "f32")],
            expected=[FIVES, UP, ONES, DOWN],
            shapes=[["4,?,4", "2,1", "2,4,?"]],
        ),
        Sample(
            "ScatterNDUpdate",
            version,
            [param(np.zeros((2, 3), np.float16)), param([[[1, 2], [0, 0]]]), param([[5, 6]], "f16")],
            expected=[[6, 0, 0], [0, 0, 5]],
        ),
        Sample(
            "ScatterNDUpdate", version, [param([1, 2], "bf16"), param([1], "i32"), param(7, "bf16")], expected=[1, 7]
        ),
        Sample(
            "ScatterNDUpdate",
            version,
            [param([1, 2], "i32"), param([0], "i32"), param([7], "i32")],
            expected=[7, 2],
            openvino="the CPU plugin refuses one element of rank 1 as a scalar update",
        ),
        Sample(
            "ScatterNDUpdate",
            version,
            [param([1, 2], "u8"), const([[0], [0], [0]], "i32"), param([7, 8, 9], "u8")],
            expected=[9, 2],
        ),
        Sample(
            "ScatterNDUpdate",
            version,
            [param([2**62 + 1, 5]), param([[1]]), param([2**62 + 3])],
            expected=[2**62 + 1, 2**62 + 3],
            openvino=CUT,
        ),
        Sample(
            "ScatterNDUpdate",
            version,
            [param([["a"], ["b"]], "string"), param([[1]]), param([["é"]], "string")],
            expected=[["a"], ["é"]],
            openvino="the CPU plugin does not run strings",
        ),
        Sample(
            "ScatterNDUpdate",
            version,
            [EIGHT, param(np.zeros((0, 1), np.int64)), param(np.zeros(0, np.float32))],
            expected=[1, 2, 3, 4, 5, 6, 7, 8],
        ),
    ]
]

LINE, INDICES = [1, 2, 3, 4], param([[0], [2], [-3], [-3], [0]], "i32")
TENS = [10, 20, 30, 40, 50]
FLAGS = [
    param([True, True, False, False], "boolean"),
    param([[0], [1], [2], [3]]),
    param([True, False, True, False], "boolean"),
]

SAMPLES = [
    *BOTH,
    # the page's examples; its texts of none and prod are wrong where 30 and 40 meet at 1
    Sample(
        "ScatterNDUpdate",
        15,
        [EIGHT, param([[4], [3], [1], [7], [-2], [-4]]), param([9, 10, 11, 12, 13, 14], "f32")],
        expected=[1, 11, 3, 10, 14, 6, 13, 12],
    ),
    Sample("ScatterNDUpdate", 15, [param(LINE, "f32"), INDICES, param(TENS, "f32")], expected=[50, 40, 20, 4]),
    Sample(
        "ScatterNDUpdate",
        15,
        [param(LINE, "f16"), INDICES, param(TENS, "f16")],
        {"reduction": "sum"},
        expected=[61, 72, 23, 4],
    ),
    Sample(
        "ScatterNDUpdate",
        15,
        [param(LINE, "i32"), INDICES, param(TENS, "i32")],
        {"reduction": "sub"},
        expected=[-59, -68, -17, 4],
    ),
    Sample(
        "ScatterNDUpdate",
        15,
        [param(LINE, "f32"), INDICES, param(TENS, "f32")],
        {"reduction": "prod"},
        expected=[500, 2400, 60, 4],
    ),
    Sample(
        "ScatterNDUpdate",
        15,
        [param(LINE, "f32"), INDICES, param([0, 9, -7, 4, 2], "f32")],
        {"reduction": "min"},
        expected=[0, -7, 3, 4],
    ),
    Sample(
        "ScatterNDUpdate",
        15,
        [param(LINE, "i32"), INDICES, param([0, 9, -7, 4, 2], "i32")],
        {"reduction": "max"},
        expected=[2, 4, 9, 4],
    ),
    Sample(
        "ScatterNDUpdate",
        15,
        [param([[1, 2], [3, 4]], "f32"), param([[1], [0], [1]]), param([[1, 1], [2, 2], [5, 6]], "f32")],
        {"reduction": "sum"},
        expected=[[3, 4], [9, 11]],
    ),
    Sample("ScatterNDUpdate", 15, FLAGS, {"reduction": "sum"}, expected=[True, True, True, False]),
    Sample("ScatterNDUpdate", 15, FLAGS, {"reduction": "sub"}, expected=[False, True, True, False]),
    Sample("ScatterNDUpdate", 15, FLAGS, {"reduction": "prod"}, expected=[True, False, False, False]),
    Sample(
        "ScatterNDUpdate",
        15,
        [param([2**62]), param([[0]]), param([2**61])],
        {"reduction": "sum"},
        expected=[2**62 + 2**61],
        openvino=CUT,
    ),
]

SAMPLES += [
    Sample(
        "ScatterNDUpdate",
        15,
        [const([7, -8, 3], "i4"), const([[0], [1], [1]]), const([1, -2, 1], "i4")],
        {"reduction": "sum"},
        expected=[-8, 7, 3],
        openvino="the CPU plugin computes no i4",
    )
]

SAMPLES += [
    Sample("ScatterNDUpdate", 4, [EIGHT, param([[-1], [0], [-8]]), param([5.0, 6.0, 7.0])]),
    Sample("ScatterNDUpdate", 4, [EIGHT, const([[-1], [2]], "i32"), param([5.0, 6.0])]),
]

ERRORS = [
    *(
        error
        for version in (4, 15)
        for error in [
            ErrorSample(
                "ScatterNDUpdate", version, ["f32[2,3]", "i64[4,3]", "f32[4]"], part="indices", says="tuples of 3"
            ),
            ErrorSample("ScatterNDUpdate", version, ["f32[2,3]", "i64[4,1]", "f32[4,2]"], part="updates", says="[4,3]"),
            ErrorSample("ScatterNDUpdate", version, ["f32[2,3]", "i64[4,1]", "f16[4,3]"], part="updates", says="f16"),
            ErrorSample("ScatterNDUpdate", version, ["f32[2,3]", "f32[4,1]", "f32[4,3]"], part="indices", says="f32"),
            ErrorSample("ScatterNDUpdate", version, ["f32[]", "i64[1]", "f32[1]"], part="data", says="scalar"),
            ErrorSample("ScatterNDUpdate", version, ["f32[2]", "i64[]", "f32[]"], part="indices", says="scalar"),
            ErrorSample(
                "ScatterNDUpdate",
                version,
                [param([[1.0, 2.0]]), param([[0, 2]]), param([5.0])],
                code="IR701",
                says="indices[0, 1] is 2",
            ),
        ]
    ),
    ErrorSample("ScatterNDUpdate", 4, [EIGHT, param([[-9]]), param([5.0])], code="IR701", says="[-8, 7]"),
    ErrorSample("ScatterNDUpdate", 15, [EIGHT, param([[-9]]), param([5.0])], code="IR701", says="[-8, 7]"),
    ErrorSample(
        "ScatterNDUpdate",
        15,
        ["string[2]", "i64[1,1]", "string[1]"],
        {"reduction": "sum"},
        part="reduction",
        says="string",
    ),
]
