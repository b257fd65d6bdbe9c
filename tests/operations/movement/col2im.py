"""Samples of Col2Im-15."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param


def folded(stride: int = 1, dilation: int = 1, begin: int = 0, end: int = 0) -> Callable[..., Array]:
    """Return a naive computation for attributes that are the same for both axes."""

    def compute(data: Array, output: Array, kernel: Array) -> Array:
        batches = data if data.ndim == 3 else data[None]
        (rows, columns), (height, width) = output.tolist(), kernel.tolist()
        channels = batches.shape[1] // (height * width)
        counts = [
            (n + begin + end - dilation * (k - 1) - 1) // stride + 1 for n, k in ((rows, height), (columns, width))
        ]
        image = np.zeros((len(batches), channels, rows, columns), data.dtype)
        for batch, channel, i, j, r, c in product(*map(range, (len(batches), channels, height, width, *counts))):
            row, column = r * stride + i * dilation - begin, c * stride + j * dilation - begin
            if 0 <= row < rows and 0 <= column < columns:
                value = batches[batch, (channel * height + i) * width + j, r * counts[1] + c]
                image[batch, channel, row, column] += value
        return image if data.ndim == 3 else image[0]

    return compute


ONES = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}
"""The defaults; OpenVINO breaks off where they are absent."""


def blocks(*shape: int) -> Array:
    """Return small whole numbers."""
    return (np.arange(np.prod(shape)) % 17).astype(np.float32).reshape(shape)


ABSENT = "OpenVINO breaks off where attributes are absent, as in the page's first example"

SAMPLES = [
    # the page's examples, the second with the number of blocks that its formula gives
    Sample(
        "Col2Im",
        15,
        [param(blocks(3, 12, 225)), const([16, 16]), const([2, 2])],
        oracle=folded(),
        openvino=ABSENT,
        openvino_shapes=ABSENT,
    ),
    Sample(
        "Col2Im",
        15,
        [param(blocks(3, 12, 225)), const([16, 16]), const([2, 2])],
        ONES,
        oracle=folded(),
        shapes=[["?,12,225"], ["1..3,?,225"], ["3,8..20,?"]],
    ),
    Sample(
        "Col2Im",
        15,
        [param(blocks(1, 27, 49)), const([16, 16], "i32"), const([3, 3], "i32")],
        {"strides": "2,2", "dilations": "2,2", "pads_begin": "1,1", "pads_end": "1,1"},
        oracle=folded(2, 2, 1, 1),
    ),
    Sample(
        "Col2Im",
        15,
        [param(blocks(12, 12, 1296)), const([32, 32]), const([2, 2])],
        {**ONES, "dilations": "2,2", "pads_begin": "3,3", "pads_end": "3,3"},
        oracle=folded(1, 2, 3, 3),
    ),
    # the rest
    Sample("Col2Im", 15, [param(blocks(6, 8)), const([3, 4]), const([2, 1])], ONES, oracle=folded()),
    Sample(
        "Col2Im",
        15,
        [param(blocks(1, 8, 9)), param([4, 4]), param([2, 2])],
        ONES,
        oracle=folded(),
        openvino_shapes="OpenVINO breaks off where the length of a size is unknown",
    ),
    Sample("Col2Im", 15, [param(blocks(1, 4, 9), "f16"), const([4, 4]), const([2, 2])], ONES, oracle=folded()),
    Sample("Col2Im", 15, [param(blocks(1, 4, 9), "bf16"), const([4, 4]), const([2, 2])], ONES, oracle=folded()),
    Sample(
        "Col2Im",
        15,
        [param(blocks(1, 4, 4), "i32"), const([5, 4]), const([2, 2])],
        {**ONES, "strides": "2,2"},
        oracle=folded(2),
    ),
]

ERRORS = [
    ErrorSample(
        "Col2Im", 15, ["f32[1,7,9]", const([4, 4]), const([2, 2])], ONES, part="kernel_size", says="do not divide"
    ),
    ErrorSample("Col2Im", 15, ["f32[1,8,8]", const([4, 4]), const([2, 2])], ONES, part="data", says="3 x 3"),
    ErrorSample(
        "Col2Im", 15, ["f32[1,8,9]", const([4, 4, 4]), const([2, 2])], ONES, part="output_size", says="3 values"
    ),
    ErrorSample(
        "Col2Im", 15, ["f32[1,8,9]", const([4, 4]), const([2, 0])], ONES, part="kernel_size", says="at least 1"
    ),
    ErrorSample("Col2Im", 15, ["f32[1,8,9]", const([4.0, 4.0]), const([2, 2])], ONES, part="output_size", says="f32"),
    ErrorSample("Col2Im", 15, ["f32[1,1,8,9]", const([4, 4]), const([2, 2])], ONES, part="data", says="rank"),
    ErrorSample("Col2Im", 15, ["f32[1,8,9]", const([4, 4]), const([2, 2])], {**ONES, "strides": "1"}, part="strides"),
]
