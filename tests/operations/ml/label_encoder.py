"""Samples of LabelEncoder of version extension."""

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, const, param

OURS = "OpenVINO has no LabelEncoder"


def encoded(data: In, keys: In, values: In, default: In, expected: Any) -> Sample:
    inputs = [data, keys, values, default]
    return Sample("LabelEncoder", "extension", inputs, {}, expected, openvino=OURS, openvino_shapes=OURS)


def strings(*items: str) -> Any:
    return np.array(items, object)


WORDS = const(strings("a", "b", "a"), "string")
NUMBERS = const(np.array([5, 6, 7]))

SAMPLES = [
    encoded(param(strings("b", "a", "x"), "string"), WORDS, NUMBERS, const(np.array(-1)), np.array([6, 5, -1])),
    encoded(
        param(np.array([[7], [5]])),
        NUMBERS,
        WORDS,
        const(np.array("?", object), "string"),
        strings("a", "a").reshape(2, 1),
    ),
    encoded(
        param(np.array([np.nan, 2, 3], np.float32)),
        const(np.array([np.nan, 2], np.float32)),
        const(np.array([1.5, 2.5], np.float32)),
        const(np.array([9], np.float32)),
        np.array([1.5, 2.5, 9], np.float32),
    ),
    encoded(param(np.zeros((0, 2), np.int64)), NUMBERS, NUMBERS, const(np.array(0)), np.zeros((0, 2), np.int64)),
]

ERRORS = [
    ErrorSample("LabelEncoder", "extension", ["i64[2]", "string[2]", "i64[2]"], part="keys", says="string"),
    ErrorSample("LabelEncoder", "extension", ["i64[2]", "i64[2]", "i64[3]"], part="values", says="[3]"),
    ErrorSample("LabelEncoder", "extension", [param(np.array([4])), NUMBERS, NUMBERS], says="4 is none", code="IR701"),
]
