"""Samples of StridedSlice-1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, const, param

SIX = np.arange(4**6, dtype=np.float32).reshape([4] * 6)
CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
MASKS = "OpenVINO wants masks of one length; the page continues short ones with zeros"
PLANE = np.arange(8, dtype=np.float32).reshape(2, 4)


def strided(
    data: In,
    begin: Sequence[int],
    end: Sequence[int],
    stride: Sequence[int] | None,
    expected: object,
    shapes: Sequence[Sequence[str]] = (),
    openvino: str = "",
    openvino_shapes: str = "",
    **masks: str,
) -> Sample:
    """Return a slice by constant indices; masks that are not given are zeros."""
    attributes = {"begin_mask": "", "end_mask": "", **masks}
    inputs = [data, const(list(begin)), const(list(end))] + ([const(list(stride))] if stride is not None else [])
    return Sample(
        "StridedSlice",
        1,
        inputs,
        attributes,
        expected=expected,
        shapes=shapes,
        openvino=openvino,
        openvino_shapes=openvino_shapes,
    )


SAMPLES = [
    # the page's examples
    strided(
        param(SIX),
        [0, 1, 0, 1, 3, 3],
        [4, 4, 4, 4, 0, 0],
        [1, 1, 2, 2, -1, -2],
        SIX[0:4, 1:4, 0:4:2, 1:4:2, 3:0:-1, 3:0:-2],
    ),
    strided(param(CUBE), [0, 0, 0], [2, 2, -1], [1, 1, 1], CUBE[:2, :2, :-1], [["?,2..5,1..9"], ["3..,?,4"]]),
    strided(
        param(CUBE),
        [1, 1, 123],
        [0, 0, 2],
        [1, 1, -1],
        CUBE[1:, :, ::-1],
        [["?,?,1..4"]],
        begin_mask="0,1,1",
        end_mask="1,1,1",
        new_axis_mask="0,0,0,0,0",
        shrink_axis_mask="0,0",
        ellipsis_mask="0",
        openvino=MASKS,
        openvino_shapes=MASKS,
    ),
    strided(
        param(PLANE),
        [1234, 0, -1, 0],
        [1234, 2, 9876, 4],
        [132, 1, 241, 1],
        PLANE[None, 0:2, None, 0:4],
        [["1..3,?"]],
        begin_mask="0,0,0,0",
        end_mask="0,0,0,0",
        new_axis_mask="1,0,1,0",
        shrink_axis_mask="0,0,0,0",
        ellipsis_mask="0,0,0,0",
    ),
    strided(
        param(CUBE[None, ...]),
        [0, 0, 0, 0],
        [1, 0, 384, 640],
        [1, 1, 1, 1],
        CUBE[None, 0],
        [["1..3,?,?,4"]],
        begin_mask="0,0,0,0",
        end_mask="0,0,0,0",
        shrink_axis_mask="0,1,0,0",
    ),
    strided(
        param(SIX),
        [0, 0, 0],
        [3, 0, 2],
        [1, -1, 1],
        SIX[0:3, ..., 0:2],
        [["?,4,4,4,4,1..3"]],
        begin_mask="0,0,0",
        end_mask="0,0,0",
        ellipsis_mask="0,1,0",
    ),
    strided(
        param(SIX),
        [2, 1, 10, 10],
        [123, 1, 10, 2],
        [1, -1, 1, 1],
        SIX[2:, ..., None, :2],
        begin_mask="0,0,1,1",
        end_mask="1,1,0,0",
        new_axis_mask="0,0,1",
        shrink_axis_mask="0",
        ellipsis_mask="0,1",
        openvino=MASKS,
        openvino_shapes=MASKS,
    ),
    strided(
        param(PLANE),
        [1, 0, 0],
        [0, 0, 2],
        [1, 1, 1],
        PLANE[1:, :, None],
        begin_mask="0,1,1",
        end_mask="1,1,0",
        new_axis_mask="0,0,1",
    ),
    # the rest
    strided(param(CUBE), [1], [2**63 - 1], None, CUBE[1:], [["?,3,4"], ["1..4,3,4"], ["..."]]),
    strided(
        param(CUBE),
        [-1, 0],
        [0, 5],
        [1, 2],
        CUBE[-1, 0:5:2],
        [["?,?,?"], ["1..3,..7,4"]],
        begin_mask="0,0",
        end_mask="0,0",
        shrink_axis_mask="1,0",
    ),
    strided(param(CUBE), [1, -2], [0, 0], None, CUBE[1, -2], begin_mask="0,0", end_mask="0,0", shrink_axis_mask="1,1"),
    strided(
        param(CUBE),
        [7, 1],
        [0, 2],
        None,
        CUBE[0, 1:2],
        begin_mask="1,0",
        end_mask="0,0",
        shrink_axis_mask="1,0",
        openvino="the CPU plugin refuses an index that begin_mask ignores",
    ),
    strided(
        param(CUBE),
        [0, -1],
        [0, -4],
        [1, -1],
        CUBE[:, :, :0:-1],
        [["?,?,?"]],
        begin_mask="0,0",
        end_mask="0,0",
        ellipsis_mask="1,0",
    ),
    strided(param(PLANE), [-9, -9], [9, 9], [2, 3], PLANE[::2, ::3], [["1..9,2..5"]]),
    strided(param(PLANE), [1, 2], [1, 1], None, PLANE[1:1, 2:1]),
    strided(
        param(PLANE),
        [-9, 9],
        [-9, -9],
        [-1, -2],
        PLANE[:1, ::-2],
        openvino_shapes="OpenVINO infers an interval that is too narrow or too wide",
    ),
    Sample(
        "StridedSlice",
        1,
        [param(PLANE), const([], "i64"), const([], "i64")],
        {"begin_mask": "", "end_mask": ""},
        expected=PLANE,
    ),
    strided(
        param(CUBE),
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        None,
        CUBE[None, :, 0, None],
        new_axis_mask="1,0,0,1",
        shrink_axis_mask="0,0,1,0",
        begin_mask="0,1,0,0",
        end_mask="0,1,0,0",
        openvino="the CPU plugin reads foreign memory",
    ),
    Sample(
        "StridedSlice",
        1,
        [param(CUBE), param([1, 0]), param([2, 2]), param([1, 1])],
        {"begin_mask": "0,0", "end_mask": "0,0"},
        expected=CUBE[1:2, 0:2],
        shapes=[["2,3,4", "2", "2", "2"], ["2,3,4", "?", "2", "2"], ["...", "2", "2", "2"]],
    ),
    Sample(
        "StridedSlice",
        1,
        [param(CUBE), param([1, 0], "i32"), param([2, 2], "i32"), const([1, 1], "i32")],
        {"begin_mask": "0,1", "end_mask": "0,1", "shrink_axis_mask": "1,0"},
        expected=CUBE[1],
        openvino_shapes="OpenVINO does not look at the masks where indices are unknown",
    ),
    Sample(
        "StridedSlice",
        1,
        [param(CUBE), param([0, 1], "i32"), const([2, 2**31 - 1], "i32"), const([1, 1], "i32")],
        {"begin_mask": "1,0", "end_mask": "1,0"},
        expected=CUBE[:, 1:],
        shapes=[["2,3,4", "2"], ["?,?,4", "2"]],
    ),
    strided(param(PLANE, "f16"), [0, 1], [1, 3], None, PLANE[:1, 1:3]),
    strided(param(PLANE, "bf16"), [1, 3], [2, 0], [1, -1], PLANE[1:2, 3:0:-1]),
    strided(param([[1, 2], [3, 250]], "u8"), [0, 1], [2, 2], [1, 1], [[2], [250]]),
    strided(param([True, False], "boolean"), [1], [2], [1], [False]),
    Sample(
        "StridedSlice",
        1,
        [param([2**62 + 1, 5]), const([0]), const([1])],
        {"begin_mask": "0", "end_mask": "0"},
        expected=[2**62 + 1],
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "StridedSlice",
        1,
        [param(["a", "é"], "string"), const([1]), const([2])],
        {"begin_mask": "0", "end_mask": "0"},
        expected=["é"],
        openvino="the CPU plugin does not slice strings",
    ),
    strided(param(np.zeros((0, 3), np.float32)), [0, 1], [5, 2], None, np.zeros((0, 1))),
]

NONE = {"begin_mask": "0", "end_mask": "0"}

ERRORS = [
    ErrorSample(
        "StridedSlice", 1, ["f32[4]", const([0]), const([1]), const([0])], NONE, part="strides", says="strides[0] is 0"
    ),
    ErrorSample("StridedSlice", 1, ["f32[4]", const([0, 0]), const([1, 1])], NONE, part="begin", says="2 axes"),
    ErrorSample("StridedSlice", 1, ["f32[4,4]", "i64[2]", "i64[1]"], NONE, part="end", says="1 values"),
    ErrorSample("StridedSlice", 1, ["f32[4,4]", "i64[2,1]", "i64[2]"], NONE, part="begin", says="rank"),
    ErrorSample("StridedSlice", 1, ["f32[4,4]", "f32[2]", "i64[2]"], NONE, part="begin", says="f32"),
    ErrorSample(
        "StridedSlice",
        1,
        ["f32[4,4]", "i64[2]", "i64[2]"],
        {"begin_mask": "2", "end_mask": "0"},
        part="begin_mask",
        says="0 or 1",
    ),
    ErrorSample(
        "StridedSlice",
        1,
        ["f32[4,4]", "i64[2]", "i64[2]"],
        {**NONE, "ellipsis_mask": "1,1"},
        part="ellipsis_mask",
        says="more than one",
    ),
    ErrorSample(
        "StridedSlice",
        1,
        [param([1.0, 2.0]), param([2]), param([3])],
        {**NONE, "shrink_axis_mask": "1"},
        code="IR701",
        says="begin[0] is 2, outside the allowed range of axis 0 of data",
    ),
]
