"""Samples of Select-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

COND = np.array([[True, False, True], [False, False, True]])
THEN = np.arange(6, dtype=np.float32).reshape(2, 3)
ELSE = -THEN - 1
NONE = {"auto_broadcast": "none"}
PDPD = {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": 0}

SAMPLES = [
    Sample("Select", 1, [param(COND), param(THEN), param(ELSE)], oracle=np.where, shapes=[["?,3", "2,1..3", "..."]]),
    Sample("Select", 1, [param(COND), const(THEN), const(ELSE)], NONE, oracle=np.where, shapes=[["?,3"]]),
    Sample(
        "Select",
        1,
        [param(COND), param([5.0, 6.0, 7.0]), param(np.float32(0))],
        {"auto_broadcast": "numpy"},
        oracle=np.where,
    ),
    Sample("Select", 1, [param(COND[:1, :1]), param(THEN), param(ELSE[:, :1])], oracle=np.where),
    Sample("Select", 1, [const(COND), param(THEN, "f16"), param(ELSE, "f16")], oracle=np.where),
    Sample("Select", 1, [param(COND), param(THEN, "bf16"), param(ELSE, "bf16")], oracle=np.where),
    Sample(
        "Select",
        1,
        [param([True, False]), param([2**62 + 1]), param([5])],
        expected=[2**62 + 1, 5],
        openvino="cuts 64 bits to 32",
    ),
    Sample("Select", 1, [param([True, False]), param([3, 4], "u8"), param([5, 250], "u8")], expected=[3, 250]),
    Sample("Select", 1, [param([True, False]), param([True, False]), param([True, True])], expected=[True, True]),
    Sample(
        "Select",
        1,
        [param([True, False]), param(["a", "b"], "string"), param(["c", "d"], "string")],
        expected=["a", "d"],
        openvino="does not choose among strings",
    ),
    Sample(
        "Select",
        1,
        [param([True, False]), param(THEN), param(ELSE)],
        PDPD,
        oracle=lambda c, a, b: np.where(c[:, None], a, b),
        openvino="broadcasts by NumPy's rule",
    ),
    Sample(
        "Select",
        1,
        [param(COND), param(THEN), param([8.0, 9.0])],
        PDPD,
        oracle=lambda c, a, b: np.where(c, a, b[:, None]),
        openvino="broadcasts by NumPy's rule",
    ),
    Sample("Select", 1, [param(np.zeros((0, 3), bool)), param(THEN[:1]), param(ELSE[:1])]),
]

ERRORS = [
    ErrorSample("Select", 1, ["f32[2]", "f32[2]", "f32[2]"], part="cond", says="f32"),
    ErrorSample("Select", 1, ["boolean[2]", "f32[2]", "i32[2]"], part="else", says="i32"),
    ErrorSample("Select", 1, ["boolean[2]", "f32[3]", "f32[2]"], part="else", says="cannot be broadcast"),
    ErrorSample("Select", 1, ["boolean[3]", "f32[2]", "f32[2]"], part="cond", says="cannot be broadcast"),
    ErrorSample("Select", 1, ["boolean[1]", "f32[2]", "f32[2]"], NONE, part="input 1", says="auto_broadcast is none"),
]
