"""Samples of quotients and remainders."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

A = [7, -7, 7, -7, 0, 6]
B = [2, 2, -2, -2, 5, 3]
FLOATS = [7.5, -7.5, 7.5, -7.5, 0.0, 6.0]
TRUNCATES = "rounds towards zero whatever m_pythondiv says"
LEAST = -(2**63)

SAMPLES = [
    Sample(
        "Divide",
        1,
        [param(A, "i32"), param(B, "i32")],
        {"m_pythondiv": True},
        expected=[3, -4, -4, 3, 0, 2],
        openvino=TRUNCATES,
    ),
    Sample("Divide", 1, [param(A, "i32"), param(B, "i32")], {"m_pythondiv": False}, expected=[3, -3, -3, 3, 0, 2]),
    Sample(
        "Divide",
        1,
        [param([LEAST, LEAST, 2**62 + 1]), const([3, -3, 1])],
        expected=[-3074457345618258603, 3074457345618258602, 2**62 + 1],
        openvino="cuts 64 bits to 32",
    ),
    Sample(
        "Divide",
        1,
        [param([LEAST, LEAST]), param([3, -3])],
        {"m_pythondiv": False},
        expected=[-3074457345618258602, 3074457345618258602],
        openvino="cuts 64 bits to 32",
    ),
    Sample("Divide", 1, [param([250, 7], "u8"), param([3, 8], "u8")], {"m_pythondiv": False}, expected=[83, 0]),
    Sample("Divide", 1, [param([LEAST]), param([-1])], expected=[LEAST], openvino="ends the process"),
    Sample(
        "Divide",
        1,
        [param(FLOATS, "f32"), param(B, "f32")],
        expected=[3.75, -3.75, -3.75, 3.75, 0, 2],
        shapes=[["?", "1..9"], ["...", "6"]],
    ),
    Sample(
        "Divide",
        1,
        [param(FLOATS, "f16"), const([3.0], "f16")],
        oracle=lambda a, b: a.astype(np.float64) / b.astype(np.float64),
    ),
    Sample(
        "Divide",
        1,
        [param(FLOATS, "bf16"), const(3.0, "bf16")],
        oracle=lambda a, b: a.astype(np.float64) / b.astype(np.float64),
    ),
    Sample(
        "Divide",
        1,
        [param([1.0, -1.0, 0.0, np.inf]), param([0.0, 0.0, 0.0, np.inf])],
        expected=[np.inf, -np.inf, np.nan, np.nan],
    ),
    Sample(
        "Divide",
        1,
        [param(np.ones((2, 3), np.float32)), param(np.full(3, 2, np.float32))],
        {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": 1},
    ),
    Sample("Divide", 1, [param(np.zeros((0, 2), np.float32)), param([1.0, 2.0])]),
    Sample(
        "FloorMod",
        1,
        [param([1.0, -1.0, np.inf, 0.0]), param([np.inf, -np.inf, np.inf, np.inf])],
        expected=[np.nan] * 4,
    ),
    Sample("Mod", 1, [param(A, "i32"), param(B, "i32")], expected=[1, -1, 1, -1, 0, 0], shapes=[["?", "1..9"]]),
    Sample("Mod", 1, [param(FLOATS, "f32"), param(B, "f32")], expected=[1.5, -1.5, 1.5, -1.5, 0, 0]),
    Sample("Mod", 1, [param([LEAST, 2**62 + 1]), const([3, 2])], expected=[-2, 1], openvino="cuts 64 bits to 32"),
    Sample("Mod", 1, [param([[250], [7]], "u8"), param([3, 8], "u8")], expected=[[1, 2], [1, 7]]),
    Sample(
        "Mod",
        1,
        [param([3.0, np.inf, 3.0]), param([np.inf, 2.0, 0.0])],
        expected=[3, np.nan, np.nan],
        openvino="gives NaN for an infinite divisor",
    ),
    Sample(
        "Mod",
        1,
        [param(FLOATS, "f16"), const(2.0, "f16")],
        {"auto_broadcast": "numpy"},
        expected=[1.5, -1.5, 1.5, -1.5, 0, 0],
    ),
    Sample(
        "Mod",
        1,
        [param(FLOATS, "f32"), param(B, "f32")],
        {"auto_broadcast": "none"},
        expected=[1.5, -1.5, 1.5, -1.5, 0, 0],
    ),
    Sample("FloorMod", 1, [param(A, "i32"), param(B, "i32")], expected=[1, 1, -1, -1, 0, 0], shapes=[["?", "1..9"]]),
    Sample("FloorMod", 1, [param(FLOATS, "f32"), param(B, "f32")], expected=[1.5, 0.5, -0.5, -1.5, 0, 0]),
    Sample("FloorMod", 1, [param([LEAST, 2**62 + 1]), const([3, 2])], expected=[1, 1], openvino="cuts 64 bits to 32"),
    Sample("FloorMod", 1, [param([[250], [7]], "u8"), param([3, 8], "u8")], expected=[[1, 2], [1, 7]]),
    Sample("FloorMod", 1, [param([-128, 127], "i8"), param([7, -7], "i8")], expected=[5, -6]),
    Sample("FloorMod", 1, [param(FLOATS, "f16"), const(2.0, "f16")], expected=[1.5, 0.5, 1.5, 0.5, 0, 0]),
    Sample(
        "FloorMod",
        1,
        [param(FLOATS, "f64"), param(B, "f64")],
        {"auto_broadcast": "none"},
        expected=[1.5, 0.5, -0.5, -1.5, 0, 0],
    ),
]

ERRORS = [
    ErrorSample("Divide", 1, ["string[2]", "string[2]"], part="input 0", says="string"),
    ErrorSample("Mod", 1, ["boolean[2]", "boolean[2]"], part="input 0", says="boolean"),
    ErrorSample("FloorMod", 1, ["f32[2]", "f32[3]"], part="input 1", says="cannot be broadcast"),
    ErrorSample("Divide", 1, [param([5, -5]), param([1, 0])], code="IR701", says="input 1[1], is 0"),
    ErrorSample("Mod", 1, [param([[5, -5]], "i32"), param([[1, 0]], "i32")], code="IR701", says="input 1[0, 1], is 0"),
    ErrorSample("FloorMod", 1, [param([5, 4], "u8"), param(0, "u8")], code="IR701", says="input 1, is 0"),
]
