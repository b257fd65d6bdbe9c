"""Caches that only attentions read become bytes where the configuration asks for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Error
from tests.support.passes import compiled, data, integers, model_of, rewrite
from tests.support.planned import PROVIDERS

NAME = "kv_cache_quantization"


CONFIGURATION = {"KV_CACHE_PRECISION": "u8"}
"""The properties without which the pass does not run."""


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    query, sinks, parts = data(1, 2, 1, 8), [], []
    for name in ("keys", "values"):
        x, start = data(1, 2, 1, 8), ops.constant(np.zeros((1, 2, 0, 8), np.float32))
        past = ops.read_value(start, name, np.float32, ov.PartialShape([1, 2, -1, 8]))
        parts.append((x, ops.concat([past, x], 2)))
        sinks.append(ops.assign(parts[-1][1], name))
    attention = ops.scaled_dot_product_attention(query, *(whole for _, whole in parts))
    return model_of(attention, [query, *(x for x, _ in parts)], sinks)


def cached(name: str, x: Any, order: Any = None) -> tuple[Any, Any]:
    """Return a variable with a tensor behind it, and the assignment."""
    start = ops.constant(np.zeros((1, 2, 0, 8), np.float32))
    past = ops.read_value(start, name, np.float32, ov.PartialShape([1, 2, -1, 8]))
    whole = ops.concat([past if order is None else ops.gather(past, order, ops.constant(np.int64(0))), x], 2)
    return whole, ops.assign(whole, name)


def attention(*others: Any, order: bool = False) -> ov.Model:
    """Return an attention of cached keys and values, and what `others` compute of the keys."""
    query, *parts = [data(1, 2, 1, 8) for _ in range(3)]
    indices = ops.parameter([1], np.int64) if order else None
    (keys, first), (values, second) = (
        cached(name, x, indices) for name, x in zip(("keys", "values"), parts, strict=True)
    )
    results = [ops.scaled_dot_product_attention(query, keys, values), *(other(keys) for other in others)]
    return model_of(results, [query, *parts, *([indices] if order else [])], [first, second])


def packed(model: ov.Model, precision: str = "u8") -> int:
    """Return how many of the appends have packed rows."""
    return rewrite(NAME, model, (), KV_CACHE_PRECISION=precision).after.count("u8[")


def test_keys_and_values_of_an_attention_are_packed() -> None:
    assert packed(attention()) == 2


def test_samples_in_another_order_are_packed() -> None:
    assert packed(attention(order=True)) == 2


@pytest.mark.parametrize("other", [ops.relu, ops.shape_of, lambda keys: keys])
def test_keys_that_something_else_reads_stay_f32(other: Any) -> None:
    assert packed(attention(other)) == 1


def test_a_cache_whose_rows_are_no_keys_stays_f32() -> None:
    x = data(1, 2, 1, 8)
    whole, assign = cached("keys", x)
    assert packed(model_of(ops.reduce_sum(whole, integers(2)), [x], [assign])) == 0


@pytest.mark.parametrize("provider", PROVIDERS)
def test_several_inferences_are_near_those_of_f32(provider: str) -> None:
    model, rng = attention(order=True), np.random.default_rng(1)
    requests = [compiled(model, KV_CACHE_PRECISION=name, PROVIDER=provider) for name in ("f32", "u8")]
    for _ in range(70):
        inputs = [rng.standard_normal((1, 2, 1, 8)).astype(np.float32) for _ in range(3)] + [np.zeros(1, np.int64)]
        exact, near = (np.array(request(inputs)[0]) for request in requests)
        np.testing.assert_allclose(near, exact, atol=0.03)


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_queries_of_any_length_read_packed_rows(rows: int) -> None:
    query, key, value = data(1, 2, rows, 8), data(1, 2, 1, 8), data(1, 2, 1, 8)
    (keys, first), (values, second) = cached("keys", key), cached("values", value)
    model = model_of(ops.scaled_dot_product_attention(query, keys, values), [query, key, value], [first, second])
    inputs = [np.ones((1, 2, rows, 8), np.float32), *(np.ones((1, 2, 1, 8), np.float32) for _ in range(2))]
    assert packed(model)
    np.testing.assert_allclose(compiled(model, KV_CACHE_PRECISION="u8")(inputs)[0], inputs[0], rtol=1e-2)


@pytest.mark.parametrize("count", [0, 2])
def test_packed_keys_of_another_length_than_the_values_are_refused(count: int) -> None:
    query, key, value = data(1, 2, 1, 8), data(1, 2, count, 8), data(1, 2, 1, 8)
    (keys, first), (values, second) = cached("keys", key), cached("values", value)
    model = model_of(ops.scaled_dot_product_attention(query, keys, values), [query, key, value], [first, second])
    inputs = [np.ones([1, 2, length, 8], np.float32) for length in (1, count, 1)]
    for config in ({"OPTIMIZE": False}, {"KV_CACHE_PRECISION": "u8"}):
        with pytest.raises(Error, match="value"):
            compiled(model, **config)(inputs)
