"""Products and convolutions of integers are exact, whatever floats compute them, and wrap as integers do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.operations.exact_products import exact_product
from ir_plugin.tensors import Array


def by_integers(a: Array, b: Array) -> Array:
    """Return the products of matrices in i64, wrapped to the type of `a`."""
    product: Array = np.einsum("mk,kn->mn", a.astype(np.int64), b.astype(np.int64)).astype(a.dtype)
    return product


@pytest.mark.parametrize("limit", [2, 127, 2**12, 2**20, 2**31 - 1])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64])
def test_matrices_of_any_size_of_number(limit: int, dtype: type) -> None:
    limit = min(limit, np.iinfo(dtype).max)
    generator = np.random.default_rng(0)
    low = 0 if np.iinfo(dtype).min == 0 else -limit
    a: Array = generator.integers(low, limit, (7, 300), np.int64, endpoint=True).astype(dtype)
    b: Array = generator.integers(low, limit, (300, 5), np.int64, endpoint=True).astype(dtype)
    product = exact_product(np.matmul, a, b, 300)
    assert product.dtype == dtype
    np.testing.assert_array_equal(product, by_integers(a, b))


def convolved(data: Array, filters: Array, strides: list[int], pads: list[int]) -> Array:
    """Return the convolution of data and filters [G, O, I, …] by einsum in i64."""
    axes = tuple(range(2, data.ndim))
    padded = np.pad(data, [(0, 0), (0, 0), *((pad, pad) for pad in pads)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, filters.shape[3:], axis=axes)
    steps = [slice(None, None, stride) for stride in (1, 1, *strides)]
    windows = windows[tuple(steps)]
    batch, _, *lengths = windows.shape
    grouped = windows.reshape(batch, len(filters), filters.shape[2], *lengths)
    sums: Array = np.einsum("ngi...,goi...->ngo...", *expanded(grouped, filters, len(axes)))
    result: Array = sums.sum(tuple(range(-len(axes), 0))).reshape(batch, -1, *lengths[: len(axes)])
    return result


def expanded(windows: Array, filters: Array, axes: int) -> tuple[Array, Array]:
    """Return windows and filters with the same number of spatial axes, those of the output before the kernel's."""
    return windows, filters.astype(np.int64).reshape(*filters.shape[:3], *[1] * axes, *filters.shape[3:])


def run(model: ov.Model, folder: Path, data: Array, optimize: bool) -> Array:
    ov.save_model(model, folder / "model.xml", compress_to_fp16=False)
    compiled = Core().compile_model(folder / "model.xml", "CPU", {"OPTIMIZE": optimize})
    for _ in range(2):
        result = compiled([data])[0]
    return np.asarray(result)


CONVOLUTIONS: dict[str, Any] = {
    "winograd's sizes": ((1, 48, 28, 28), (32, 48, 3, 3), [1, 1], [1, 1]),
    "few channels": ((2, 3, 9, 7), (5, 3, 2, 3), [1, 2], [0, 1]),
    "one axis": ((2, 6, 31), (4, 6, 5), [2], [2]),
    "groups": ((1, 6, 9, 9), (3, 2, 2, 3, 3), [1, 1], [1, 1]),
    "depthwise": ((1, 6, 9, 9), (6, 1, 1, 3, 3), [2, 2], [1, 1]),
    "sums beyond f32": ((1, 600, 6, 6), (4, 600, 3, 3), [1, 1], [1, 1]),
}


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions_of_levels_less_a_zero_point(name: str, optimize: bool, tmp_path: Path) -> None:
    data_shape, filter_shape, strides, pads = CONVOLUTIONS[name]
    generator = np.random.default_rng(1)
    data = generator.integers(0, 256, data_shape).astype(np.uint8)
    filters = generator.integers(-128, 128, filter_shape).astype(np.int8)
    x, zero = ops.parameter(list(data_shape), np.uint8, name="x"), ops.constant(np.int32(117))
    centered = ops.subtract(ops.convert(x, "i32"), zero)
    weights = ops.convert(ops.constant(filters), "i32")
    grouped = len(filter_shape) > len(data_shape)
    convolution = ops.group_convolution if grouped else ops.convolution
    model = ov.Model([convolution(centered, weights, strides, pads, pads, [1] * len(pads))], [x], "m")
    whole = filters if grouped else filters[None]
    expected = convolved(data.astype(np.int64) - 117, whole, strides, pads)
    np.testing.assert_array_equal(run(model, tmp_path, data, optimize), expected)


def test_sums_that_an_i32_cannot_hold_wrap(tmp_path: Path) -> None:
    x = ops.parameter([1, 2, 4, 4], np.int32, name="x")
    filters = np.full((3, 2, 1, 1), 2**20, np.int32)
    model = ov.Model([ops.convolution(x, ops.constant(filters), [1, 1], [0, 0], [0, 0], [1, 1])], [x], "m")
    data = np.arange(32, dtype=np.int32).reshape(1, 2, 4, 4) * 2**9
    expected = (data.astype(np.int64).sum(1, keepdims=True) * 2**20).astype(np.int32).repeat(3, 1)
    for optimize in (True, False):
        np.testing.assert_array_equal(run(model, tmp_path, data, optimize), expected)
