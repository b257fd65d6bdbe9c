"""Samples of SearchSorted-15."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

ROWS = param(np.array([[1, 3, 5, 7, 9], [2, 4, 6, 6, 10]], np.float32))
ROW = param(np.array([1, 3, 5, 5, 9]))
VALUES = np.array([[3, 6, 9, 0], [6, 6.5, 11, 2]], np.float32)

SAMPLES = [
    Sample(
        "SearchSorted",
        15,
        [ROWS, param(VALUES)],
        {},
        [[1, 3, 4, 0], [2, 4, 5, 0]],
        shapes=[["2,5", "1..3,?"], ["?,?", "?,3"]],
    ),
    Sample(
        "SearchSorted",
        15,
        [ROWS, param(VALUES)],
        {"right_mode": True, "output_type": "i32"},
        [[2, 3, 5, 0], [4, 4, 5, 1]],
    ),
    Sample("SearchSorted", 15, [ROW, param([[[5, 0], [10, 9]]])], {}, [[[2, 0], [5, 4]]], shapes=[["?", "?,?"]]),
    Sample("SearchSorted", 15, [ROW, param([[[5, 0], [10, 9]]])], {"right_mode": True}, [[[4, 0], [5, 5]]]),
    Sample("SearchSorted", 15, [ROW, param(5)], {}, 2),
    Sample("SearchSorted", 15, [param([[1, 2], [3, 4]], "f16"), param([[1.5], [9]], "f16")], {}, [[1], [2]]),
    Sample(
        "SearchSorted",
        15,
        [param(np.zeros((2, 0))), param(np.ones((2, 3)))],
        {"right_mode": True},
        np.zeros((2, 3), np.int64),
        openvino="the CPU plugin reads foreign memory where rows are empty",
    ),
    Sample("SearchSorted", 15, [param([1, 200], "u8"), param([150, 255, 0], "u8")], {}, [1, 2, 0]),
]

ERRORS = [
    ErrorSample("SearchSorted", 15, ["f32[2,5]", "f32[4]"], part="values", says="last dimension"),
    ErrorSample("SearchSorted", 15, ["f32[2,5]", "f32[3,4]"], part="values", says="last dimension"),
    ErrorSample("SearchSorted", 15, ["f32[2,5]", "f16[2,4]"], part="values", says="f16"),
    ErrorSample("SearchSorted", 15, ["f32[]", "f32[4]"], part="sorted_sequence", says="scalar"),
    ErrorSample("SearchSorted", 15, ["string[3]", "string[4]"], part="sorted_sequence", says="string"),
]
