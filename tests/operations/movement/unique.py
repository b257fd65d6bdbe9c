"""Samples of Unique-10."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

LINE = [5, 1, 5, 3, 1, 1]
EMPTY = "OpenVINO does not foresee that there are no elements"
ROWS = [[3, 1, 3], [0, 7, 0], [3, 1, 3]]

SAMPLES = [
    Sample(
        "Unique",
        10,
        [param(LINE, "f32")],
        expected=[[1, 3, 5], [1, 3, 0], [2, 0, 2, 1, 0, 0], [3, 1, 2]],
        outputs=4,
        shapes=[["2..4"], ["3.."]],
    ),
    Sample(
        "Unique",
        10,
        [param(LINE, "f32")],
        {"sorted": False, "index_element_type": "i32"},
        expected=[[5, 1, 3], [0, 1, 3], [0, 1, 0, 2, 1, 1], [2, 3, 1]],
        outputs=4,
    ),
    Sample(
        "Unique",
        10,
        [param(ROWS, "f32"), const([0])],
        {"sorted": False, "index_element_type": "i32"},
        expected=[[[3, 1, 3], [0, 7, 0]], [0, 1], [0, 1, 0], [2, 1]],
        outputs=4,
        shapes=[["2..4,?"], ["?,3"]],
    ),
    Sample(
        "Unique",
        10,
        [param(ROWS, "f32")],
        expected=[[0, 1, 3, 7], [3, 1, 0, 4], [2, 1, 2, 0, 3, 0, 2, 1, 2], [2, 2, 4, 1]],
        outputs=4,
    ),
    Sample(
        "Unique",
        10,
        [param(ROWS, "f32")],
        {"sorted": False, "index_element_type": "i32", "count_element_type": "i32"},
        expected=[[3, 1, 0, 7], [0, 1, 3, 4], [0, 1, 0, 2, 3, 2, 0, 1, 0], [4, 2, 2, 1]],
        outputs=4,
    ),
    Sample(
        "Unique",
        10,
        [param(ROWS, "i32"), const(-1)],
        expected=[[[1, 3], [7, 0], [1, 3]], [1, 0], [1, 0, 1], [1, 2]],
        outputs=4,
    ),
    Sample(
        "Unique",
        10,
        [param(np.arange(8).reshape(2, 2, 2) // 4, "f32"), const(1)],
        expected=[[[[0, 0]], [[1, 1]]], [0], [0, 0], [2]],
        outputs=4,
    ),
    Sample("Unique", 10, [param([3, 250, 3], "u8")], expected=[[3, 250], [0, 1], [0, 1, 0], [2, 1]], outputs=4),
    Sample("Unique", 10, [param([2, 1, 2], "f16")], expected=[[1, 2], [1, 0], [1, 0, 1], [1, 2]], outputs=4),
    Sample("Unique", 10, [param([2, 1, 2], "bf16")], expected=[[1, 2], [1, 0], [1, 0, 1], [1, 2]], outputs=4),
    Sample(
        "Unique",
        10,
        [const([2**62 + 1, 2**62, 2**62])],
        expected=[[2**62, 2**62 + 1], [1, 0], [1, 0, 0], [2, 1]],
        outputs=4,
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "Unique",
        10,
        [const(ROWS, "f32"), const([0])],
        expected=[[[0, 7, 0], [3, 1, 3]], [1, 0], [1, 0, 1], [1, 2]],
        outputs=4,
    ),
    Sample(
        "Unique",
        10,
        [param(["b", "é", "a", "b"], "string")],
        expected=[["a", "b", "é"], [2, 0, 1], [1, 2, 0, 1], [1, 2, 1]],
        outputs=4,
        openvino="the CPU plugin does not run strings",
    ),
    Sample("Unique", 10, [param(7, "f32")], expected=[[7], [0], [0], [1]], outputs=4),
    Sample(
        "Unique", 10, [param([], "f32")], expected=[[], [], [], []], outputs=4, openvino=EMPTY, openvino_shapes=EMPTY
    ),
]

ERRORS = [
    ErrorSample("Unique", 10, ["f32[2,3]", const(2)], part="axis", says="[-2, 1]", outputs=4),
    ErrorSample("Unique", 10, ["f32[2,3]", const(1.0)], part="axis", says="f32", outputs=4),
    ErrorSample("Unique", 10, ["f32[2,3]", const([0, 1])], part="axis", says="one element", outputs=4),
]
