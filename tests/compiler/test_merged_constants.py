"""Constants of neighbouring operations are merged where their product or sum is a number: 0 times infinity is NaN."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openvino import Model, save_model
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.tensors import Array
from tests.support.planned import PROVIDERS

SIZES = {"overflow": (1e25, 1e25, 0.0), "underflow": (1e-25, 1e-25, 1e37), "neither": (1e12, 1e-12, 3.0)}


def _number(value: float) -> Any:
    return ops.constant(np.full((1, 4, 1, 1), value, np.float32))


def _products(data: Any, first: float, second: float) -> Any:
    return ops.multiply(ops.multiply(ops.relu(data), _number(first)), _number(second))


def _sum_between(data: Any, first: float, second: float) -> Any:
    shifted = ops.add(ops.multiply(ops.relu(data), _number(first)), _number(first))
    return ops.multiply(shifted, _number(second))


def _weights_and_scale(data: Any, first: float, second: float) -> Any:
    weights = np.tile(np.eye(4, dtype=np.float32)[:, :, None, None], (1, 1, 1, 1)) * np.float32(first)
    return ops.multiply(ops.convolution(data, weights, [1, 1], [0, 0], [0, 0], [1, 1]), _number(second))


def _offset_and_scale(data: Any, first: float, second: float) -> Any:
    weights = np.eye(4, dtype=np.float32)[:, :, None, None]
    product = ops.convolution(data, weights, [1, 1], [0, 0], [0, 0], [1, 1])
    return ops.multiply(ops.add(product, _number(first)), _number(second))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("make", [_products, _sum_between, _weights_and_scale, _offset_and_scale])
def test_constants_are_merged_where_the_result_is_a_number(
    make: Callable[..., Any], size: str, provider: str, tmp_path: Path
) -> None:
    first, second, value = SIZES[size]
    x = ops.parameter([1, 4, 8, 8], np.float32, name="x")
    eye = np.eye(4, dtype=np.float32)[:, :, None, None]
    data = ops.convolution(x, eye, [1, 1], [0, 0], [0, 0], [1, 1])
    save_model(Model([make(data, first, second)], [x]), tmp_path / "model.xml", compress_to_fp16=False)
    array: Array = np.full((1, 4, 8, 8), value, np.float32)
    configs: list[dict[str, Any]] = [{"PROVIDER": provider}, {"OPTIMIZE": False}]
    planned, plain = (Core().compile_model(tmp_path / "model.xml", config=config)(array)[0] for config in configs)
    np.testing.assert_allclose(planned, plain, rtol=1e-5)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("factors", [(1e25, 1e25), (1e-25, 1e-25), (1e-30, 1e30), (0.0, 1e30)])
def test_constants_behind_sums_of_levels(factors: tuple[float, float], provider: str, tmp_path: Path) -> None:
    x = ops.parameter([1, 4, 6, 6], np.float32, name="x")
    levels = ops.fake_quantize(x, *(np.float32(limit) for limit in (0, 2.55, 0, 2.55)), 256)
    codes = ops.constant(np.eye(4, dtype=np.int8)[:, :, None, None] * np.int8(100))
    weights = ops.multiply(ops.convert(codes, np.float32), ops.constant(np.full((4, 1, 1, 1), 0.01, np.float32)))
    data = ops.add(ops.convolution(levels, weights, [1, 1], [0, 0], [0, 0], [1, 1]), _number(0.5))
    result = ops.multiply(ops.multiply(data, _number(factors[0])), _number(factors[1]))
    save_model(Model([result], [x]), tmp_path / "model.xml", compress_to_fp16=False)
    array: Array = np.linspace(0, 2, 144, dtype=np.float32).reshape(1, 4, 6, 6)
    configs: list[dict[str, Any]] = [{"PROVIDER": provider}, {"OPTIMIZE": False}]
    planned, plain = (Core().compile_model(tmp_path / "model.xml", config=config)(array)[0] for config in configs)
    np.testing.assert_allclose(planned, plain, rtol=1e-5, atol=2e-38)
