"""FakeQuantize in both layouts, against the plain evaluation and OpenVINO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset8 as ops

from tests.compiler.test_pooling import channels_last
from tests.support.passes import compiled, model_of
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


@pytest.mark.parametrize("levels", [255, 256, 65536])
@pytest.mark.parametrize("low", [0.0, -0.7312])
def test_equal_data_get_equal_levels_even_beside_the_middle_of_a_step(low: float, levels: int) -> None:
    high = np.float32(1.9173)
    middles = (np.float32(low) + (np.arange(levels) - 0.5) * ((high - np.float32(low)) / (levels - 1))).astype(
        np.float32
    )
    bits = middles.view(np.int32)[:, None] + np.arange(-3, 4, dtype=np.int32)
    x = ops.parameter([levels, 7], np.float32, name="x")
    model = model_of(
        ops.fake_quantize(x, *(ops.constant(np.float32(n)) for n in (low, high, 0, levels - 1)), levels), [x]
    )
    inputs = np.ascontiguousarray(bits).view(np.float32)
    plain = compiled(model, OPTIMIZE=False)([inputs])[0]
    for provider in PROVIDERS:
        planned = compiled(model, PROVIDER=provider)([inputs])[0]
        np.testing.assert_array_equal(np.rint(planned), np.rint(plain))


@pytest.mark.parametrize("levels", [16, 38, 256, 65536])
@pytest.mark.parametrize("shape", [(), (1, 1, 8), (2, 1, 1)])
@pytest.mark.parametrize("low", [0.0, -0.1])
def test_integers_made_of_equal_data_are_equal(low: float, shape: tuple[int, ...], levels: int) -> None:
    x = ops.parameter([2, 30, 8], np.float32, name="x")
    high = np.linspace(255, 510, int(np.prod(shape))).astype(np.float32).reshape(shape)
    bounds = [ops.constant(np.float32(n)) for n in (-5, 7.75, low)]
    value = ops.fake_quantize(x, *bounds, ops.constant(high), levels)
    model = model_of([value, ops.convert(value, np.int32)], [x])
    inputs = (np.arange(480).reshape(2, 30, 8) * 0.05 - 8).astype(np.float32)
    expected = [ov.Tensor(item.element_type, ov.Shape([])) for item in model.outputs]
    assert model.evaluate(expected, [ov.Tensor(inputs)])
    plans = [compiled(model, OPTIMIZE=False), *(compiled(model, PROVIDER=provider) for provider in PROVIDERS)]
    for plan in plans:
        for result, tensor in zip(plan([inputs]).to_tuple(), expected, strict=True):
            np.testing.assert_array_equal(result, tensor.data)


def test_a_plan_moves_levels_only_where_its_data_differ_across_a_middle() -> None:
    """Of 4,235,520 elements of a DeiT none has another level on equal data.

    The first that differs lies 3e-5 of a step from a middle, behind a normalization whose last digit differs; each such
    element moves the sums behind it.
    """
    levels, x = 65536, ops.parameter([300, 700], np.float32, name="x")
    weights = ops.constant(np.random.default_rng(0).standard_normal((700, 90)).astype(np.float32))
    product = ops.matmul(x, weights, False, False)
    bounds = [ops.constant(np.float32(n)) for n in (-90, 90, 0, levels - 1)]
    model = model_of([product, ops.fake_quantize(product, *bounds, levels)], [x])
    inputs = np.random.default_rng(1).standard_normal((300, 700)).astype(np.float32)
    plain_data, plain = compiled(model, OPTIMIZE=False)([inputs]).values()
    positions = (plain_data.clip(-90, 90) + np.float32(90)) / np.float32(180) * np.float32(levels - 1)
    for provider in PROVIDERS:
        data, planned = compiled(model, PROVIDER=provider)([inputs]).values()
        moved = np.rint(planned) != np.rint(plain)
        assert not moved[data == plain_data].any()
        from_middle = np.abs(positions - np.floor(positions) - 0.5)
        drift = np.abs(data - plain_data) / np.float32(180) * (levels - 1)
        assert (from_middle <= drift + 0.01)[moved].all()
        assert provider == "numpy" or moved.any()
