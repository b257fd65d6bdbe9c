"""Samples of NV12toRGB-8."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.operations.image._planes import nv12, plane
from tests.support.sample import ErrorSample, Sample, param


def oracle(*planes: Array) -> Array:
    return nv12(*planes)


SAMPLES = [
    Sample("NV12toRGB", 8, [param(plane(1, 6, 6, 1))], oracle=oracle),
    Sample("NV12toRGB", 8, [param(plane(2, 9, 4, 1).astype(np.float32))], oracle=oracle, rtol=1e-4, atol=1e-4),
    Sample("NV12toRGB", 8, [param(plane(2, 4, 6, 1)), param(plane(2, 2, 3, 2))], oracle=oracle,
           shapes=[["?,6..10,..8,1", "?,..4,3..,2"], ["...", "1,2,3,2"], ["1,4,6,1", "..."]]),
    Sample("NV12toRGB", 8, [param(plane(1, 4, 6, 1), "f16"), param(plane(1, 2, 3, 2), "f16")], atol=0.2),
    Sample("NV12toRGB", 8, [param(plane(1, 2, 4, 1) + 0.25, "f64"), param(plane(1, 1, 2, 2), "f64")], rtol=1e-4),
    Sample("NV12toRGB", 8, [param(plane(1, 6, 6, 1), "bf16")], atol=1.1),
]  # fmt: skip

ERRORS = [
    ErrorSample("NV12toRGB", 8, ["u8[1,7,6,1]"], part="arg_y", says="7"),
    ErrorSample("NV12toRGB", 8, ["u8[1,6,5,1]"], part="arg_y", says="width"),
    ErrorSample("NV12toRGB", 8, ["u8[1,6,6,3]"], part="arg_y", says="must be 1"),
    ErrorSample("NV12toRGB", 8, ["i32[1,6,6,1]"], part="arg_y", says="i32"),
    ErrorSample("NV12toRGB", 8, ["u8[1,4,6,1]", "u8[1,2,4,2]"], part="arg_uv", says="[1,4,8]"),
    ErrorSample("NV12toRGB", 8, ["u8[1,4,6,1]", "u8[1,2,3,1]"], part="arg_uv", says="must be 2"),
    ErrorSample("NV12toRGB", 8, ["u8[1,4,6,1]", "f32[1,2,3,2]"], part="input 1", says="f32"),
    ErrorSample("NV12toRGB", 8, ["u8[4,6,1]"], part="arg_y", says="rank 3"),
]  # fmt: skip
