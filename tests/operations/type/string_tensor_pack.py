"""Samples of StringTensorPack-15."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param


def symbols(text: str) -> In:
    return param(np.frombuffer(text.encode(), np.uint8))


def strings(*found: object) -> Array:
    return np.array(found, object)


OMZ = "OMZGenAI 2024"

SAMPLES = [
    Sample(
        "StringTensorPack",
        15,
        [param([0, 5]), param([5, 13]), symbols("IntelOpenVINO")],
        expected=strings("Intel", "OpenVINO"),
        shapes=[["2", "?", "1.."], ["...", "?", "13"]],
    ),
    Sample(
        "StringTensorPack",
        15,
        [param([0, 3, 3, 8, 9]), param([3, 3, 8, 9, 13]), symbols(OMZ)],
        expected=strings("OMZ", "", "GenAI", " ", "2024"),
    ),
    Sample(
        "StringTensorPack",
        15,
        [param([0, 8], "i32"), param([1, 9], "i32"), symbols("123456789")],
        expected=strings("1", "9"),
    ),
    Sample(
        "StringTensorPack",
        15,
        [param([[0, 5], [13, 16]]), param([[5, 13], [16, 21]]), symbols("IntelOpenVINOOMZGenAI")],
        expected=strings(["Intel", "OpenVINO"], ["OMZ", "GenAI"]),
    ),
    Sample("StringTensorPack", 15, [const([0, 3]), const([3, 6]), symbols("žluť")], expected=strings("žl", "uť")),
    Sample(
        "StringTensorPack",
        15,
        [param(np.zeros(0, np.int64)), param(np.zeros(0, np.int64)), symbols("abc")],
        expected=np.zeros(0, object),
    ),
]

ERRORS = [
    ErrorSample("StringTensorPack", 15, ["i64[2]", "i64[3]", "u8[5]"], part="ends", says="must be equal"),
    ErrorSample("StringTensorPack", 15, ["i64[2]", "i32[2]", "u8[5]"], part="ends", says="i32"),
    ErrorSample("StringTensorPack", 15, ["i64[2]", "i64[2]", "u8[5,1]"], part="symbols", says="rank"),
    ErrorSample("StringTensorPack", 15, ["i64[2]", "i64[2]", "i8[5]"], part="symbols", says="i8"),
    ErrorSample("StringTensorPack", 15, ["u8[2]", "u8[2]", "u8[5]"], part="begins", says="u8"),
    ErrorSample("StringTensorPack", 15, [param([0]), param([9]), symbols("abc")], code="IR701", says="ends[0] is 9"),
    ErrorSample(
        "StringTensorPack", 15, [param([2]), param([1]), symbols("abc")], code="IR701", says="string 0 ends at 1"
    ),
    ErrorSample("StringTensorPack", 15, [param([0]), param([1]), symbols("ž")], code="IR701", says="no UTF-8"),
]
