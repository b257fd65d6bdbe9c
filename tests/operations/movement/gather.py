"""Samples of Gather-8, Gather-7 and Gather-1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, const, param

CUT = "the CPU plugin cuts i64 to i32"
EMPTY = "the CPU plugin breaks off where data or indices are empty"
STRINGS = "the CPU plugin does not run strings"
LOW_BIT = "OpenVINO's Python interface gives low-bit results packed"

FIVE = param([1, 2, 3, 4, 5], "f32")
TEN = param(np.arange(1, 11, dtype=np.float32).reshape(2, 5))
DATA = np.arange(1, 21, dtype=np.float32).reshape(2, 2, 5)
FORTY = param(np.arange(1, 41, dtype=np.float32).reshape(2, 1, 5, 4))
EXAMPLE = np.arange(2 * 6 * 8, dtype=np.float32).reshape(2, 6, 8)
ROWS = [[1.0, 1.2], [2.3, 3.4], [4.5, 5.7]]
COLUMNS = [[1.0, 1.2, 1.9], [2.3, 3.4, 3.9], [4.5, 5.7, 5.9]]
ONNX = np.random.default_rng(5).normal(size=(5, 4, 3, 2)).astype(np.float32)


def batched(batch_dims: int) -> dict[str, object]:
    return {"batch_dims": batch_dims}


def pages(version: int) -> list[Sample]:
    """Return the examples of the pages of Gather-7 and Gather-8."""
    first, second = [[0, 0, 4], [4, 0, 0]], [[1, 2, 4], [4, 3, 2]]
    firsts = [[1, 1, 5], [10, 6, 6]]
    return [
        Sample(
            "Gather",
            version,
            [FIVE, param([0, 0, 4]), const(0)],
            expected=[1, 1, 5],
            shapes=[["?", "1..3"], ["2..", "..4"]],
        ),
        Sample(
            "Gather",
            version,
            [TEN, param(first), const(1)],
            batched(1),
            expected=firsts,
            shapes=[["?,5", "2,3"], ["1..3,5", "2..4,?"], ["2,?", "?,3"]],
        ),
        Sample(
            "Gather",
            version,
            [param(DATA), param([first, second]), const(2)],
            batched(2),
            expected=[firsts, [[12, 13, 15], [20, 19, 18]]],
            shapes=[["?,2,5", "2,?,1..3"]],
        ),
        Sample(
            "Gather",
            version,
            [FORTY, param(second), const(2)],
            batched(1),
            expected=[
                [[[5, 6, 7, 8], [9, 10, 11, 12], [17, 18, 19, 20]]],
                [[[37, 38, 39, 40], [33, 34, 35, 36], [29, 30, 31, 32]]],
            ],
            shapes=[["?,1,?,4", "2,1..3"]],
        ),
        Sample(
            "Gather",
            version,
            [TEN, param(first), const(1)],
            batched(-1),
            expected=firsts,
            shapes=[["?,5", "2,3"], ["2,5", "2,?"]],
        ),
        Sample(
            "Gather",
            version,
            [TEN, param(first), param(1)],
            batched(1),
            expected=firsts,
            shapes=[["?,5", "2,?", ""]],
            openvino="OpenVINO's own rewriting throws where axis is a parameter",
        ),
        # the shapes of the pages' layers, with fewer elements
        Sample(
            "Gather",
            version,
            [param(EXAMPLE), param(np.arange(2 * 3 * 5).reshape(2, 3, 5) % 6), const(1)],
            batched(1),
            expected=np.stack([EXAMPLE[i][np.arange(i * 15, i * 15 + 15).reshape(3, 5) % 6] for i in range(2)]),
        ),
    ]


def every(version: int) -> list[Sample]:
    """Return what ONNX's pages and tests show, and element types, scalars and empty tensors."""

    def sample(
        data: In, indices: In, axis: In, expected: object, shapes: Sequence[Sequence[str]] = (), openvino: str = ""
    ) -> Sample:
        return Sample("Gather", version, [data, indices, axis], expected=expected, shapes=shapes, openvino=openvino)

    return [
        sample(param(ROWS), param([[0, 1], [1, 2]]), const(0), [ROWS[:2], ROWS[1:]]),
        sample(param(COLUMNS), param([[0, 2]]), const(1), [[[1.0, 1.9]], [[2.3, 3.9]], [[4.5, 5.9]]]),
        sample(param(ONNX), param([0, 1, 3]), const(0), ONNX[[0, 1, 3]]),
        sample(param(ONNX), param([0, 1, 3]), const(1), ONNX[:, [0, 1, 3]]),
        sample(param(ONNX), param(2), const(1), ONNX[:, 2], [["5,?,3,1..2", ""], ["...", ""]]),
        sample(
            param(ONNX),
            param([[3, 1], [0, 2]], "i32"),
            const([-3]),
            ONNX[:, [[3, 1], [0, 2]]],
            [["?,?,?,?", "?,?"], ["1..5,4,3,2", "2,1..2"]],
        ),
        sample(
            param(ONNX),
            param([1, 1]),
            param(2, "i32"),
            ONNX[:, :, [1, 1]],
            [["5,4,3,2", "?", ""]],
            openvino="OpenVINO's own rewriting throws where axis is a parameter",
        ),
        sample(param(ROWS, "f16"), const([2, 0], "i32"), const(0), np.array([ROWS[2], ROWS[0]], np.float16)),
        sample(param([[1, 2], [3, 4]], "bf16"), param([1], "i32"), const(1), [[2], [4]]),
        sample(param([1.5, 2.5], "f64"), param([1]), const(0), [2.5]),
        sample(param([250, 3, 7], "u8"), param([0, 0], "u8"), const(0), [250, 250]),
        sample(param([-3, 4], "i8"), param([1, 0], "i32"), const(0, "i32"), [4, -3]),
        sample(param([2**62 + 1, -(2**62) - 1]), param([1, 0]), const(0), [-(2**62) - 1, 2**62 + 1], openvino=CUT),
        sample(param([2**64 - 1, 1], "u64"), param([0], "u64"), const(0), np.array([2**64 - 1], np.uint64)),
        sample(param([True, False], "boolean"), param([[1], [0]]), const(0), [[False], [True]]),
        sample(
            param([["a", "é"], ["", "d"]], "string"), param([1, 1]), const(0), [["", "d"], ["", "d"]], openvino=STRINGS
        ),
        sample(const([[1, 15], [7, 4]], "u4"), const([1, 0]), const(1), [[15, 1], [4, 7]], openvino=LOW_BIT),
        sample(const([-8, 7, 0], "i4"), param([1, 0]), const(0), [7, -8], openvino=LOW_BIT),
        sample(const([1, 0, 1], "u1"), param([2, 1]), const(0), [1, 0], openvino=LOW_BIT),
        sample(const([1.0, -0.5], "f8e4m3"), param([1, 1]), const(0), [-0.5, -0.5]),
        sample(param(EXAMPLE), param(np.zeros(0, np.int64)), const(1), np.zeros((2, 0, 8)), openvino=EMPTY),
        sample(param(np.zeros((0, 3), np.float32)), param([2]), const(1), np.zeros((0, 1)), openvino=EMPTY),
        sample(
            param(np.zeros((0, 3), np.float32)),
            param(np.zeros((2, 0), np.int64)),
            const(0),
            np.zeros((2, 0, 3)),
            openvino=EMPTY,
        ),
    ]


