"""Samples of StringTensorUnpack-15."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param


def codes(text: str) -> Array:
    return np.frombuffer(text.encode(), np.uint8)


SAMPLES = [
    Sample(
        "StringTensorUnpack",
        15,
        [param(["Intel", "OpenVINO"], "string")],
        expected=[[0, 5], [5, 13], codes("IntelOpenVINO")],
        outputs=3,
        shapes=[["?"], ["1..3"]],
    ),
    Sample(
        "StringTensorUnpack",
        15,
        [param(["OMZ", "", "GenAI", " ", "2024"], "string")],
        expected=[[0, 3, 3, 8, 9], [3, 3, 8, 9, 13], codes("OMZGenAI 2024")],
        outputs=3,
    ),
    Sample(
        "StringTensorUnpack",
        15,
        [param([["Intel", "OpenVINO"], ["OMZ", "GenAI"]], "string")],
        expected=[[[0, 5], [13, 16]], [[5, 13], [16, 21]], codes("IntelOpenVINOOMZGenAI")],
        outputs=3,
    ),
    Sample(
        "StringTensorUnpack", 15, [param(["žlu", "ť"], "string")], expected=[[0, 4], [4, 6], codes("žluť")], outputs=3
    ),
    Sample(
        "StringTensorUnpack",
        15,
        [const(["ab", "c"], "string")],
        expected=[[0, 2], [2, 3], codes("abc")],
        outputs=3,
    ),
    Sample(
        "StringTensorUnpack",
        15,
        [param(np.zeros(0, object), "string")],
        expected=[[], [], codes("")],
        outputs=3,
    ),
]

ERRORS = [ErrorSample("StringTensorUnpack", 15, ["u8[2]"], part="data", says="u8", outputs=3)]
