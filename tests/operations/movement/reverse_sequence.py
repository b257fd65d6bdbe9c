"""Samples of ReverseSequence-1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def sequences(batch: int, sequence: int) -> Callable[..., Array]:
    """Return a naive computation."""

    def reverse(data: Array, lengths: Array) -> Array:
        result: Array = data.copy()
        for position in np.ndindex(data.shape):
            length = int(lengths[position[batch]])
            if position[sequence] < length:
                source = list(position)
                source[sequence] = length - 1 - position[sequence]
                result[position] = data[tuple(source)]
        return result

    return reverse


SAMPLES = [
    Sample(
        "ReverseSequence",
        1,
        [param(CUBE), param([2, 3], "i32")],
        oracle=sequences(0, 1),
        shapes=[["?,3,4", "2"], ["1..5,?,4", "2..7"], ["2,3,4", "?"], ["...", "2"]],
    ),
    Sample(
        "ReverseSequence", 1, [param(CUBE), const([1, 4, 2])], {"batch_axis": 1, "seq_axis": 2}, oracle=sequences(1, 2)
    ),
    Sample(
        "ReverseSequence",
        1,
        [param(CUBE), param([1, 2, 2, 1], "i32")],
        {"batch_axis": -1, "seq_axis": 0},
        oracle=sequences(2, 0),
        openvino_shapes="OpenVINO refuses a negative axis of an unknown rank",
    ),
    Sample(
        "ReverseSequence",
        1,
        [param(CUBE, "f16"), param([2, 3], "f32")],
        {"seq_axis": -2},
        oracle=sequences(0, 1),
        openvino_shapes="OpenVINO refuses a negative axis of an unknown rank",
    ),
    Sample("ReverseSequence", 1, [param(CUBE, "bf16"), param([3, 1], "i64")], oracle=sequences(0, 1)),
    Sample("ReverseSequence", 1, [param([[1, 250, 7]], "u8"), param([2], "i32")], expected=[[250, 1, 7]]),
    Sample(
        "ReverseSequence",
        1,
        [param([[2**62 + 1, 5]]), param([2], "i32")],
        expected=[[5, 2**62 + 1]],
        openvino="the CPU plugin cuts i64 to i32",
    ),
    Sample(
        "ReverseSequence",
        1,
        [param([["a", "é"]], "string"), param([2], "i32")],
        expected=[["é", "a"]],
        openvino="the CPU plugin does not run strings",
    ),
]

ERRORS = [
    ErrorSample("ReverseSequence", 1, ["f32[2,3]", "i32[3]"], part="seq_lengths", says="3 values"),
    ErrorSample("ReverseSequence", 1, ["f32[2,3]", "i32[2]"], {"batch_axis": 2}, part="batch_axis", says="[-2, 1]"),
    ErrorSample("ReverseSequence", 1, ["f32[2,3]", "i32[2]"], {"seq_axis": -3}, part="seq_axis", says="[-2, 1]"),
    ErrorSample("ReverseSequence", 1, ["f32[2]", "i32[2]"], part="data", says="at least 2"),
    ErrorSample("ReverseSequence", 1, ["f32[2,3]", "i32[2,1]"], part="seq_lengths", says="rank"),
    ErrorSample("ReverseSequence", 1, ["f32[2,3]", "boolean[2]"], part="seq_lengths", says="boolean"),
    ErrorSample("ReverseSequence", 1, [param(CUBE), param([1, 4], "i32")], code="IR701", says="seq_lengths[1] is 4"),
]
