"""Samples of BatchToSpace-2."""

from __future__ import annotations

from itertools import product

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param


def spread(data: Array, blocks: Array, begins: Array, ends: Array) -> Array:
    """Write each batch separately."""
    batch = data.shape[0] // int(np.prod(blocks))
    image = np.empty((batch, *(n * b for n, b in zip(data.shape[1:], blocks[1:].tolist(), strict=True))), data.dtype)
    for number, offsets in enumerate(product(*(range(block) for block in blocks.tolist()))):
        steps = tuple(slice(at, None, block) for at, block in zip(offsets[1:], blocks[1:].tolist(), strict=True))
        region = (slice(None), *steps)
        image[region] = data[number * batch : (number + 1) * batch]
    return image[tuple(slice(b, n - e) for b, e, n in zip(begins.tolist(), ends.tolist(), image.shape, strict=True))]


FOUR = np.arange(8 * 2 * 3, dtype=np.float32).reshape(8, 2, 3)
LARGE = np.arange(12 * 2 * 3 * 2, dtype=np.float32).reshape(12, 2, 3, 2)
NONE = const([0, 0, 0])

SAMPLES = [
    Sample(
        "BatchToSpace",
        2,
        [param(FOUR), const([1, 2, 2]), NONE, NONE],
        oracle=spread,
        shapes=[["?,2,3"], ["8,?,1..4"], ["4..20,..3,2..4"]],
    ),
    Sample(
        "BatchToSpace",
        2,
        [param(FOUR), const([1, 2, 2], "i32"), const([0, 1, 2], "i32"), const([0, 2, 1], "i32")],
        oracle=spread,
        shapes=[["?,2,3"], ["8,2..,2..4"]],
    ),
    Sample("BatchToSpace", 2, [param(FOUR), param([1, 2, 2]), NONE, NONE], oracle=spread, shapes=[["8,?,1..4", "3"]]),
    Sample(
        "BatchToSpace", 2, [param(LARGE), const([1, 2, 1, 3]), const([0, 0, 1, 0]), const([0, 1, 0, 2])], oracle=spread
    ),
    Sample(
        "BatchToSpace",
        2,
        [param(np.arange(10.0, dtype=np.float32).reshape(10, 1)), const([1, 5]), const([0, 2]), const([0, 0])],
        oracle=spread,
    ),
    Sample(
        "BatchToSpace",
        2,
        [
            param(np.arange(48, dtype=np.float32).reshape(8, 1, 2, 3, 1)),
            const([1, 1, 2, 2, 1]),
            const([0, 0, 1, 0, 0]),
            const([0, 0, 0, 1, 0]),
        ],
        oracle=spread,
    ),
    Sample(
        "BatchToSpace",
        2,
        [param(LARGE), param([1, 2, 3, 1]), param([0, 0, 1, 0]), param([0, 0, 0, 0])],
        oracle=spread,
        shapes=[["12,2,3,2", "4", "4", "4"], ["12,2,3,2", "?", "?", "?"]],
    ),
    Sample(
        "BatchToSpace",
        2,
        [param(LARGE, "f16"), const([1, 1, 1, 1]), const([0] * 4), const([0, 2, 0, 0])],
        oracle=spread,
    ),
    Sample(
        "BatchToSpace", 2, [param(LARGE, "bf16"), const([1, 2, 1, 1]), const([0] * 4), const([0] * 4)], oracle=spread
    ),
    Sample("BatchToSpace", 2, [param(LARGE, "u8"), const([1, 2, 1, 1]), const([0] * 4), const([0] * 4)], oracle=spread),
]

ERRORS = [
    ErrorSample(
        "BatchToSpace", 2, ["f32[6,2,3]", const([1, 2, 2]), NONE, NONE], part="block_shape", says="does not divide"
    ),
    ErrorSample("BatchToSpace", 2, ["f32[8,2,3]", const([2, 2, 2]), NONE, NONE], part="block_shape", says="[2, 2, 2]"),
    ErrorSample("BatchToSpace", 2, ["f32[8,2,3]", const([1, 0, 2]), NONE, NONE], part="block_shape", says="at least 1"),
    ErrorSample(
        "BatchToSpace",
        2,
        ["f32[8,2,3]", const([1, 2, 2]), const([0, 3, 0]), const([0, 2, 0])],
        part="crops_begin",
        says="3 and 2",
    ),
    ErrorSample(
        "BatchToSpace",
        2,
        ["f32[8,2,3]", const([1, 2, 2]), const([0, -1, 0]), NONE],
        part="crops_begin",
        says="at least 0",
    ),
    ErrorSample(
        "BatchToSpace",
        2,
        ["f32[8,2,3]", const([1, 2, 2]), NONE, const([1, 0, 0])],
        part="crops_end",
        says="first value",
    ),
    ErrorSample(
        "BatchToSpace",
        2,
        ["f32[8,2,3]", const([1, 2]), const([0, 0]), const([0, 0])],
        part="block_shape",
        says="rank 3",
    ),
    ErrorSample("BatchToSpace", 2, ["f32[8]", const([1]), const([0]), const([0])], part="data", says="at least 2"),
    ErrorSample("BatchToSpace", 2, ["f32[8,2,3]", const([1.0, 2.0, 2.0]), NONE, NONE], part="block_shape", says="f32"),
]
