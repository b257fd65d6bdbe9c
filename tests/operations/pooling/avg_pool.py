"""Samples of AvgPool-16, AvgPool-14 and AvgPool-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

RNG = np.random.default_rng(41)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def pool(
    kernel: list[int], strides: list[int] | None = None, pads: int = 0, rounding: str = "floor", exclude: bool = False,
    **more: object,
) -> Any:  # fmt: skip
    return {
        "kernel": kernel, "strides": strides or [1] * len(kernel), "pads_begin": [pads] * len(kernel),
        "pads_end": [pads] * len(kernel), "rounding_type": rounding, "auto_pad": "explicit", "exclude-pad": exclude,
    } | more  # fmt: skip


COUNT = np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3)


def dilated(kernel: list[int], strides: list[int] | None = None, pads: int = 0, rounding: str = "floor",
            exclude: bool = False, **more: object) -> Any:  # fmt: skip
    """Return the attributes with dilations, without which OpenVINO crashes."""
    return pool(kernel, strides, pads, rounding, exclude, dilations=[1] * len(kernel)) | more


SHAPES = [["?,3,2..9,?"], ["..."], ["1,3,4..,2..3"], ["?,?,?,?"]]
NAN = "OpenVINO's CPU gives NaN for windows without elements"

SAMPLES = [
    Sample(
        "AvgPool",
        version,
        [param(floats(2, 3, 6, 7))],
        (pool if version < 16 else dilated)([3, 2], [2, 3], pads, rounding, exclude),
        shapes=SHAPES,
    )
    for version in (1, 14, 16)
    for pads, rounding in ((0, "floor"), (1, "floor"), (1, "ceil"), (0, "ceil"), (1, "ceil_torch"))
    for exclude in (False, True)
    if version > 1 or rounding != "ceil_torch"
] + [
    Sample(
        "AvgPool",
        16,
        [param(COUNT)],
        dilated([2, 2], pads=1, dilations=[2, 2]),
        expected=np.array([[[[1.25, 2.5, 1.25], [2.5, 5, 2.5], [1.25, 2.5, 1.25]]]]),
        shapes=SHAPES[1:],
    ),
    Sample("AvgPool", 16, [param(COUNT)], dilated([2, 2], [2, 2], 1), expected=np.array([[[[0.25, 1.25], [2.75, 7]]]])),
    Sample(
        "AvgPool",
        16,
        [param(COUNT)],
        dilated([2, 2], [2, 2], 1, exclude=True),
        expected=np.array([[[[1, 2.5], [5.5, 7]]]]),
    ),
    Sample(
        "AvgPool",
        16,
        [param(COUNT)],
        dilated([2, 2], [2, 2], 1, "ceil", True),
        openvino=NAN,
        expected=np.array([[[[1, 2.5, 0], [5.5, 7, 0], [0, 0, 0]]]]),
    ),
    Sample(
        "AvgPool",
        16,
        [param(floats(1, 2, 6, 7))],
        dilated([3, 2], [2, 3], auto_pad="same_upper", pads=4),
        shapes=SHAPES[1:],
    ),
    Sample("AvgPool", 16, [param(floats(1, 2, 6, 7))], dilated([3, 2], [2, 3], auto_pad="same_lower", exclude=True)),
    Sample("AvgPool", 16, [param(floats(1, 2, 6, 7))], dilated([3, 2], [2, 2], 2, "ceil", auto_pad="valid")),
    Sample("AvgPool", 16, [param(floats(1, 2, 9))], dilated([3], [2], dilations=[2])),
    Sample("AvgPool", 16, [param(floats(1, 2, 5, 4, 6))], dilated([2, 2, 3], [2, 1, 2], 1, "ceil_torch")),
    Sample("AvgPool", 16, [param(floats(1, 2, 4, 4), "f16")], dilated([2, 2], pads=1), atol=1e-2),
    Sample("AvgPool", 16, [param(floats(1, 2, 4, 4), "bf16")], dilated([2, 2], exclude=True), atol=2e-2),
    Sample("AvgPool", 16, [param(floats(1, 2, 4, 4), "f64")], dilated([2, 2])),
    Sample("AvgPool", 16, [param(np.array([[[7, 8, 8, -7, -8, 3]]]), "i32")], dilated([2])),
    Sample("AvgPool", 16, [param(np.array([[[7, 8, 9, 12, 5, 3]]]), "u8")], dilated([2])),
    Sample("AvgPool", 16, [param(np.array([[[7, 8, 9, -12, -5, 3]]]), "i8")], dilated([2])),
    Sample(
        "AvgPool",
        16,
        [param(COUNT)],
        pool([2, 2]),
        expected=np.array([[[[3, 4], [6, 7]]]]),
        openvino="OpenVINO crashes without dilations",
    ),
    Sample("AvgPool", 1, [param(floats(1, 2, 6, 7))], pool([3, 2], [2, 3], auto_pad="same_lower"), shapes=SHAPES[1:]),
    Sample("AvgPool", 14, [param(floats(1, 2, 9))], pool([3], [2], 1, "ceil_torch", True)),
    Sample("AvgPool", 14, [param(floats(1, 2, 9))], pool([3], [2], 3, auto_pad="same_upper", exclude=True)),
    Sample(
        "AvgPool", 16, [param(floats(1, 2, 9))], dilated([2], [2], 2, exclude=True, dilations=[2]), shapes=[["?,?,?"]]
    ),
]

ERRORS = [
    ErrorSample("AvgPool", 16, ["f32[1,3,5,5]"], dilated([2, 2], pads=2, exclude=True), part="pads_begin", says="of 2"),
    ErrorSample("AvgPool", 1, ["f32[1,3,5]"], pool([1], exclude=True, pads_end=[1]), part="pads_end", says="of 1"),
    ErrorSample("AvgPool", 16, ["f32[1,3,3,3]"], dilated([4, 4]), says="does not fit"),
    ErrorSample("AvgPool", 16, ["f32[3,3]"], dilated([2, 2]), part="data", says="rank 2"),
    ErrorSample("AvgPool", 14, ["f32[1,3,3]"], pool([2, 2]), part="kernel", says="2 values"),
    ErrorSample("AvgPool", 14, ["string[1,3,3,3]"], pool([2, 2]), part="data", says="string"),
    ErrorSample("AvgPool", 1, ["f32[1,3,3,3]"], pool([2, 2], [0, 1]), part="strides", says="[0, 1]"),
    ErrorSample("AvgPool", 1, ["f32[1,3,3,3]"], pool([2, 2], pads=-1), part="pads_begin", says="-1"),
]
