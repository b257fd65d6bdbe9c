"""Samples of Gather-8, Gather-7 and Gather-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

DATA = np.arange(1, 21, dtype=np.float32).reshape(2, 2, 5)

SAMPLES = [
    Sample("Gather", 8, [param([1, 2, 3, 4, 5], "f32"), param([0, 0, 4]), const(0)], expected=[1, 1, 5]),
    Sample(
        "Gather", 8, [param(DATA), param([[[0, 0, 4], [4, 0, 0]], [[1, 2, 4], [4, 3, 2]]]), const(2)],
        {"batch_dims": 2}, expected=[[[1, 1, 5], [10, 6, 6]], [[12, 13, 15], [20, 19, 18]]],
    ),
    Sample(
        "Gather", 8, [param(np.arange(1, 41, dtype=np.float32).reshape(2, 1, 5, 4)), param([[1, 2, 4], [4, 3, 2]]), const(2)],
        {"batch_dims": 1}, expected=np.array([[5, 6, 7, 8, 9, 10, 11, 12, 17, 18, 19, 20],
                                              [37, 38, 39, 40, 33, 34, 35, 36, 29, 30, 31, 32]]).reshape(2, 1, 3, 4),
    ),
    Sample("Gather", 8, [param([1, 2, 3, 4, 5], "f32"), param([3, 10, -20]), const(0)], expected=[4, 0, 0]),
    Sample("Gather", 8, [param(DATA), param(np.array(-1, np.int32)), const(-1)]),
    Sample("Gather", 7, [param(DATA), param([[0, 4], [3, 1]]), const(-1)], {"batch_dims": -1}),
    Sample("Gather", 1, [param(DATA), param([[0, 1], [1, 1]], "i32"), const([1])], shapes=[["?,1..3,5", "?,?"]]),
]  # fmt: skip

ERRORS = [
    ErrorSample("Gather", 8, ["f32[2,3]", "i64[4]", const(2)], part="axis", says="[-2, 1]"),
    ErrorSample("Gather", 8, ["f32[2,3]", "i64[3,4]", const(1)], {"batch_dims": 1}, part="indices"),
    ErrorSample("Gather", 8, ["f32[2,3]", "f32[4]", const(0)], part="indices", says="f32"),
    ErrorSample("Gather", 8, ["f32[2,3]", "i64[2]", const(0)], {"batch_dims": 1}, part="batch_dims"),
    ErrorSample("Gather", 7, [param(DATA), param([[0, -1]]), const(2)], code="IR701", says="indices[0, 1] is -1"),
    ErrorSample("Gather", 1, [param(DATA), param([7]), const(0)], code="IR701", says="indices[0] is 7"),
]
