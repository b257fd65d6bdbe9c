"""Samples of the bitwise operations of two operands."""

from __future__ import annotations

import operator

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

A, B = [[12, -7, 0], [1, 127, -128]], [10, 3, -1]
PDPD = {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": 0}
CUTS = "cuts 64 bits to 32"
TABLE = {"BitwiseAnd": operator.and_, "BitwiseOr": operator.or_, "BitwiseXor": operator.xor}


def samples() -> list[Sample]:
    collected = []
    for type, function in TABLE.items():
        collected += [
            Sample(type, 13, [param(A, "i32"), param(B, "i32")], oracle=function, shapes=[["?,3", "1..3"]]),
            Sample(type, 13, [param(A, "i8"), const(B, "i8")], {"auto_broadcast": "numpy"}, oracle=function),
            Sample(
                type, 13, [param([200, 7], "u8"), param([15, 255], "u8")], {"auto_broadcast": "none"}, oracle=function
            ),
            Sample(type, 13, [param([2**62 + 5, -(2**60)]), param([2**62 + 3])], oracle=function, openvino=CUTS),
            Sample(type, 13, [param([True, True, False]), param([True, False, False])], oracle=function),
            Sample(
                type,
                13,
                [param([[1, 2], [3, 4]], "i32"), param([5, 6], "i32")],
                PDPD,
                oracle=lambda a, b, of=function: of(a, b[:, None]),
                openvino="broadcasts by NumPy's rule",
            ),
            Sample(type, 13, [param(np.zeros((0, 2), np.int32)), param([1, 2], "i32")]),
        ]
    return collected


SAMPLES = [
    *samples(),
    Sample(
        "BitwiseLeftShift",
        15,
        [param([1, 2, -3], "i32"), param([4, 0, 1], "i32")],
        expected=[16, 2, -6],
        shapes=[["?", "1..3"]],
    ),
    Sample("BitwiseLeftShift", 15, [param([200, 1], "u8"), param([1, 7], "u8")], expected=[144, 128]),
    Sample("BitwiseLeftShift", 15, [param([1, 3]), const([62, 63])], expected=[2**62, -(2**63)], openvino=CUTS),
    Sample(
        "BitwiseLeftShift",
        15,
        [param([5, 5, 5, -5], "i32"), param([32, 100, -31, -1], "i32")],
        expected=[5, 80, 10, -(2**31)],
    ),
    Sample(
        "BitwiseLeftShift", 15, [param([[1], [2]], "i32"), param([1, 2, 3], "i32")], expected=[[2, 4, 8], [4, 8, 16]]
    ),
    Sample(
        "BitwiseRightShift",
        15,
        [param([16, 5, -8], "i32"), param([4, 0, 1], "i32")],
        expected=[1, 5, -4],
        shapes=[["?", "1..3"]],
    ),
    Sample("BitwiseRightShift", 15, [param([200, 128], "u8"), param([1, 7], "u8")], expected=[100, 1]),
    Sample("BitwiseRightShift", 15, [param([2**62, -(2**63)]), const([61, 63])], expected=[2, -1], openvino=CUTS),
    Sample(
        "BitwiseRightShift",
        15,
        [param([5, -5, 5, -5], "i32"), param([32, 100, -31, -1], "i32")],
        expected=[5, -1, 2, -1],
    ),
    Sample(
        "BitwiseRightShift",
        15,
        [param([[64], [32]], "i32"), param([1, 2, 3], "i32")],
        expected=[[32, 16, 8], [16, 8, 4]],
    ),
]

SAMPLES += [
    Sample(f"Bitwise{side}Shift", 15, [param(a, type), param(shifts, type)], expected=expected)
    for side, a, shifts, type, expected in [
        ("Left", [5, 5], [9, 33], "i8", [0, 10]),
        ("Right", [-5, 5, -128], [9, 33, -31], "i8", [-1, 2, -64]),
        ("Left", [5, 7], [33, 16], "u8", [10, 0]),
    ]
]

ERRORS = [
    *[ErrorSample(type, 13, ["f32[2]", "f32[2]"], part="input 0", says="f32") for type in TABLE],
    ErrorSample("BitwiseAnd", 13, ["i32[2]", "i64[2]"], part="input 1", says="i64"),
    ErrorSample("BitwiseLeftShift", 15, ["boolean[2]", "boolean[2]"], part="input 0", says="boolean"),
    ErrorSample("BitwiseRightShift", 15, ["f16[2]", "f16[2]"], part="input 0", says="f16"),
]
