"""Samples of MaxPool-14, MaxPool-8 and MaxPool-1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

RNG = np.random.default_rng(40)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def pool(
    kernel: list[int], strides: list[int] | None = None, pads: int = 0, rounding: str = "floor", **more: object
) -> Any:
    return {
        "kernel": kernel, "strides": strides or [1] * len(kernel), "pads_begin": [pads] * len(kernel),
        "pads_end": [pads] * len(kernel), "rounding_type": rounding, "auto_pad": "explicit",
    } | more  # fmt: skip


def dilated(
    kernel: list[int], strides: list[int] | None = None, pads: int = 0, rounding: str = "floor", **more: object
) -> Any:
    """Return the attributes with dilations, without which OpenVINO cannot run the layer."""
    return pool(kernel, strides, pads, rounding, dilations=[1] * len(kernel)) | more


def naive(kernel: list[int], stride: int, pads: int, outputs: int) -> Any:
    """Return a 2-D oracle that visits every window, for indices on the axes from 2 on."""

    def find(data: Any) -> Any:
        wide = np.pad(data.astype(np.float64), [(0, 0), (0, 0), (pads, pads), (pads, pads)], constant_values=-np.inf)
        positions = np.pad(np.arange(data[0, 0].size).reshape(data.shape[2:]), pads, constant_values=-1)
        best = np.zeros((*data.shape[:2], outputs, outputs))
        where = np.zeros(best.shape, np.int64)
        for n, c, y, x in np.ndindex(*best.shape):
            rows, columns = slice(y * stride, y * stride + kernel[0]), slice(x * stride, x * stride + kernel[1])
            best[n, c, y, x] = wide[n, c, rows, columns].max()
            where[n, c, y, x] = positions[rows, columns].reshape(-1)[wide[n, c, rows, columns].reshape(-1).argmax()]
        return [best, where]

    return find


# The specification's first example has -6 where the window also holds 3.
SMALL = np.array([[[[-1, 2, 3], [4, 5, -6], [-7, 8, 9]]]], np.float32)
COUNT = np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3)
TWO = np.array([[[[-1, 2, 3], [4, 5, -6], [-7, 8, 9]], [[2, -1, 5], [6, -7, 1], [8, 2, -3]]]], np.float32)
LINE = np.array([[[-1, 2, 3, 5, -7, 9, 1]]], np.float32)
SHAPES = [["?,3,2..9,?"], ["..."], ["1,3,4..,2..3"], ["?,?,?,?"]]
LOWEST = float(np.finfo(np.float32).min)
PECULIAR = np.array(
    [[[1, -np.inf, np.nan, np.nan], [2, 3, -np.inf, -np.inf]], [[np.nan, 1, 1, np.inf], [4, 5, 6, np.nan]]], np.float32
)

SAMPLES = [
    Sample(
        "MaxPool",
        14,
        [param(SMALL)],
        dilated([2, 2], pads=1),
        outputs=2,
        expected=[
            [[[[-1, 2, 3, 3], [4, 5, 5, 3], [4, 8, 9, 9], [-7, 8, 9, 9]]]],
            [[[[0, 1, 2, 2], [3, 4, 4, 2], [3, 7, 8, 8], [6, 7, 8, 8]]]],
        ],
    ),
    Sample(
        "MaxPool",
        14,
        [param(LINE)],
        dilated([3], auto_pad="valid", pads=1),
        outputs=2,
        expected=[[[[3, 5, 5, 9, 9]]], [[[2, 3, 3, 5, 5]]]],
    ),
    Sample(
        "MaxPool",
        14,
        [param(SMALL)],
        dilated([2, 2], auto_pad="same_lower", pads=5),
        outputs=2,
        openvino="OpenVINO's CPU pads at the end where shapes are dynamic",
        expected=[[[[[-1, 2, 3], [4, 5, 5], [4, 8, 9]]]], [[[[0, 1, 2], [3, 4, 4], [3, 7, 8]]]]],
    ),
    Sample(
        "MaxPool",
        14,
        [param(TWO)],
        dilated([2, 2], auto_pad="same_upper"),
        outputs=2,
        shapes=SHAPES[1:2],
        expected=[
            [[[[5, 5, 3], [8, 9, 9], [8, 9, 9]], [[6, 5, 5], [8, 2, 1], [8, 2, -3]]]],
            [[[[4, 4, 2], [7, 8, 8], [7, 8, 8]], [[12, 11, 11], [15, 16, 14], [15, 16, 17]]]],
        ],
    ),
    Sample(
        "MaxPool",
        14,
        [param(TWO)],
        dilated([1, 1], [2, 2], axis=-1),
        outputs=2,
        expected=[TWO[..., ::2, ::2], np.broadcast_to(np.array([0, 2]), (1, 2, 2, 2))],
    ),
    Sample(
        "MaxPool",
        14,
        [param(COUNT)],
        dilated([2, 2], [2, 2], 1, "ceil_torch"),
        outputs=2,
        expected=[[[[[1, 3], [7, 9]]]], [[[[0, 2], [6, 8]]]]],
    ),
    Sample(
        "MaxPool",
        14,
        [param(SMALL)],
        dilated([2, 2], [2, 2], 0, "ceil", auto_pad="valid"),
        outputs=2,
        expected=[[[[[5, 3], [8, 9]]]], [[[[4, 2], [7, 8]]]]],
    ),
    Sample(
        "MaxPool",
        14,
        [param(COUNT)],
        dilated([2, 2], pads=1, dilations=[2, 2]),
        outputs=2,
        expected=[[[[[5, 6, 5], [8, 9, 8], [5, 6, 5]]]], [[[[4, 5, 4], [7, 8, 7], [4, 5, 4]]]]],
    ),
    Sample(
        "MaxPool",
        14,
        [param(np.arange(1, 19, dtype=np.float32).reshape(1, 2, 3, 3))],
        dilated([2, 2], axis=2),
        outputs=2,
        expected=[[[[[5, 6], [8, 9]], [[14, 15], [17, 18]]]], [[[[4, 5], [7, 8]], [[4, 5], [7, 8]]]]],
    ),
    Sample(
        "MaxPool",
        14,
        [param(floats(2, 3, 6, 7))],
        dilated([3, 2], [2, 1], axis=-3, index_element_type="i32"),
        outputs=2,
        shapes=SHAPES,
    ),
    Sample(
        "MaxPool",
        14,
        [param(floats(2, 3, 8))],
        dilated([3], [3], 1, "ceil_torch", dilations=[2]),
        outputs=2,
        shapes=[["?,3,2..9"], ["?,3,..7"]],
    ),
    Sample("MaxPool", 14, [param(floats(1, 2, 5, 4, 6))], dilated([3, 2, 3], [2, 1, 2], 1, "ceil", axis=1), outputs=2),
    Sample(
        "MaxPool",
        14,
        [param(floats(2, 2, 5, 5))],
        dilated([3, 3], [2, 2], 1, axis=2),
        outputs=2,
        oracle=naive([3, 3], 2, 1, 3),
    ),
    Sample(
        "MaxPool",
        14,
        [param(COUNT)],
        dilated([2, 2], [2, 2], 1, "ceil"),
        outputs=2,
        expected=[[[[[1, 3, LOWEST], [7, 9, LOWEST], [LOWEST] * 3]]], [[[[0, 2, 0], [6, 8, 0], [0, 0, 0]]]]],
    ),
    Sample(
        "MaxPool",
        14,
        [param([[[1.0, np.nan, 2.0, 3.0]]])],
        dilated([2]),
        outputs=2,
        expected=[[[[1, 2, 3]]], [[[0, 2, 3]]]],
    ),
    Sample(
        "MaxPool",
        14,
        [param([[[-np.inf, -np.inf]]])],
        dilated([1], pads=1),
        outputs=2,
        expected=[[[[LOWEST] * 4]], [[[0, 0, 0, 0]]]],
    ),
    Sample("MaxPool", 8, [param(PECULIAR)], dilated([1], pads=1, axis=0), outputs=2),
    Sample("MaxPool", 8, [param(PECULIAR, "f16")], dilated([2], pads=1, axis=0), outputs=2),
    Sample("MaxPool", 8, [param([[[1, 0, 0], [2, 3, 0]]], "u8")], dilated([1], pads=1), outputs=2),
    Sample("MaxPool", 1, [param(PECULIAR)], pool([2], pads=1)),
    Sample("MaxPool", 1, [param(PECULIAR)], pool([3], [2], 1, "ceil")),
    Sample("MaxPool", 1, [param(np.repeat(PECULIAR[:, :, None], 3, 2))], pool([3, 3], [2, 2], 1, "ceil")),
    Sample("MaxPool", 14, [param(10 - COUNT, "i32")], dilated([2, 2], [2, 2], 1), outputs=2),
    Sample("MaxPool", 14, [param(COUNT - 10, "i8")], dilated([2, 2], [2, 2], 1), outputs=2),
    Sample("MaxPool", 14, [param(COUNT, "u8")], dilated([2, 2], [2, 2], 1), outputs=2),
    Sample("MaxPool", 14, [param(floats(1, 2, 4, 4), "f16")], dilated([2, 2], pads=1), outputs=2),
    Sample(
        "MaxPool",
        14,
        [param(floats(1, 2, 4, 4), "bf16")],
        dilated([2, 2], axis=2),
        outputs=2,
        oracle=naive([2, 2], 1, 0, 3),
        openvino="OpenVINO's CPU has no places for bf16",
    ),
    Sample(
        "MaxPool",
        8,
        [param(floats(1, 2, 5, 5))],
        pool([3, 3], [2, 2], axis=2),
        outputs=2,
        oracle=naive([3, 3], 2, 0, 2),
        openvino="OpenVINO does not know the default of dilations",
    ),
    Sample(
        "MaxPool", 8, [param(floats(2, 3, 6, 7))], dilated([3, 2], [2, 1], dilations=[1, 2]), outputs=2, shapes=SHAPES
    ),
    Sample(
        "MaxPool",
        8,
        [param(floats(2, 3, 6, 7))],
        dilated([3, 3], [2, 3], 1, "ceil", axis=2, index_element_type="i32"),
        outputs=2,
        shapes=SHAPES,
    ),
    Sample(
        "MaxPool",
        8,
        [param(floats(2, 3, 6, 7))],
        dilated([3, 2], [2, 3], auto_pad="same_upper"),
        outputs=2,
        shapes=SHAPES,
    ),
    Sample(
        "MaxPool",
        8,
        [param(floats(1, 1, 5, 5))],
        dilated([3, 3], [2, 2], 1, axis=2),
        outputs=2,
        oracle=naive([3, 3], 2, 1, 3),
    ),
    Sample("MaxPool", 8, [param(floats(2, 2, 4, 5))], dilated([3, 2], [1, 2], 1, axis=3), outputs=2),
    Sample("MaxPool", 14, [param(floats(1, 2, 3, 4, 5))], dilated([2, 2, 2], axis=-2), outputs=2),
    Sample(
        "MaxPool",
        8,
        [param([[[3.0, 3.0, 3.0, 1.0]]])],
        dilated([2]),
        outputs=2,
        expected=[[[[3, 3, 3]]], [[[0, 1, 2]]]],
    ),
    Sample("MaxPool", 8, [param(floats(1, 2, 5), "f64")], dilated([2]), outputs=2),
    Sample(
        "MaxPool",
        1,
        [param(SMALL)],
        pool([2, 2], pads=1),
        expected=np.array([[[[-1, 2, 3, 3], [4, 5, 5, 3], [4, 8, 9, 9], [-7, 8, 9, 9]]]]),
    ),
    Sample("MaxPool", 1, [param(floats(2, 3, 6, 7))], pool([3, 3], [2, 3], 1, "ceil"), shapes=SHAPES),
    Sample("MaxPool", 1, [param(floats(2, 3, 6, 7))], pool([3, 2], [2, 3], auto_pad="same_lower"), shapes=SHAPES),
    Sample("MaxPool", 1, [param(floats(2, 3, 6, 7))], pool([3, 2], [2, 3], 0, "ceil", auto_pad="valid"), shapes=SHAPES),
    Sample("MaxPool", 1, [param(floats(2, 3, 6))], pool([3], [2])),
    Sample("MaxPool", 1, [param(floats(1, 2, 5, 4, 6))], pool([2, 2, 3], [2, 1, 2])),
    Sample("MaxPool", 1, [param(floats(1, 2, 4, 4), "f16")], pool([2, 2], pads=1)),
    Sample(
        "MaxPool",
        1,
        [param(floats(0, 2, 4, 4))],
        pool([2, 2]),
        expected=np.zeros((0, 2, 3, 3)),
        openvino="OpenVINO refuses an empty batch",
        openvino_shapes="OpenVINO refuses an empty batch",
    ),
]

ERRORS = [
    ErrorSample("MaxPool", 14, ["f32[1,3,3,3]"], pool([4, 4]), outputs=2, says="does not fit"),
    ErrorSample("MaxPool", 14, ["f32[1,3,3,3]"], pool([2, 2], axis=4), outputs=2, part="axis", says="[-4, 3]"),
    ErrorSample("MaxPool", 14, ["f32[3,3]"], pool([2, 2]), outputs=2, part="data", says="rank 2"),
    ErrorSample("MaxPool", 14, ["f32[1,3,3]"], pool([2, 2]), outputs=2, part="kernel", says="2 values"),
    ErrorSample("MaxPool", 14, ["string[1,3,3,3]"], pool([2, 2]), outputs=2, part="data", says="string"),
    ErrorSample("MaxPool", 8, ["f32[1,3,3,3]"], pool([0, 2]), outputs=2, part="kernel", says="[0, 2]"),
    ErrorSample("MaxPool", 8, ["f32[1,3,3,3]"], pool([2, 2], dilations=[1]), outputs=2, part="dilations"),
    ErrorSample("MaxPool", 1, ["f32[1,3,3,3]"], pool([2, 2], [0, 1]), part="strides", says="[0, 1]"),
    ErrorSample(
        "MaxPool", 14, ["f32[1,3,3,3]"], pool([2, 2]) | {"strides": ""}, outputs=2, part="strides", says="0 values"
    ),
    ErrorSample("MaxPool", 1, ["f32[1,3,3,3]"], pool([2, 2], pads=-1), part="pads_begin", says="-1"),
]
