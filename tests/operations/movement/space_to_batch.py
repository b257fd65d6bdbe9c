"""Samples of SpaceToBatch-2."""

from __future__ import annotations

from itertools import product

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param


def gathered(data: Array, blocks: Array, begins: Array, ends: Array) -> Array:
    """Gather each position of a block separately."""
    padded = np.pad(data, list(zip(begins.tolist(), ends.tolist(), strict=True)))
    grid = product(*(range(block) for block in blocks.tolist()))
    steps = [tuple(slice(at, None, b) for at, b in zip(index, blocks.tolist(), strict=True)) for index in grid]
    return np.concatenate([padded[step] for step in steps])


FOUR = np.arange(2 * 4 * 6, dtype=np.float32).reshape(2, 4, 6)
LARGE = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
NONE = const([0, 0, 0])

SAMPLES = [
    Sample(
        "SpaceToBatch",
        2,
        [param(FOUR), const([1, 2, 2]), NONE, NONE],
        oracle=gathered,
        shapes=[["?,4,6"], ["2,?,4..9"], ["1..3,2..3,6"]],
    ),
    Sample(
        "SpaceToBatch",
        2,
        [param(FOUR), const([1, 3, 2], "i32"), const([0, 1, 0], "i32"), const([0, 1, 2], "i32")],
        oracle=gathered,
        shapes=[["?,4,6"], ["2,2..,2..4"]],
    ),
    Sample(
        "SpaceToBatch",
        2,
        [param(LARGE), const([1, 2, 1, 3]), const([0, 0, 1, 0]), const([0, 1, 0, 1])],
        oracle=gathered,
    ),
    Sample("SpaceToBatch", 2, [param(FOUR[0]), const([1, 3]), const([0, 0]), const([0, 0])], oracle=gathered),
    Sample(
        "SpaceToBatch",
        2,
        [
            param(np.arange(48, dtype=np.float32).reshape(1, 1, 4, 6, 2)),
            const([1, 1, 2, 3, 1]),
            const([0] * 5),
            const([0] * 5),
        ],
        oracle=gathered,
    ),
    Sample(
        "SpaceToBatch",
        2,
        [param(LARGE), param([1, 1, 2, 5]), param([0, 0, 0, 0]), param([0, 0, 0, 0])],
        oracle=gathered,
        shapes=[["2,3,4,5", "4", "4", "4"], ["2,3,4,5", "?", "?", "?"]],
    ),
    Sample(
        "SpaceToBatch",
        2,
        [param(LARGE, "f16"), const([1, 1, 1, 1]), const([0] * 4), const([0, 2, 0, 0])],
        oracle=gathered,
    ),
    Sample(
        "SpaceToBatch",
        2,
        [param(LARGE.clip(0, 99), "bf16"), const([1, 3, 2, 1]), const([0] * 4), const([0] * 4)],
        oracle=gathered,
    ),
    Sample(
        "SpaceToBatch", 2, [param(LARGE, "u8"), const([1, 3, 1, 1]), const([0] * 4), const([0] * 4)], oracle=gathered
    ),
]

ERRORS = [
    ErrorSample(
        "SpaceToBatch", 2, ["f32[6,2,3]", const([1, 2, 2]), NONE, NONE], part="block_shape", says="block_shape[2] is 2"
    ),
    ErrorSample("SpaceToBatch", 2, ["f32[8,2,4]", const([2, 2, 2]), NONE, NONE], part="block_shape", says="[2, 2, 2]"),
    ErrorSample(
        "SpaceToBatch",
        2,
        ["f32[8,2,4]", const([1, 2, 2]), const([0, -1, 0]), NONE],
        part="pads_begin",
        says="at least 0",
    ),
    ErrorSample(
        "SpaceToBatch", 2, ["f32[8,2,4]", const([1, 2, 2]), NONE, const([1, 0, 0])], part="pads_end", says="first value"
    ),
    ErrorSample(
        "SpaceToBatch",
        2,
        ["f32[8,2,4]", const([1, 2]), const([0, 0]), const([0, 0])],
        part="block_shape",
        says="rank 3",
    ),
    ErrorSample("SpaceToBatch", 2, ["f32[8]", const([1]), const([0]), const([0])], part="data", says="at least 2"),
]
