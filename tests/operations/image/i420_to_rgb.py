"""Samples of I420toRGB-8."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.operations.image._planes import i420, plane
from tests.support.sample import ErrorSample, Sample, param


def oracle(*planes: Array) -> Array:
    return i420(*planes)


SAMPLES = [
    Sample("I420toRGB", 8, [param(plane(1, 6, 6, 1))], oracle=oracle),
    Sample("I420toRGB", 8, [param(plane(2, 9, 4, 1).astype(np.float32))], oracle=oracle, rtol=1e-4, atol=1e-4),
    Sample("I420toRGB", 8, [param(plane(2, 4, 6, 1)), param(plane(2, 2, 3, 1)), param(plane(2, 2, 3, 1))],
        oracle=oracle,
           shapes=[["?,6..10,..8,1", "?,..4,3..,1", "?,?,?,?"], ["...", "1,2,3,1", "..."]]),
    Sample("I420toRGB", 8,
        [param(plane(1, 4, 6, 1), "f16"), param(plane(1, 2, 3, 1), "f16"), param(plane(1, 2, 3, 1), "f16")],
           atol=0.2),
    Sample("I420toRGB", 8, [param(plane(1, 6, 2, 1), "f64")], rtol=1e-4),
]  # fmt: skip

ERRORS = [
    ErrorSample("I420toRGB", 8, ["u8[1,7,6,1]"], part="arg_y", says="7"),
    ErrorSample("I420toRGB", 8, ["u8[1,6,5,1]"], part="arg_y", says="width"),
    ErrorSample("I420toRGB", 8, ["u8[1,6,6,3]"], part="arg_y", says="must be 1"),
    ErrorSample("I420toRGB", 8, ["i32[1,6,6,1]"], part="arg_y", says="i32"),
    ErrorSample("I420toRGB", 8, ["u8[1,4,6,1]", "u8[1,2,3,1]"], says="2 inputs"),
    ErrorSample("I420toRGB", 8, ["u8[1,4,6,1]", "u8[1,2,3,1]", "u8[2,2,3,1]"], part="arg_v", says="[2,2,3,1]"),
]  # fmt: skip
