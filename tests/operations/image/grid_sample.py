"""Samples of GridSample-9."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import product

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, param

RANDOM = np.random.default_rng(9)


def mirrored(i: int, length: int, corners: bool) -> int:
    while corners and length > 1 and not 0 <= i < length:
        i = -i if i < 0 else 2 * (length - 1) - i
    while not corners and not 0 <= i < length:
        i = -1 - i if i < 0 else 2 * length - 1 - i
    return i if length > 1 else 0


def pixel(plane: Array, y: int, x: int, padding: str, corners: bool) -> float:
    height, width = plane.shape
    if padding == "zeros" and not (0 <= y < height and 0 <= x < width):
        return 0.0
    if padding == "reflection":
        y, x = mirrored(y, height, corners), mirrored(x, width, corners)
    return float(plane[min(max(y, 0), height - 1), min(max(x, 0), width - 1)])


def kernel(mode: str, d: float) -> float:
    d, a = abs(d), -0.75
    if mode == "bilinear":
        return max(0.0, 1 - d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def naive(mode: str, padding: str, corners: bool) -> Callable[[Array, Array], Array]:
    """Return an oracle that takes a 4 x 4 neighbourhood of each position."""

    def at(coordinate: float, length: int) -> float:
        return (coordinate + 1) / 2 * (length - 1) if corners else ((coordinate + 1) * length - 1) / 2

    def oracle(data: Array, grid: Array) -> Array:
        result = np.zeros((*data.shape[:2], *grid.shape[1:3]))
        for n, c, i, j in np.ndindex(*result.shape):
            plane = data[n, c]
            x, y = (at(float(grid[n, i, j, k]), plane.shape[1 - k]) for k in (0, 1))
            if mode == "nearest":
                result[n, c, i, j] = pixel(plane, round(y), round(x), padding, corners)
                continue
            near = product(range(math.floor(y) - 1, math.floor(y) + 3), range(math.floor(x) - 1, math.floor(x) + 3))
            result[n, c, i, j] = sum(
                kernel(mode, y - v) * kernel(mode, x - u) * pixel(plane, v, u, padding, corners) for v, u in near
            )
        return result

    return oracle


def image(*shape: int, type: str = "f32") -> In:
    return param(RANDOM.standard_normal(shape) if type[0] != "i" else RANDOM.integers(-50, 50, shape), type)


def random_grid(*shape: int, far: float = 2.5, type: str = "f32") -> In:
    return param(RANDOM.uniform(-far, far, (*shape, 2)), type)


def sample(data: In, grid: In, mode: str = "bilinear", padding: str = "zeros", corners: bool = False) -> Sample:
    attributes: Mapping[str, object] = {"mode": mode, "padding_mode": padding, "align_corners": corners}
    oracle = naive(mode, padding, corners) if data.type.name == "f32" else None
    return Sample("GridSample", 9, [data, grid], attributes, oracle=oracle, rtol=1e-4, atol=1e-5)


WHOLE = np.array([[[[0, 3, 90, 1], [10, 7, 0, 120], [5, 0, 33, 60]]]])
STEPS = RANDOM.uniform(-1.3, 1.3, (1, 6, 7, 2)).astype(np.float32)
SAMPLES = [
    *(
        sample(image(2, 2, 4, 5), random_grid(2, 3, 4), mode, padding, corners)
        for mode, padding, corners in product(
            ["bilinear", "nearest", "bicubic"], ["zeros", "border", "reflection"], [False, True]
        )
    ),
    sample(image(1, 3, 1, 1), random_grid(1, 2, 2), "bilinear", "reflection", True),
    sample(image(1, 3, 1, 7), random_grid(1, 5, 1), "bicubic", "reflection"),
    sample(image(1, 2, 3, 4, type="f16"), random_grid(1, 2, 2, far=1.2)),
    sample(image(1, 2, 3, 4, type="bf16"), random_grid(1, 2, 2, far=1.2), "nearest", "border"),
    sample(image(1, 2, 3, 4, type="i32"), random_grid(1, 2, 2), "nearest", "border", True),
    Sample("GridSample", 9, [param([[[[0, 100], [7, 250]]]], "u8"), param([[[[0.0, 0], [0.1, 0.3], [-1, 0.5]]]])],
           expected=[[[[89, 134, 4]]]]),
    *(
        Sample("GridSample", 9, [param(WHOLE, type), param(STEPS)], {"mode": mode})
        for mode in ("bilinear", "bicubic", "nearest") for type in ("i32", "i16", "i64", "i8", "u8", "boolean")
    ),
    Sample("GridSample", 9, [param([[[[0.0, 2], [4, 6]]]]), param([[[[-1.0, -1], [1, -1], [0, 0], [5, 5]]]])],
           {"align_corners": True}, expected=[[[[0, 2, 3, 0]]]]),
    Sample("GridSample", 9, [image(0, 2, 3, 4), random_grid(0, 2, 2)], expected=np.zeros((0, 2, 2, 2)),
           openvino="the CPU does not take empty data"),
]  # fmt: skip

ERRORS = [
    ErrorSample("GridSample", 9, ["f32[1,2,3]", "f32[1,2,3,2]"], part="data", says="rank 3"),
    ErrorSample("GridSample", 9, ["f32[1,2,3,4]", "f32[1,2,3]"], part="grid", says="rank 3"),
    ErrorSample("GridSample", 9, ["f32[1,2,3,4]", "f32[1,2,3,3]"], part="grid", says="must be 2"),
    ErrorSample("GridSample", 9, ["f32[1,2,3,4]", "f32[2,2,3,2]"], part="grid", says="1 in data"),
    ErrorSample("GridSample", 9, ["f32[1,2,3,4]", "i32[1,2,3,2]"], part="grid", says="i32"),
    ErrorSample("GridSample", 9, ["string[1,2,3,4]", "f32[1,2,3,2]"], part="data", says="string"),
]  # fmt: skip