SAMPLES = [
    *pages(8),
    *pages(7),
    *every(8),
    *every(7),
    *every(1),
    # the shapes of the layer of Gather-1's page, with fewer elements
    Sample(
        "Gather",
        1,
        [param(ONNX), param(np.arange(2 * 3 * 1 * 2).reshape(2, 3, 1, 2) % 4), const(1)],
        expected=ONNX[:, np.arange(12).reshape(2, 3, 1, 2) % 4],
        shapes=[["?,4,3,1..2", "2,?,1,2"]],
    ),
    Sample("Gather", 1, [param(DATA), param([[0, 1], [1, 1]], "i32"), const([1])], shapes=[["?,1..3,5", "?,?"]]),
    # Gather-8: negative indices, and zeros for those out of range
    Sample("Gather", 8, [FIVE, param([0, -2, -1]), const(0)], expected=[1, 4, 5]),
    Sample("Gather", 8, [FIVE, param([3, 10, -20]), const(0)], expected=[4, 0, 0]),
    Sample("Gather", 8, [FIVE, param([-5, -6, 5, 1000, -1000, 4], "i32"), const(0)], expected=[1, 0, 0, 0, 0, 5]),
    Sample("Gather", 8, [FIVE, const([-5, -6, 5]), const(0)], expected=[1, 0, 0]),
    Sample("Gather", 8, [const([1, 2, 3, 4, 5], "f32"), const([-5, -6, 5]), const(0)], expected=[1, 0, 0]),
    Sample("Gather", 8, [param(np.arange(10, dtype=np.float32)), param([0, -9, -10]), const(0)], expected=[0, 1, 0]),
    Sample("Gather", 8, [FIVE, param([2**32, 2**32 + 1, -(2**32)]), const(0)], expected=[0, 0, 0], openvino=CUT),
    Sample(
        "Gather",
        8,
        [FIVE, param([2**63, 2**64 - 1, 4], "u64"), const(0)],
        expected=[0, 0, 5],
        openvino="the CPU plugin cuts u64 to i32",
    ),
    Sample("Gather", 8, [FIVE, param([255, 4], "u8"), const(0)], expected=[0, 5]),
    Sample(
        "Gather", 8, [param(np.arange(300, dtype=np.float32)), param([-1, 100], "i8"), const(0)], expected=[299, 100]
    ),
    Sample("Gather", 8, [FIVE, param(7), const(0)], expected=0),
    Sample("Gather", 8, [param(DATA), param(-3), const(1)], expected=np.zeros((2, 5))),
    Sample("Gather", 8, [param(DATA), param(np.array(-1, np.int32)), const(-1)], expected=DATA[..., -1]),
    Sample("Gather", 8, [TEN, param([[0, -6, -1], [5, 0, -5]]), const(1)], batched(1), expected=[[1, 0, 5], [0, 6, 6]]),
    Sample(
        "Gather",
        8,
        [FORTY, param([[1, 9], [-6, -1]]), const(2)],
        batched(1),
        expected=[[[[5, 6, 7, 8], [0, 0, 0, 0]]], [[[0, 0, 0, 0], [37, 38, 39, 40]]]],
    ),
    Sample("Gather", 8, [param(DATA), param([0, 1]), const(2)], batched(1), expected=[[1, 6], [12, 17]]),
    Sample("Gather", 8, [param(["a", "é"], "string"), param([-1, 2]), const(0)], expected=["é", ""], openvino=STRINGS),
    Sample("Gather", 8, [param([True], "boolean"), param([1, 0]), const(0)], expected=[False, True]),
    Sample("Gather", 8, [param([2, 3], "bf16"), param([2, -1]), const(0)], expected=[0, 3]),
    Sample(
        "Gather",
        8,
        [param(np.zeros((2, 0), np.float32)), param([0, 1]), const(1)],
        expected=np.zeros((2, 2)),
        openvino="the CPU plugin leaves the output as it finds it",
    ),
    Sample("Gather", 7, [param(DATA), param([[0, 4], [3, 1]]), const(-1)], batched(-1)),
    *(
        sample
        for version in (1, 7)
        for sample in [
            Sample("Gather", version, [FIVE, param([0, 5, -6, 2**31 - 1]), const(0)], expected=[1, 0, 0, 0]),
            Sample("Gather", version, [param(DATA), const([[0, 5]]), const(-1)]),
            Sample("Gather", version, [param(DATA), param(2), const(0)], expected=np.zeros((2, 5))),
            Sample("Gather", version, [FIVE, param([2**32]), const(0)], expected=[0], openvino=CUT),
            Sample(
                "Gather",
                version,
                [param(np.zeros((2, 0), np.float32)), param([0]), const(1)],
                expected=np.zeros((2, 1)),
                openvino="the CPU plugin leaves the output as it finds it",
            ),
        ]
    ),
    Sample("Gather", 7, [TEN, param([[0], [5]]), const(1)], batched(1), expected=[[1], [0]]),
]

