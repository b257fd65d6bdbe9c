"""Samples of DepthToSpace-1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, param


def spread(size: int, mode: str) -> Callable[..., Array]:
    """Return a naive computation."""

    def compute(data: Array) -> Array:
        batch, channels, *space = data.shape
        depth = channels // size ** len(space)
        result = np.empty((batch, depth, *(n * size for n in space)), data.dtype)
        for index in np.ndindex(result.shape):
            block = 0
            for at in index[2:]:
                block = block * size + at % size
            channel = block * depth + index[1] if mode == "blocks_first" else index[1] * size ** len(space) + block
            source = (index[0], channel, *(at // size for at in index[2:]))
            result[index] = data[source]
        return result

    return compute


ABSENT = "OpenVINO takes 0 where block_size is absent; the page says 1"
FLAT = np.arange(2 * 12 * 2 * 3, dtype=np.float32).reshape(2, 12, 2, 3)
FIRST, DEPTH = {"block_size": 2, "mode": "blocks_first"}, {"block_size": 2, "mode": "depth_first"}

SAMPLES = [
    Sample(
        "DepthToSpace",
        1,
        [param(FLAT)],
        FIRST,
        oracle=spread(2, "blocks_first"),
        shapes=[["?,12,?,1..3"], ["1..3,?,2,3"], ["2,8..20,2,3"]],
    ),
    Sample("DepthToSpace", 1, [param(FLAT)], DEPTH, oracle=spread(2, "depth_first")),
    Sample(
        "DepthToSpace",
        1,
        [param(np.arange(24, dtype=np.float32).reshape(1, 6, 4))],
        {"block_size": 3, "mode": "blocks_first"},
        oracle=spread(3, "blocks_first"),
    ),
    Sample(
        "DepthToSpace",
        1,
        [param(np.arange(96, dtype=np.float32).reshape(1, 16, 1, 2, 3))],
        DEPTH,
        oracle=spread(2, "depth_first"),
    ),
    Sample(
        "DepthToSpace",
        1,
        [param(np.arange(96, dtype=np.float32).reshape(1, 16, 1, 2, 3))],
        FIRST,
        oracle=spread(2, "blocks_first"),
    ),
    Sample(
        "DepthToSpace",
        1,
        [param(FLAT)],
        {"mode": "blocks_first"},
        expected=FLAT,
        openvino=ABSENT,
        openvino_shapes=ABSENT,
    ),
    Sample("DepthToSpace", 1, [param(FLAT[:1, :4], "f16")], FIRST, oracle=spread(2, "blocks_first")),
    Sample("DepthToSpace", 1, [param(FLAT[:1, :4], "bf16")], DEPTH, oracle=spread(2, "depth_first")),
    Sample("DepthToSpace", 1, [param(FLAT[:1, :4], "u8")], FIRST, oracle=spread(2, "blocks_first")),
    Sample("DepthToSpace", 1, [param(FLAT[:1, :4], "i32")], FIRST, oracle=spread(2, "blocks_first")),
    Sample("DepthToSpace", 1, [param(np.zeros((0, 4, 2, 2), np.float32))], FIRST, expected=np.zeros((0, 1, 4, 4))),
]

ERRORS = [
    ErrorSample("DepthToSpace", 1, ["f32[1,6,2,2]"], FIRST, part="data", says="6 channels"),
    ErrorSample("DepthToSpace", 1, ["f32[1,4]"], FIRST, part="data", says="at least 3"),
    ErrorSample(
        "DepthToSpace",
        1,
        ["f32[1,4,2,2]"],
        {"block_size": 0, "mode": "depth_first"},
        part="block_size",
        says="block_size is 0",
    ),
]
