"""Samples of the arithmetic operations of two operands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

A = np.array([[1.5, -2.25, 3.0], [0.0, 4.0, -0.5]], np.float32)
B = np.array([[2.0, 2.0, 0.5], [3.0, -1.0, 1.0]], np.float32)
ROW = np.array([2, 1, 3], np.float32)
PDPD = {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": 1}
SATURATES = "saturates types of 8 and 16 bits"

TABLE: dict[str, Callable[[float, float], float]] = {
    "Add": lambda a, b: a + b,
    "Subtract": lambda a, b: a - b,
    "Multiply": lambda a, b: a * b,
    "Maximum": max,
    "Minimum": min,
    "SquaredDifference": lambda a, b: (a - b) ** 2,
    "Power": lambda a, b: abs(a) ** b,
}


def naive(function: Callable[[float, float], float]) -> Callable[[Array, Array], Array]:
    def oracle(a: Array, b: Array) -> Array:
        pairs = np.broadcast(a, b)
        return np.array([function(float(x), float(y)) for x, y in pairs]).reshape(pairs.shape)

    return oracle


def samples() -> list[Sample]:
    collected = []
    for type, function in TABLE.items():
        oracle = naive(function)
        a = np.abs(A) if type == "Power" else A
        collected += [
            Sample(type, 1, [param(a), param(B)], oracle=oracle, shapes=[["?,3", "2,1..3"], ["...", "2,3"]]),
            Sample(type, 1, [param(a), const(ROW)], {"auto_broadcast": "numpy"}, oracle=oracle),
            Sample(type, 1, [param(a.reshape(2, 3, 1)), param(np.arange(1, 5, dtype=np.float32))], oracle=oracle),
            Sample(type, 1, [param(a), param(B)], {"auto_broadcast": "none"}, oracle=oracle, shapes=[["?,3", "2,?"]]),
            Sample(type, 1, [param(a.astype(np.float16)), param(B.astype(np.float16))], oracle=oracle),
            Sample(type, 1, [param(a, "bf16"), const(ROW, "bf16")], oracle=oracle),
            Sample(type, 1, [param(np.abs(np.rint(A)), "i32"), param(np.abs(np.rint(B)), "i32")], oracle=oracle),
            Sample(type, 1, [param(np.float32(2)), param(np.float32(3))], oracle=oracle),
            Sample(type, 1, [param(np.zeros((0, 3), np.float32)), param(ROW)]),
            Sample(type, 1, [param(a.astype(np.float64)), param(B.astype(np.float64))], oracle=oracle),
            Sample(
                type,
                1,
                [param(np.abs(A).reshape(1, 2, 3).repeat(2, 0)), param([2.0, 3.0])],
                PDPD,
                oracle=lambda a, b, of=oracle: of(a, b.reshape(2, 1)),
                shapes=[["2,?,3", "2"], ["?,2,3", "1"]],
                openvino="fails to compile it" if type == "Subtract" else "",
            ),
        ]
    return collected


SAMPLES = [
    *samples(),
    Sample("Add", 1, [param([250, 2], "u8"), param([30, 1], "u8")], expected=[24, 3], openvino=SATURATES),
    Sample("Add", 1, [param([120, -128], "i8"), param([30, -1], "i8")], expected=[-106, 127], openvino=SATURATES),
    Sample(
        "Add", 1, [param([2**62 + 1]), param([2**62])], expected=[-(2**63) + 2**0 + 0], openvino="cuts 64 bits to 32"
    ),
    Sample(
        "Add",
        1,
        [param([15, 7], "u4"), param([1, 2], "u4")],
        expected=[0, 9],
        openvino="has no arithmetic of u4",
        openvino_shapes="prints the same",
    ),
    Sample(
        "Add",
        1,
        [param(np.ones((2, 3, 4), np.float32)), param(np.ones((3, 4), np.float32))],
        {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": -1},
    ),
    Sample(
        "Add",
        1,
        [param(np.ones((2, 3, 4), np.float32)), param(np.ones((3, 1), np.float32))],
        PDPD,
        shapes=[["2,?,4", "3,1"], ["2,1..5,4", "2..7,1"]],
    ),
    Sample(
        "Add",
        1,
        [param([[1.0, 2.0], [3.0, 4.0]]), param([10.0, 20.0])],
        {"auto_broadcast": "pdpd"},
        expected=[[11, 12], [23, 24]],
    ),
    Sample("Add", 1, [param(np.float32(1)), param(ROW)]),
    Sample("Subtract", 1, [param([1, 2], "u8"), param([3, 1], "u8")], expected=[254, 1], openvino=SATURATES),
    Sample("Multiply", 1, [param([2**62]), param([3])], expected=[3 * 2**62 - 2**64], openvino="cuts 64 bits to 32"),
    Sample(
        "SquaredDifference", 1, [param([1, 2], "u8"), param([30, 1], "u8")], expected=[841 % 256, 1], openvino=SATURATES
    ),
    Sample(
        "Maximum",
        1,
        [param([np.nan, 1.0]), param([1.0, np.nan])],
        expected=[np.nan, np.nan],
        openvino="gives the second operand",
    ),
    Sample(
        "Minimum",
        1,
        [param([np.nan, 1.0]), param([1.0, np.nan])],
        expected=[np.nan, np.nan],
        openvino="gives the second operand",
    ),
    Sample(
        "Power",
        1,
        [param([2, 3, -2, 1, 0, -1, -1, 7], "i32"), param([3, 0, 3, -4, 0, -3, -2, -1], "i32")],
        expected=[8, 1, -8, 1, 1, -1, 1, 0],
    ),
    Sample("Power", 1, [param([3]), param([39])], expected=[3**39], openvino="computes in f32"),
    Sample("Power", 1, [param([5], "u8"), param([4], "u8")], expected=[625 % 256], openvino=SATURATES),
    Sample("Power", 1, [param([-8.0, 4.0, 0.0]), param([1 / 3, 0.5, -1.0])], expected=[np.nan, 2, np.inf]),
]

ERRORS = [
    *[ErrorSample(type, 1, ["boolean[2]", "boolean[2]"], part="input 0", says="boolean") for type in TABLE],
    ErrorSample("Add", 1, ["f32[2,3]", "f32[2,4]"], part="input 1", says="cannot be broadcast"),
    ErrorSample("Add", 1, ["f32[2,3]", "i32[2,3]"], part="input 1", says="i32"),
    ErrorSample("Add", 1, ["f32[2,3]", "string[2,3]"], part="input 1", says="string"),
    ErrorSample(
        "Multiply", 1, ["f32[2,3]", "f32[3]"], {"auto_broadcast": "none"}, part="input 1", says="auto_broadcast is none"
    ),
    ErrorSample("Multiply", 1, ["f32[2,3,4]", "f32[4]"], PDPD, part="input 1", says="dimension 0"),
    ErrorSample("Multiply", 1, ["f32[3]", "f32[2,3]"], PDPD, part="input 1", says="does not fit"),
    ErrorSample("Power", 1, [param([2, 0]), param([-1, -1])], code="IR701", says="element[1] is 0"),
]
