"""Samples of Eye-9."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

SAMPLES = [
    Sample("Eye", 9, [const(3), const(4), const(2)], {"output_type": "i32"},
        expected=[[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]),
    Sample("Eye", 9, [const(3), const(4), const(-1)], {"output_type": "i32"},
        expected=[[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]),
    Sample("Eye", 9, [const(2, "i32"), const(2, "i32"), const(5, "i32"), const([1, 2], "i32")],
        {"output_type": "f16"}, expected=np.zeros((1, 2, 2, 2))),
    Sample("Eye", 9, [const([5], "i32"), const([5], "i32"), param(0, "i32")], {"output_type": "i8"},
        expected=np.eye(5)),
    Sample("Eye", 9, [param(3), param(2), param(0), param([2, 3])], {"output_type": "f32"},
        expected=np.broadcast_to(np.eye(3, 2), (2, 3, 3, 2)),
           openvino="the CPU refuses an unknown rank"),
    Sample("Eye", 9, [param([3]), const(4), const([-(2**40)])], {"output_type": "i64"}, expected=np.zeros((3, 4)),
        openvino="the CPU takes i64 for i32"),
    Sample("Eye", 9, [const(0), const(4), const(0), const(np.zeros(0), "i64")], {"output_type": "f32"},
        expected=np.zeros((0, 4))),
    Sample("Eye", 9, [param(2), const(3), const(1), const([0])], {"output_type": "u8"}, expected=np.zeros((0, 2, 3)),
        openvino="the CPU does not take empty batches"),
    Sample("Eye", 9, [const(2), const(3), const(1)], {"output_type": "bf16"}, expected=np.eye(2, 3, 1)),
    Sample("Eye", 9, [const(2), const(3), const(1)], {"output_type": "f64"}, expected=np.eye(2, 3, 1)),
]  # fmt: skip

ERRORS = [
    ErrorSample("Eye", 9, [const(-1), const(4), const(0)], {"output_type": "f32"}, part="num_rows", says="-1"),
    ErrorSample("Eye", 9, ["f32[]", "i64[]", "i64[]"], {"output_type": "f32"}, part="num_rows", says="f32"),
    ErrorSample("Eye", 9, ["i64[]", "i64[2]", "i64[]"], {"output_type": "f32"}, part="num_columns", says="[2]"),
    ErrorSample("Eye", 9, ["i64[]", "i64[]", "i64[1,1]"], {"output_type": "f32"}, part="diagonal_index", says="rank 2"),
    ErrorSample("Eye", 9, ["i64[]", "i64[]", "i64[]", "i64[]"], {"output_type": "f32"}, part="batch_shape",
        says="rank 0"),
    ErrorSample("Eye", 9, ["i64[]", "i64[]", "i64[]", const([2, -3])], {"output_type": "f32"}, part="batch_shape",
        says="batch_shape[1] is -3"),
    ErrorSample("Eye", 9, ["i64[]", "i64[]", "i64[]"], {"output_type": "string"}, part="output_type", says="string"),
    ErrorSample("Eye", 9, [param(-2), const(4), const(0)], {"output_type": "f32"}, code="IR701", says="num_rows is -2"),
]  # fmt: skip