ERRORS = [
    ErrorSample(
        "Gather", 8, [FIVE, param([0, 5]), const(0)], {"out_of_range": "error"}, says="indices[1] is 5", code="IR701"
    ),
    *(
        error
        for version in (1, 7, 8)
        for error in [
            ErrorSample("Gather", version, ["f32[2,3]", "i64[4]", const(2)], part="axis", says="[-2, 1]"),
            ErrorSample("Gather", version, ["f32[2,3]", "i64[4]", const(-3)], part="axis", says="[-2, 1]"),
            ErrorSample("Gather", version, ["f32[2,3]", "i64[4]", const([0, 1])], part="axis", says="one element"),
            ErrorSample("Gather", version, ["f32[2,3]", "f32[4]", const(0)], part="indices", says="f32"),
            ErrorSample("Gather", version, ["f32[2,3]", "i64[4]", const(0.0)], part="axis", says="f32"),
            ErrorSample("Gather", version, ["f32[]", "i64[4]", const(0)], part="data", says="scalar"),
        ]
    ),
    *(
        error
        for version in (7, 8)
        for error in [
            ErrorSample(
                "Gather", version, ["f32[2,3]", "i64[3,4]", const(1)], batched(1), part="indices", says="[3] in indices"
            ),
            ErrorSample(
                "Gather", version, ["f32[2,3]", "i64[2]", const(0)], batched(1), part="batch_dims", says="beyond axis 0"
            ),
            ErrorSample(
                "Gather", version, ["f32[2,3]", "i64[2]", const(1)], batched(2), part="batch_dims", says="[-1, 1]"
            ),
            ErrorSample("Gather", version, ["f32[2,3]", "i64[2]", const(1)], batched(-2), part="batch_dims", says="-2"),
        ]
    ),
    *(
        error
        for version in (1, 7)
        for error in [
            ErrorSample(
                "Gather", version, [param(DATA), param([[0, -1]]), const(2)], code="IR701", says="indices[0, 1] is -1"
            ),
            ErrorSample("Gather", version, [FIVE, param([7, -5]), const(0)], code="IR701", says="indices[0] is 7"),
        ]
    ),
]
