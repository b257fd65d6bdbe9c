"""Samples of ScatterUpdate-3."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def slices(data: Array, indices: Array, updates: Array, axis: Array) -> Array:
    """Replace slice by slice."""
    at = int(axis.reshape(-1)[0]) % data.ndim
    result: Array = data.copy()
    for position in np.ndindex(indices.shape):
        result[(slice(None),) * at + (int(indices[position]),)] = updates[(slice(None),) * at + position]
    return result


SAMPLES = [
    Sample(
        "ScatterUpdate",
        3,
        [param(np.zeros((3, 2), np.float32)), param([2, 0]), param([[1, 2], [3, 4]], "f32"), const(0)],
        expected=[[3, 4], [0, 0], [1, 2]],
        shapes=[["?,2", "1..3", "?,2"], ["2..5,?", "?", "1..4,2"]],
    ),
    Sample(
        "ScatterUpdate",
        3,
        [param(CUBE), param([2, 0], "i32"), param(-np.ones((2, 2, 4), np.float32)), const([1])],
        oracle=slices,
    ),
    Sample(
        "ScatterUpdate",
        3,
        [
            param(CUBE),
            param([[3, 0], [1, 2]], "i32"),
            param(-np.arange(24, dtype=np.float32).reshape(2, 3, 2, 2)),
            const(-1, "i32"),
        ],
        oracle=slices,
    ),
    Sample(
        "ScatterUpdate",
        3,
        [param(CUBE, "f16"), param(1, "i32"), param(np.ones((3, 4)), "f16"), const(0)],
        oracle=slices,
        openvino="the CPU plugin refuses scalar indices",
    ),
    Sample(
        "ScatterUpdate",
        3,
        [param([1, 2, 3], "bf16"), param([1, 1, 1]), param([7, 8, 9], "bf16"), const(0)],
        expected=[1, 9, 3],
    ),
    Sample(
        "ScatterUpdate",
        3,
        [param([2**62 + 1, 5]), const([1]), param([2**62 + 3]), const(0)],
        expected=[2**62 + 1, 2**62 + 3],
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "ScatterUpdate",
        3,
        [param([1, 2, 3], "u8"), param([2], "i32"), param([255], "u8"), param(0)],
        expected=[1, 2, 255],
    ),
    Sample(
        "ScatterUpdate",
        3,
        [param([True, False], "boolean"), param([0], "i32"), param([False], "boolean"), const(0)],
        expected=[False, False],
    ),
    Sample(
        "ScatterUpdate",
        3,
        [param(["a", "b"], "string"), param([1]), param(["é"], "string"), const(0)],
        expected=["a", "é"],
        openvino="the CPU plugin breaks the memory of strings",
    ),
    Sample(
        "ScatterUpdate",
        3,
        [param(CUBE), param(np.zeros(0, np.int64)), param(np.zeros((0, 3, 4), np.float32)), const(0)],
        expected=CUBE,
    ),
]

ERRORS = [
    ErrorSample(
        "ScatterUpdate",
        3,
        [param([[1.0, 2]]), param([0]), param([[3.0]]), param(0)],
        code="IR701",
        says="updates has the shape [1,1]",
    ),
    ErrorSample("ScatterUpdate", 3, ["f32[2,3]", "i64[2]", "f32[3,3]", const(0)], part="updates", says="[2,3]"),
    ErrorSample("ScatterUpdate", 3, ["f32[2,3]", "i64[2]", "f32[2]", const(0)], part="updates", says="[2]"),
    ErrorSample("ScatterUpdate", 3, ["f32[2,3]", "i64[2]", "f32[2,3]", const(2)], part="axis", says="[-2, 1]"),
    ErrorSample("ScatterUpdate", 3, ["f32[2,3]", "i64[2]", "f16[2,3]", const(0)], part="updates", says="f16"),
    ErrorSample("ScatterUpdate", 3, ["f32[2,3]", "f32[2]", "f32[2,3]", const(0)], part="indices", says="f32"),
    ErrorSample("ScatterUpdate", 3, ["f32[2,3]", "i64[2]", "f32[2,3]", const([0, 1])], part="axis", says="one element"),
    ErrorSample(
        "ScatterUpdate",
        3,
        [param([1.0, 2.0]), param([0, -1]), param([3.0, 4.0]), const(0)],
        code="IR701",
        says="indices[1] is -1",
    ),
    ErrorSample(
        "ScatterUpdate",
        3,
        [param([1.0, 2.0]), param([[2]]), param([[3.0]]), const(0)],
        code="IR701",
        says="indices[0, 0] is 2",
    ),
]
