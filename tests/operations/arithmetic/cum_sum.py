"""Samples of CumSum-3."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

LINE = [1, 2, 3, 4, 5]
CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)

SAMPLES = [
    Sample("CumSum", 3, [param(LINE, "f32"), const(0)], expected=[1, 3, 6, 10, 15]),
    Sample("CumSum", 3, [param(LINE, "f32"), const(0)], {"exclusive": True}, expected=[0, 1, 3, 6, 10]),
    Sample("CumSum", 3, [param(LINE, "f32"), const(0)], {"reverse": True}, expected=[15, 14, 12, 9, 5]),
    Sample(
        "CumSum", 3, [param(LINE, "f32"), const(0)], {"exclusive": True, "reverse": True}, expected=[14, 12, 9, 5, 0]
    ),
    Sample(
        "CumSum",
        3,
        [param(LINE, "f32")],
        expected=[1, 3, 6, 10, 15],
        openvino="its reader wants the axis",
        openvino_shapes="refused",
    ),
    Sample(
        "CumSum",
        3,
        [param(CUBE), const(-1, "i32")],
        oracle=lambda data, axis: data.cumsum(int(axis)),
        shapes=[["?,3,1..4"]],
    ),
    Sample(
        "CumSum",
        3,
        [param(CUBE), param(np.int64(1))],
        {"reverse": True},
        oracle=lambda data, _axis: data[:, ::-1].cumsum(1)[:, ::-1],
    ),
    Sample(
        "CumSum",
        3,
        [param(CUBE), const([2])],
        {"exclusive": True},
        oracle=lambda data, _axis: data.cumsum(2) - data,
        openvino="wants a scalar axis",
    ),
    Sample("CumSum", 3, [param([200, 100, 3], "u8"), const(0)], expected=[200, 44, 47]),
    Sample(
        "CumSum",
        3,
        [param([2**62, 2**62, 5]), const(0)],
        expected=[2**62, -(2**63), -(2**63) + 5],
        openvino="cuts 64 bits to 32",
    ),
    Sample("CumSum", 3, [param(LINE, "f16"), const(0)], expected=[1, 3, 6, 10, 15]),
    Sample("CumSum", 3, [param([np.inf, 1.0, -np.inf]), const(0)], {"exclusive": True}, expected=[0, np.inf, np.inf]),
    Sample("CumSum", 3, [param(np.zeros((2, 0), np.float32)), const(1)]),
    *(
        Sample("CumSum", 3, [param(2.5), const(axis)], {"exclusive": exclusive, "reverse": reverse})
        for axis in (0, -1)
        for exclusive in (False, True)
        for reverse in (False, True)
    ),
    *(
        Sample("CumSum", 3, [param([[False, True, False]]), const(1)], {"exclusive": exclusive, "reverse": reverse})
        for exclusive in (False, True)
        for reverse in (False, True)
    ),
]

ERRORS = [
    ErrorSample("CumSum", 3, ["f32[2,3]", const(2)], part="axis", says="[-2, 1]"),
    ErrorSample("CumSum", 3, ["f32[]", const(1)], part="axis", says="scalar"),
    ErrorSample("CumSum", 3, [param(2.5), param(1)], code="IR701", says="scalar"),
    ErrorSample("CumSum", 3, ["f32[2,3]", "f32[]"], part="axis", says="f32"),
    ErrorSample("CumSum", 3, ["string[2,3]", const(0)], part="data", says="string"),
    ErrorSample("CumSum", 3, ["f32[2,3]", "i64[2]"], part="axis", says="one element"),
]
