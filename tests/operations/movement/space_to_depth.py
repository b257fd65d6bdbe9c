"""Samples of SpaceToDepth-1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, param


def gathered(size: int, mode: str) -> Callable[..., Array]:
    """Return a naive computation."""

    def compute(data: Array) -> Array:
        batch, depth, *space = data.shape
        volume = size ** len(space)
        result = np.empty((batch, depth * volume, *(n // size for n in space)), data.dtype)
        for index in np.ndindex(data.shape):
            block = 0
            for at in index[2:]:
                block = block * size + at % size
            channel = block * depth + index[1] if mode == "blocks_first" else index[1] * volume + block
            target = (index[0], channel, *(at // size for at in index[2:]))
            result[target] = data[index]
        return result

    return compute


ABSENT = "OpenVINO takes 0 where block_size is absent; the page says 1"
FLAT = np.arange(2 * 3 * 4 * 6, dtype=np.float32).reshape(2, 3, 4, 6)
FIRST, DEPTH = {"block_size": 2, "mode": "blocks_first"}, {"block_size": 2, "mode": "depth_first"}

SAMPLES = [
    Sample(
        "SpaceToDepth",
        1,
        [param(FLAT)],
        FIRST,
        oracle=gathered(2, "blocks_first"),
        shapes=[["?,3,?,2..8"], ["1..3,?,4,6"], ["2,1..2,4..9,6"]],
    ),
    Sample("SpaceToDepth", 1, [param(FLAT)], DEPTH, oracle=gathered(2, "depth_first")),
    Sample(
        "SpaceToDepth",
        1,
        [param(np.arange(36, dtype=np.float32).reshape(1, 6, 6))],
        {"block_size": 3, "mode": "blocks_first"},
        oracle=gathered(3, "blocks_first"),
    ),
    Sample(
        "SpaceToDepth",
        1,
        [param(np.arange(96, dtype=np.float32).reshape(1, 2, 2, 4, 6))],
        DEPTH,
        oracle=gathered(2, "depth_first"),
    ),
    Sample(
        "SpaceToDepth",
        1,
        [param(np.arange(96, dtype=np.float32).reshape(1, 2, 2, 4, 6))],
        FIRST,
        oracle=gathered(2, "blocks_first"),
    ),
    Sample(
        "SpaceToDepth",
        1,
        [param(FLAT)],
        {"mode": "depth_first"},
        expected=FLAT,
        openvino=ABSENT,
        openvino_shapes=ABSENT,
    ),
    Sample("SpaceToDepth", 1, [param(FLAT[:1], "f16")], FIRST, oracle=gathered(2, "blocks_first")),
    Sample("SpaceToDepth", 1, [param(FLAT[:1], "bf16")], DEPTH, oracle=gathered(2, "depth_first")),
    Sample("SpaceToDepth", 1, [param(FLAT[:1], "u8")], FIRST, oracle=gathered(2, "blocks_first")),
    Sample("SpaceToDepth", 1, [param(FLAT[:1], "i32")], FIRST, oracle=gathered(2, "blocks_first")),
    Sample("SpaceToDepth", 1, [param(np.zeros((0, 1, 4, 4), np.float32))], FIRST, expected=np.zeros((0, 4, 2, 2))),
]

ERRORS = [
    ErrorSample("SpaceToDepth", 1, ["f32[1,6,2,3]"], FIRST, part="data", says="dimension 3"),
    ErrorSample("SpaceToDepth", 1, ["f32[1,4]"], FIRST, part="data", says="at least 3"),
    ErrorSample(
        "SpaceToDepth", 1, ["f32[1,4,2,2]"], {"block_size": -1, "mode": "depth_first"}, part="block_size", says="-1"
    ),
]
