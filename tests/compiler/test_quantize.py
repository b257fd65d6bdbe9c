"""FakeQuantize in both layouts, against the plain evaluation and OpenVINO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openvino import opset8 as ops

from tests.compiler.test_pooling import channels_last
from tests.support.planned import PROVIDERS, hold, variants

NAMES = {"numpy": "blocks", "numba": "rows, numba"}


def limits(values: Any, shape: tuple[int, ...]) -> Any:
    return ops.constant(np.broadcast_to(np.asarray(values, np.float32).reshape(-1, *(1,) * (len(shape) - 2)), shape))


def spread(low: float, high: float, count: int) -> list[float]:
    return list(np.linspace(low, high, count, dtype=np.float32))


def has_kernel(path: Path) -> bool:
    return all(variants(path, provider).get("FakeQuantize") == NAMES[provider] for provider in PROVIDERS)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("levels", [2, 16, 255, 256])
@pytest.mark.parametrize("channels", [1, 6])
def test_limits_of_channels(channels: int, levels: int, last: bool, tmp_path: Path) -> None:
    x = ops.parameter([2, 6, 17, 13], np.float32, name="x")
    shape = (1, channels, 1, 1)
    numbers = (
        spread(-1.05, -0.55, channels), spread(0.75, 1.5, channels), spread(-2, -1, channels), spread(1, 3, channels)
    )  # fmt: skip
    result = ops.fake_quantize(channels_last(x) if last else x, *(limits(values, shape) for values in numbers), levels)
    hold(result, [x], tmp_path, openvino=False)
    assert has_kernel(tmp_path)


def test_openvino_gives_the_same(tmp_path: Path) -> None:
    x = ops.parameter([1, 6, 17, 13], np.float32, name="x")
    result = ops.fake_quantize(x, *(ops.constant(np.float32(n)) for n in (0, 2.55, 0, 2.55)), 256)
    hold(result, [x], tmp_path, rtol=4e-4)
    assert has_kernel(tmp_path)


@pytest.mark.parametrize("shape", [(7,), (1, 1, 7), (5, 1), (2, 5, 1), (2, 1, 1), ()])
def test_limits_along_any_axis(shape: tuple[int, ...], tmp_path: Path) -> None:
    x = ops.parameter([2, 5, 7], np.float32, name="x")
    count = int(np.prod(shape))
    low = np.linspace(-1, -0.5, count, dtype=np.float32).reshape(shape)
    high = np.linspace(0.3, 0.9, count, dtype=np.float32).reshape(shape)
    result = ops.fake_quantize(x, *(ops.constant(array) for array in (low, high, low, high)), 16)
    hold(result, [x], tmp_path, openvino=False)
    assert has_kernel(tmp_path) == (shape != (2, 5, 1))


def test_exchanged_limits_are_left_to_the_evaluation(tmp_path: Path) -> None:
    x = ops.parameter([2, 5], np.float32, name="x")
    result = ops.fake_quantize(x, *(ops.constant(np.float32(n)) for n in (1, -1, 0, 5)), 16)
    hold(result, [x], tmp_path, openvino=False)
    assert "FakeQuantize" not in variants(tmp_path)


def test_nan_and_infinities(tmp_path: Path) -> None:
    x = ops.parameter([3, 8], np.float32, name="x")
    divided = ops.divide(ops.relu(x), ops.floor(ops.relu(x)))
    result = ops.fake_quantize(divided, *(ops.constant(np.float32(n)) for n in (-1, 1, -1, 1)), 16)
    hold(result, [x], tmp_path, openvino=False)


def test_many_elements_are_shared(tmp_path: Path) -> None:
    x = ops.parameter([1, 40, 128, 120], np.float32, name="x")
    result = ops.fake_quantize(x, *(ops.constant(np.float32(n)) for n in (-1, 1, -3, 5)), 256)
    hold(ops.multiply(result, ops.constant(np.float32(2))), [x], tmp_path, openvino=False)
    assert has_kernel(tmp_path)
