"""Samples of OneHot-16 and OneHot-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, const, param

ON, OFF = const(5.0), const(1.0)


def inputs(indices: object, depth: int = 3, type: str = "i64") -> list[In]:
    return [param(indices, type), const(depth), ON, OFF]


NEGATIVE = [-1, 0, -4, 2, 3, -3]
ROWS = {0: [5, 1, 1], 1: [1, 5, 1], 2: [1, 1, 5], None: [1, 1, 1]}

SAMPLES = [
    sample
    for version in (1, 16)
    for sample in (
        Sample(
            "OneHot", version, [param([0, 3, 1, 2]), const(3), const(1), const(2)], {"axis": -1},
            expected=[[1, 2, 2], [2, 2, 2], [2, 1, 2], [2, 2, 1]], name="first example",
        ),
        Sample(
            "OneHot", version, [param([[0, 3, 1], [1, 2, 4]]), const(3), const(1), const(0)], {"axis": 1},
            expected=[[[1, 0, 0], [0, 0, 1], [0, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 1, 0]]], name="second example",
        ),
        Sample("OneHot", version, inputs([[0, 2, 1], [1, 1, 7]]), {"axis": 0}, shapes=[("?,3",), ("1..3,?",)]),
        Sample("OneHot", version, inputs([[0, 2, 1], [1, 1, 7]]), {"axis": -2}),
        Sample("OneHot", version, inputs(2, type="i32"), {"axis": 0}),
        Sample("OneHot", version, inputs(np.zeros((0, 2))), {"axis": 1}),
        Sample("OneHot", version, [param([1, 0]), param(4), param(2, "u8"), param(1, "u8")], {"axis": 0}),
        Sample("OneHot", version, [param([1, 0]), const(2), const(True), const(False)], {"axis": -1}),
        Sample("OneHot", version, [param([1, 0]), const(2), const(2.5, "f16"), const(-1, "f16")], {"axis": -1}),
        Sample("OneHot", version, [param([1, 0]), const(2, "i32"), const(2**40), const(-1)], {"axis": -1},
               openvino="the CPU keeps 32 bits of i64", expected=[[-1, 2**40], [2**40, -1]]),
        Sample("OneHot", version, [param([1]), const(2), const("on", "string"), const("off", "string")], {"axis": 0},
               openvino="the CPU has no strings here", expected=np.array([["off"], ["on"]], object)),
        Sample(
            "OneHot", version, inputs(NEGATIVE), {"axis": -1},
            expected=[ROWS[i] for i in (None, 0, None, 2, None, None)],
        ),
    )
] + [
    Sample(
        "OneHot", 16, inputs(NEGATIVE), {"axis": -1, "negative_indices_mode": "normalize"},
        expected=[ROWS[i] for i in (2, 0, None, 2, None, 0)],
    ),
    Sample(
        "OneHot", 16, [param([0, -5, -2, 2]), const(3), const(1), const(2)],
        {"axis": -1, "negative_indices_mode": "normalize"},
        expected=[[1, 2, 2], [2, 2, 2], [2, 1, 2], [2, 2, 1]], name="example with negative indices",
    ),
    Sample("OneHot", 16, inputs(NEGATIVE), {"axis": 0, "negative_indices_mode": "ignore_negative"}),
]  # fmt: skip

ERRORS = [
    error
    for version in (1, 16)
    for error in (
        ErrorSample("OneHot", version, inputs([1, 2]), {"axis": 2}, "axis", "axis 2"),
        ErrorSample("OneHot", version, inputs([1, 2], -1), {"axis": 0}, "depth", "depth is -1"),
        ErrorSample("OneHot", version, ["f32[2]", const(3), ON, OFF], {"axis": 0}, "indices", "integer"),
        ErrorSample("OneHot", version, ["i64[2]", const(3.0), ON, OFF], {"axis": 0}, "depth", "integer"),
        ErrorSample("OneHot", version, ["i64[2]", const([3]), ON, OFF], {"axis": 0}, "depth", "the rank must be 0"),
        ErrorSample("OneHot", version, ["i64[2]", const(3), const(1), OFF], {"axis": 0}, "off_value", "i64"),
        ErrorSample(
            "OneHot", version, [param([1]), param(-2), ON, OFF], {"axis": 0}, says="depth is -2", code="IR701",
        ),
    )
]  # fmt: skip
