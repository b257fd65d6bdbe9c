"""DYNAMIC_QUANTIZATION_GROUP_SIZE: products with integer weights quantize their data, as OpenVINO's do."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core, InputError
from ir_plugin.tensors import Array
from tests.support.passes import compiled, model_of
from tests.support.planned import PROVIDERS

KEY = "DYNAMIC_QUANTIZATION_GROUP_SIZE"
LIMITS = {"u8": (0, 256), "i8": (-128, 128), "u4": (0, 16), "i4": (-8, 8)}
RNG = np.random.default_rng(3)


def product(kind: str, group: int, depth: int = 256, width: int = 66, rows: int = -1, bias: bool = False) -> ov.Model:
    """Return a product with weights of integers, whose zero points are in the middle half of the codes."""
    low, high = LIMITS[kind]
    shape, store = (width, depth // group), np.uint8 if low == 0 else np.int8
    codes = ops.constant(RNG.integers(low, high, (*shape, group)).astype(store))
    weights = ops.convert(packed(codes, kind), np.float32)
    if low == 0:
        zeros = RNG.integers(high // 4, 3 * high // 4, (*shape, 1)).astype(store)
        weights = ops.subtract(weights, ops.convert(packed(ops.constant(zeros), kind), np.float32))
    weights = ops.multiply(weights, ops.constant(RNG.random((*shape, 1), np.float32)))
    weights = ops.reshape(weights, np.array([width, depth]), False)
    data = ops.parameter([rows, depth], np.float32)
    result = ops.matmul(data, weights, False, True)
    if bias:
        result = ops.relu(ops.add(result, ops.constant(RNG.random((1, width), np.float32))))
    return model_of(result, [data])


def packed(constant: Any, kind: str) -> Any:
    return ops.constant(constant.data, getattr(ov.Type, kind))


def openvino(model: ov.Model, data: Array, group: int) -> Array:
    config = {"INFERENCE_PRECISION_HINT": "f32", KEY: group}
    return np.array(ov.Core().compile_model(model, "CPU", config)([data])[0])


def ours(model: ov.Model, data: Array, group: Any = 0, **config: Any) -> Array:
    return np.array(compiled(model, **{KEY: group}, **config)([data])[0])


def error(actual: Array, expected: Array) -> float:
    return float(np.sqrt(np.square(actual - expected).mean() / np.square(expected).mean()))


@pytest.mark.parametrize("rows", [1, 3, 40])
@pytest.mark.parametrize("group", [16, 32, 64])
@pytest.mark.parametrize("kind", LIMITS)
def test_the_error_has_the_size_of_openvinos(kind: str, group: int, rows: int) -> None:
    model, data = product(kind, 128), RNG.standard_normal((rows, 256)).astype(np.float32)
    exact = ours(model, data)
    np.testing.assert_allclose(exact, openvino(model, data, 0), rtol=1e-4, atol=1e-4 * np.abs(exact).max())
    theirs = error(openvino(model, data, group), exact)
    assert 0.5 * theirs < error(ours(model, data, group), exact) < 1.5 * theirs


@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize("group", [16, 32, 96, 128])
@pytest.mark.parametrize("kind", LIMITS)
def test_providers_give_the_same_bits(kind: str, group: int, rows: int) -> None:
    for model in (product(kind, 384, 384, bias=True), product(kind, 384, 384, 67, rows)):
        data = RNG.standard_normal((rows, 384)).astype(np.float32) * RNG.random((rows, 1), np.float32)
        results = [ours(model, data, group, PROVIDER=provider) for provider in ("auto", "numpy")]
        np.testing.assert_array_equal(results[0], results[1])
        assert (results[0] != ours(model, data)).any()


def test_long_groups_are_exact_in_both_providers() -> None:
    model, data = product("u8", 2048, 2048, rows=2), np.ones((2, 2048), np.float32)
    results = [ours(model, data, 2048, PROVIDER=provider) for provider in ("auto", "numpy")]
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_allclose(ours(model, data, 2048), ours(model, data), rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize(("kind", "group_of_weights", "group"), [("i8", 64, 128), ("u4", 128, 256), ("u8", 128, 20)])
def test_groups_that_divide_no_group_of_the_weights_stay_f32(kind: str, group_of_weights: int, group: int) -> None:
    model, data = product(kind, group_of_weights), RNG.standard_normal((2, 256)).astype(np.float32)
    np.testing.assert_array_equal(ours(model, data, group), ours(model, data))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_zeros_stay_zero_and_what_is_not_finite_spreads(provider: str) -> None:
    data = RNG.standard_normal((5, 256)).astype(np.float32)
    data[0], data[1, 32:64], data[2, 7], data[3, 9], data[4] = 0, 0, np.nan, np.inf, 1e-38
    result = ours(product("i8", 256), data, 32, PROVIDER=provider)
    assert not result[0].any()
    assert np.isfinite(result[1]).all()
    assert np.isnan(result[2:4]).all()
    assert np.abs(result[4]).max() < 1e-32


@pytest.mark.parametrize("value", [0, 32, "64", -1])
def test_the_property_is_read_back_as_openvinos(value: Any) -> None:
    model = product("i8", 256)
    expected = ov.Core().compile_model(model, "CPU", {KEY: value}).get_property(KEY)
    assert compiled(model, **{KEY: value}).get_property(KEY) == expected


@pytest.mark.parametrize("value", ["many", -2])
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(InputError, match=KEY):
        Core().set_property("CPU", {KEY: value})


def test_the_default_is_none() -> None:
    assert compiled(product("i8", 256)).get_property(KEY) == 0
