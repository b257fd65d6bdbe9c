"""Samples of Col2ImND of version extension."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

OURS = "OpenVINO's Col2Im is of two axes"


def summed(strides: list[int], dilations: list[int], begins: list[int], ends: list[int]) -> dict[str, object]:
    return {"strides": strides, "dilations": dilations, "pads_begin": begins, "pads_end": ends}


def folded(
    shape: list[int],
    output: list[int],
    kernel: list[int],
    lists: list[list[int]],
    fixed: bool = True,
    type: str = "f32",
) -> Sample:
    """Return a sample with an image that is summed element by element."""
    data = (np.arange(np.prod(shape)) % 17).astype(np.float32).reshape(shape)
    strides, dilations, begins, ends = lists
    axes = list(zip(output, kernel, strides, dilations, begins, ends, strict=True))
    counts = [(n + b + e - d * (k - 1) - 1) // s + 1 for n, k, s, d, b, e in axes]
    channels = shape[1] // int(np.prod(kernel))
    blocks = data.reshape(shape[0], channels, *kernel, *counts)
    image: Array = np.zeros((shape[0], channels, *output), np.float32)
    for offset in product(*map(range, kernel)):
        for block in product(*map(range, counts)):
            at = tuple(c * s + o * d - b for c, o, (_, _, s, d, b, _) in zip(block, offset, axes, strict=True))
            if all(0 <= position < length for position, length in zip(at, output, strict=True)):
                target: tuple[Any, ...] = (slice(None), slice(None), *at)
                source: tuple[Any, ...] = (slice(None), slice(None), *offset, *block)
                image[target] += blocks[source]
    build = const if fixed else param
    inputs = [param(data, type), build(output), build(kernel)]
    return Sample("Col2ImND", "extension", inputs, summed(*lists), image, openvino=OURS, openvino_shapes=OURS)


SAMPLES = [
    folded([1, 10, 12], [3, 4, 5], [1, 1, 5], [[1] * 3, [1] * 3, [0] * 3, [0] * 3]),
    folded([2, 8, 12], [3, 4, 3], [2, 2, 2], [[1] * 3, [1] * 3, [0] * 3, [0] * 3]),
    folded([1, 6, 4], [7], [3], [[2], [2], [1], [4]]),
    folded([1, 6, 4], [7], [3], [[2], [2], [1], [4]], fixed=False, type="f64"),
    folded([1, 4, 12], [3, 4], [2, 1], [[1, 1], [1, 1], [1, 0], [0, 0]]),
]

ERRORS = [
    ErrorSample(
        "Col2ImND",
        "extension",
        ["f32[1,6,4]", const([7, 7]), const([3])],
        summed([2], [2], [1], [4]),
        part="output_size",
        says="it must hold 1",
    ),
    ErrorSample(
        "Col2ImND",
        "extension",
        ["f32[1,7,4]", const([7]), const([3])],
        summed([2], [2], [1], [4]),
        part="kernel_size",
        says="do not divide",
    ),
]
