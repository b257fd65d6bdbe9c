"""Samples of GatherElements-6."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def oracle(axis: int) -> Callable[..., Array]:
    """Return a naive computation along an axis."""

    def elements(data: Array, indices: Array) -> Array:
        result = np.empty(indices.shape, data.dtype)
        for position in itertools.product(*map(range, indices.shape)):
            source = list(position)
            source[axis] = int(indices[position])
            result[position] = data[tuple(source)]
        return result

    return elements


NINE = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
LOW_BIT = "OpenVINO's Python interface gives low-bit results packed"
UNSUPPORTED = "the CPU plugin does not run this element type"

SAMPLES = [
    # the page's examples
    Sample("GatherElements", 6, [param([[1, 2], [3, 4]], "f32"), param([[0, 1], [0, 0]])], {"axis": 0},
           expected=[[1, 4], [1, 2]], shapes=[["?,2", "2..5,?"], ["3..7,2", "1..2,1..8"]]),
    Sample("GatherElements", 6, [param([[1, 7], [4, 3]], "f32"), param([[1, 1, 0], [1, 0, 1]])], {"axis": 1},
           expected=[[7, 7, 1], [3, 4, 3]]),
    Sample("GatherElements", 6, [param(NINE, "f32"), param([[1, 0, 1], [1, 2, 0]])], {"axis": 0},
           expected=[[4, 2, 6], [4, 8, 3]]),
    Sample("GatherElements", 6, [param(np.arange(105.0, dtype=np.float32).reshape(3, 7, 5)),
                                 param(np.arange(150).reshape(3, 10, 5) % 7, "i32")], {"axis": 1}, oracle=oracle(1)),
    # ONNX's examples
    Sample("GatherElements", 6, [param([[1, 2], [3, 4]], "f32"), param([[0, 0], [1, 0]])], {"axis": 1},
           expected=[[1, 1], [4, 3]]),
    Sample("GatherElements", 6, [param(NINE, "f32"), param([[1, 2, 0], [2, 0, 0]])], {"axis": 0},
           expected=[[4, 8, 3], [7, 2, 3]]),
    Sample("GatherElements", 6, [param(NINE, "f32"), param([[-1, -2, 0], [-2, 0, 0]])], {"axis": 0},
           expected=[[7, 5, 3], [4, 2, 3]]),
    # ranks, axes, types
    Sample("GatherElements", 6, [param(CUBE), param(np.arange(18).reshape(2, 3, 3) % 8 - 4, "i32")], {"axis": -1},
           oracle=oracle(2)),
    Sample("GatherElements", 6, [param(CUBE, "f16"), const(np.arange(12).reshape(1, 3, 4) % 2)], {"axis": -3},
           oracle=oracle(0)),
    Sample("GatherElements", 6, [param(CUBE, "bf16"), param(np.arange(16).reshape(2, 2, 4) % 3, "i32")], {"axis": 1},
           oracle=oracle(1)),
    Sample("GatherElements", 6, [param([5, 6, 7], "u8"), param([2, 2, 0, -3], "i32")], {"axis": 0},
           expected=[7, 7, 5, 5]),
    Sample("GatherElements", 6, [param([2**62 + 1, -(2**62) - 1], "i64"), param([1, 0, -1])], {"axis": 0},
           expected=[-(2**62) - 1, 2**62 + 1, -(2**62) - 1], openvino="the CPU plugin cuts i64 to i32"),
    Sample("GatherElements", 6, [param([True, False], "boolean"), param([1, 1, 0], "i32")], {"axis": 0},
           expected=[False, False, True]),
    Sample("GatherElements", 6, [param([["a", "bé"], ["", "d"]], "string"), param([[1], [-1]], "i32")], {"axis": 1},
           expected=[["bé"], ["d"]], openvino=UNSUPPORTED),
    Sample("GatherElements", 6, [const([1, 15, 7], "u4"), const([2, 1], "i32")], {"axis": 0}, expected=[7, 15],
           openvino=LOW_BIT),
    Sample("GatherElements", 6, [const([-8, 7, 1], "i4"), param([0, -2])], {"axis": 0}, expected=[-8, 7],
           openvino=LOW_BIT),
    Sample("GatherElements", 6, [param([0.1, 0.2], "f64"), param([1, 0], "i32")], {"axis": 0}, expected=[0.2, 0.1]),
    Sample("GatherElements", 6, [param(np.zeros((0, 3), np.float32)), param(np.zeros((0, 2), np.int64))], {"axis": 1},
           expected=np.zeros((0, 2))),
    Sample("GatherElements", 6, [param(np.zeros((2, 0), np.float32)), param(np.zeros((2, 0), np.int64))], {"axis": 1},
           expected=np.zeros((2, 0))),
]  # fmt: skip

ERRORS = [
    ErrorSample("GatherElements", 6, ["f32[2,3]", "i64[2,3]"], {"axis": 2}, part="axis", says="[-2, 1]"),
    ErrorSample("GatherElements", 6, ["f32[2,3]", "i64[2]"], {"axis": 0}, part="indices", says="rank"),
    ErrorSample("GatherElements", 6, ["f32[2,3]", "i64[2,4]"], {"axis": 0}, part="indices", says="[2,4]"),
    ErrorSample("GatherElements", 6, ["f32[2,3]", "f32[2,3]"], {"axis": 0}, part="indices", says="f32"),
    ErrorSample("GatherElements", 6, ["f32[2]", "u8[2]"], {"axis": 0}, part="indices", says="u8"),
    ErrorSample("GatherElements", 6, ["f32[]", "i64[1]"], {"axis": 0}, part="data", says="scalar"),
    ErrorSample("GatherElements", 6, ["f32[1]", "i64[]"], {"axis": 0}, part="indices", says="scalar"),
    ErrorSample("GatherElements", 6, [param(CUBE), param(np.full((2, 3, 1), 4))], {"axis": 2}, code="IR701",
                says="indices[0, 0, 0] is 4, outside the allowed range of axis 2 of data [2, 3, 4]: [-4, 3]"),
    ErrorSample("GatherElements", 6, [param([1.0, 2.0]), param([0, 1, -3], "i32")], {"axis": 0}, code="IR701",
                says="indices[2] is -3"),
    ErrorSample("GatherElements", 6, [param([1.0, 2.0]), param([0, 2**32])], {"axis": 0}, code="IR701",
                says="indices[1] is 4294967296"),
    ErrorSample("GatherElements", 6, [param(np.zeros((2, 0), np.float32)), param([[0], [0]])], {"axis": 1},
                code="IR701", says="length 0"),
]  # fmt: skip
