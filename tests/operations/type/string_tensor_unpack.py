"""Samples of StringTensorUnpack-15."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param


def text(string: str) -> list[int]:
    return list(string.encode())


SAMPLES = [
    Sample("StringTensorUnpack", 15, [param(["Intel", "OpenVINO"], "string")], outputs=3,
           expected=[[0, 5], [5, 13], text("IntelOpenVINO")], shapes=[["?"], ["1..5"], ["..."]]),
    Sample("StringTensorUnpack", 15, [param(["OMZ", "", "GenAI", " ", "2024"], "string")], outputs=3,
           expected=[[0, 3, 3, 8, 9], [3, 3, 8, 9, 13], text("OMZGenAI 2024")]),
    Sample("StringTensorUnpack", 15, [param([["Intel", "OpenVINO"], ["OMZ", "GenAI"]], "string")], outputs=3,
           expected=[[[0, 5], [13, 16]], [[5, 13], [16, 21]], text("IntelOpenVINOOMZGenAI")]),
    Sample("StringTensorUnpack", 15, [const(["aé€", "b"], "string")], outputs=3,
        expected=[[0, 6], [6, 7], text("aé€b")]),
    Sample("StringTensorUnpack", 15, [param("é", "string")], outputs=3, expected=[0, 2, text("é")]),
    Sample("StringTensorUnpack", 15, [param(["", ""], "string")], outputs=3, expected=[[0, 0], [0, 0], np.zeros(0)]),
    Sample("StringTensorUnpack", 15, [param(np.zeros((0, 2), object), "string")], outputs=3,
           expected=[np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0)]),
]  # fmt: skip

ERRORS = [ErrorSample("StringTensorUnpack", 15, ["i32[2]"], part="data", says="i32", outputs=3)]
