"""Samples of StringTensorPack-15."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, const, param


def symbols(text: str) -> In:
    return param(list(text.encode()), "u8")


SAMPLES = [
    Sample("StringTensorPack", 15, [param([0, 5]), param([5, 13]), symbols("IntelOpenVINO")],
        expected=["Intel", "OpenVINO"],
           shapes=[["?", "1..4", "?"], ["...", "2", "..."]]),
    Sample("StringTensorPack", 15, [param([0, 3, 3, 8, 9]), param([3, 3, 8, 9, 13]), symbols("OMZGenAI 2024")],
           expected=["OMZ", "", "GenAI", " ", "2024"]),
    Sample("StringTensorPack", 15, [param([0, 8], "i32"), const([1, 9], "i32"), symbols("123456789")],
        expected=["1", "9"]),
    Sample("StringTensorPack", 15,
        [param([[0, 5], [13, 16]]), param([[5, 13], [16, 21]]), symbols("IntelOpenVINOOMZGenAI")],
           expected=[["Intel", "OpenVINO"], ["OMZ", "GenAI"]]),
    Sample("StringTensorPack", 15, [param([4, 0]), param([6, 5]), symbols("aé€b")],
        expected=["\udc82\udcac", "aé\udce2\udc82"],
           openvino="these bytes are not UTF-8, and Python's binding of OpenVINO replaces them"),
    Sample("StringTensorPack", 15, [param([], "i64"), param([], "i64"), symbols("a")], expected=np.zeros(0, object),
           openvino="OpenVINO's tensor has no address to read an empty result from"),
    Sample("StringTensorPack", 15, [param(1), param(3), symbols("abc")], expected="bc"),
]  # fmt: skip

TEXT = symbols("abc")

ERRORS = [
    ErrorSample("StringTensorPack", 15, ["i64[2]", "i64[3]", "u8[9]"], part="ends", says="[3]"),
    ErrorSample("StringTensorPack", 15, ["i64[2]", "i32[2]", "u8[9]"], part="ends", says="i32"),
    ErrorSample("StringTensorPack", 15, ["u8[2]", "u8[2]", "u8[9]"], part="begins", says="u8"),
    ErrorSample("StringTensorPack", 15, ["i64[2]", "i64[2]", "i8[9]"], part="symbols", says="i8"),
    ErrorSample("StringTensorPack", 15, ["i64[2]", "i64[2]", "u8[]"], part="symbols", says="rank 0"),
    ErrorSample("StringTensorPack", 15, [param([0, -1]), param([1, 1]), TEXT], code="IR701", says="begins[1] is -1"),
    ErrorSample("StringTensorPack", 15, [param([2]), param([1]), TEXT], code="IR701", says="before it begins"),
    ErrorSample("StringTensorPack", 15, [param([0]), param([4]), TEXT], code="IR701", says="only 3 symbols"),
]  # fmt: skip
