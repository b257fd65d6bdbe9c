"""Samples of GatherND-8 and GatherND-5."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, const, param

FOUR = param([[1, 2], [3, 4]], "f32")
TWELVE = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)
CUBE = param(np.arange(8, dtype=np.int32).reshape(2, 2, 2))
EQUAL = "OpenVINO wants equal batch dimensions; the page allows one of a pair to be 1"
LOW_BIT = "OpenVINO's Python interface gives low-bit results packed"
UNSUPPORTED = "the CPU plugin does not run this element type"


def pages(version: int) -> list[Sample]:
    """Return the examples of the pages and of ONNX that both versions share."""

    def sample(
        data: In, indices: In, expected: object, batch_dims: int = 0, shapes: Sequence[Sequence[str]] = ()
    ) -> Sample:
        return Sample(
            "GatherND", version, [data, indices], {"batch_dims": batch_dims}, expected=expected, shapes=shapes
        )

    onnx = param([[0, 1], [2, 3]], "f32")
    return [
        sample(FOUR, param([[0, 0], [1, 0]]), [1, 3], shapes=[["?,2", "1..3,2"], ["2,2", "?,1"], ["2,2", "2,?"]]),
        sample(FOUR, param([[1], [0]], "i32"), [[3, 4], [1, 2]]),
        sample(FOUR, param([[[1]], [[0]]]), [[[3, 4]], [[1, 2]]]),
        sample(FOUR, param([[1], [0]]), [2, 3], 1, [["2..3,2", "3..5,1"], ["?,2", "?,1"]]),
        sample(param(TWELVE), param([[1], [0]]), [[5, 6, 7, 8], [13, 14, 15, 16]], 1),
        sample(onnx, param([[0, 0], [1, 1]]), [0, 3]),
        sample(onnx, param([[1], [0]]), [[2, 3], [0, 1]]),
        sample(CUBE, param([[0, 1], [1, 0]]), [[2, 3], [4, 5]]),
        sample(CUBE, param([[[0, 1]], [[1, 0]]]), [[[2, 3]], [[4, 5]]]),
        sample(CUBE, param([[1], [0]]), [[2, 3], [4, 5]], 1),
        sample(param(np.arange(10.0)), const([3]), 3, 0),
        sample(param(np.arange(10.0)), param([[-1], [-10], [9]]), [9, 0, 9]),
        sample(
            param(np.arange(600, dtype=np.float32).reshape(10, 2, 6, 5)),
            param(np.array([[[9, 0, 5]], [[-1, -2, 0]]])),
            [[[565, 566, 567, 568, 569]], [[540, 541, 542, 543, 544]]],
        ),
    ]


BATCHES = [param(TWELVE), param([[[[1]], [[0]], [[2]]], [[[0]], [[2]], [[2]]]])]
SIXTEEN = param(np.arange(1, 17, dtype=np.float32).reshape(1, 2, 2, 4))
LAST = param([[[[1], [0]], [[3], [2]]]])

SAMPLES = [
    *pages(8),
    *pages(5),
    Sample(
        "GatherND",
        8,
        BATCHES,
        {"batch_dims": 2},
        expected=[[[2], [5], [11]], [[13], [19], [23]]],
        shapes=[["?,3,4", "2,?,1,1"], ["2..4,1..3,4", "3..5,3,?,1"]],
    ),
    Sample(
        "GatherND",
        5,
        BATCHES,
        {"batch_dims": 2},
        expected=[[2], [5], [11], [13], [19], [23]],
        shapes=[["2..3,3,4", "2..3,?,1,1"], ["?,1..3,4", "?,3,?,1"]],
    ),
    Sample("GatherND", 8, [SIXTEEN, LAST], {"batch_dims": 3}, expected=[[[2, 5], [12, 15]]], openvino_shapes=EQUAL),
    Sample("GatherND", 5, [SIXTEEN, LAST], {"batch_dims": 3}, expected=[2, 5, 12, 15], openvino_shapes=EQUAL),
    # batch dimensions that are broadcast, as the page allows
    Sample(
        "GatherND",
        8,
        [param([[1, 2, 3]], "f32"), param([[[0], [2]], [[1], [1]]])],
        {"batch_dims": 1},
        expected=[[1, 3], [2, 2]],
        openvino=EQUAL,
        openvino_shapes=EQUAL,
    ),
    Sample(
        "GatherND",
        8,
        [param([[1, 2], [3, 4]], "f32"), param([[[1], [0]]])],
        {"batch_dims": 1},
        expected=[[2, 1], [4, 3]],
        openvino=EQUAL,
        openvino_shapes=EQUAL,
    ),
    Sample(
        "GatherND",
        5,
        [param(TWELVE), param(np.array([[[[3]]], [[[-4]]]]))],
        {"batch_dims": 2},
        expected=[[4], [8], [12], [13], [17], [21]],
        openvino=EQUAL,
        openvino_shapes=EQUAL,
    ),
    # element types
    Sample("GatherND", 8, [param([[1, 2], [3, 4]], "f16"), param([[1, 1]], "i32")], expected=[4]),
    Sample("GatherND", 8, [param([[1, 2], [3, 4]], "bf16"), param([[-1, -2]], "i32")], expected=[3]),
    Sample(
        "GatherND",
        8,
        [param([2**62 + 1, 5]), param([[0], [1]])],
        expected=[2**62 + 1, 5],
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample("GatherND", 8, [param([True, False], "boolean"), param([[1], [0]])], expected=[False, True]),
    Sample(
        "GatherND", 8, [param([["a", "é"], ["", "d"]], "string"), param([[0, 1]])], expected=["é"], openvino=UNSUPPORTED
    ),
    Sample(
        "GatherND",
        8,
        [const([[1, 2], [15, 4]], "u4"), param([[1], [1]])],
        expected=[[15, 4], [15, 4]],
        openvino=LOW_BIT,
    ),
    Sample("GatherND", 5, [param([[1, 2], [3, 4]], "i8"), param([[1, 0]], "u8")], expected=[3]),
    # empty tensors
    Sample("GatherND", 8, [param(TWELVE), param(np.zeros((0, 2), np.int64))], expected=np.zeros((0, 4))),
    Sample("GatherND", 8, [param(np.zeros((2, 0), np.float32)), param([[1]])], expected=np.zeros((1, 0))),
    Sample(
        "GatherND",
        8,
        [param([1.0, 2.0]), param(np.zeros((2, 0), np.int64))],
        expected=[[1, 2], [1, 2]],
        openvino="the CPU plugin reads foreign memory where tuples hold no index",
    ),
]

ERRORS = [
    ErrorSample("GatherND", 8, ["f32[2,3]", "i64[4,3]"], part="indices", says="tuples of 3"),
    ErrorSample("GatherND", 8, ["f32[2,3]", "i64[3,1]"], {"batch_dims": 1}, part="indices", says="[2] in data"),
    ErrorSample("GatherND", 8, ["f32[2,3]", "i64[2,1]"], {"batch_dims": 2}, part="batch_dims", says="batch_dims is 2"),
    ErrorSample("GatherND", 8, ["f32[2,3]", "i64[2,1]"], {"batch_dims": -1}, part="batch_dims", says="-1"),
    ErrorSample("GatherND", 8, ["f32[2,3]", "f32[2,1]"], part="indices", says="f32"),
    ErrorSample("GatherND", 8, ["f32[]", "i64[1]"], part="data", says="scalar"),
    ErrorSample("GatherND", 5, ["f32[4]", "i64[]"], part="indices", says="scalar"),
    ErrorSample("GatherND", 5, ["f32[2,3]", "i64[4,3]"], part="indices", says="tuples of 3"),
    ErrorSample(
        "GatherND",
        8,
        [FOUR, param([[0, 0], [1, 2]])],
        code="IR701",
        says="indices[1, 1] is 2, outside the allowed range of axis 1 of data: [-2, 1]",
    ),
    ErrorSample(
        "GatherND", 8, [param(TWELVE), param([[0], [-4]])], {"batch_dims": 1}, code="IR701", says="indices[1, 0] is -4"
    ),
    ErrorSample("GatherND", 5, [FOUR, param([[2**32, 0]])], code="IR701", says="indices[0, 0] is 4294967296"),
    ErrorSample("GatherND", 8, [param(np.zeros((0, 2), np.float32)), param([[0]])], code="IR701", says="length 0"),
]
