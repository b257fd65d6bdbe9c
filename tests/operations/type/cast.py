"""Samples of Cast of version extension."""

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, param

OURS = "OpenVINO has no Cast"
INF, NAN, LEAST, MOST = np.inf, np.nan, 2.0**-127, 2.0**127


def to(type: str, data: In, expected: object, **attributes: str) -> Sample:
    flags = {"destination_type": type} | attributes
    return Sample("Cast", "extension", [data], flags, expected, openvino=OURS, openvino_shapes=OURS)


def texts(*items: str) -> In:
    return param(np.array(items, object), "string")


SAMPLES = [
    to("f32", texts("3.14", "1e3", "INF", "-inf", "NaN"), [3.14, 1000, INF, -INF, NAN]),
    to("i64", texts("42", "-9223372036854775808", "100.5"), [42, -(2**63), 100]),
    to("string", param([0.5, 2.0, -INF], "f32"), np.array(["0.5", "2.0", "-inf"], object)),
    to("string", param([1, -2], "i8"), np.array(["1", "-2"], object)),
    to("f8e8m0", param([0.124, 1.1, 2.0, 0.0, INF, NAN], "f32"), [0.125, 2, 2, LEAST, MOST, NAN]),
    to("f8e8m0", param([1.9, 3.0], "f32"), [1, 2], round_mode="down"),
    to("f8e8m0", param([1.5, 1.4, INF, 0.0], "f32"), [2, 1, NAN, NAN], round_mode="nearest", saturate="false"),
    to("u8", param([1.5], "f32"), [1]),
]

ERRORS = [ErrorSample("Cast", "extension", [texts("two")], {"destination_type": "f32"}, says="'two'", code="IR701")]
