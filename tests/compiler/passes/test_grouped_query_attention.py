"""Attention reads keys and values that several heads share without repeating them."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin.tensors import Array
from tests.support.passes import compiled, constant, data, integers, model_of, number, rewrite, rewrite_in_run, run_pass
from tests.support.planned import PROVIDERS

NAME = "grouped_query_attention"


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    query, key, value = data(1, 4, 3, 8), data(1, 2, 5, 8), data(1, 2, 5, 8)
    shared = [
        ops.reshape(
            ops.broadcast(ops.unsqueeze(part, integers(2)), integers(1, 2, 2, 5, 8), "BIDIRECTIONAL"),
            integers(1, 4, 5, 8),
            False,
        )
        for part in (key, value)
    ]
    return model_of(ops.scaled_dot_product_attention(query, *shared), [query, key, value])


def repeated(x: Any, count: int = 2, axis: int = 2, mode: str = "BIDIRECTIONAL", target: Any = None) -> Any:
    samples, shared, length, width = x.shape
    wide = ops.unsqueeze(x, integers(axis))
    goal = integers(samples, shared, count, length, width) if target is None else integers(*target)
    return ops.reshape(ops.broadcast(wide, goal, mode), integers(samples, shared * count, length, width), False)


def operands(shared: int = 2) -> list[Any]:
    return [data(1, 4, 3, 8), data(1, shared, 5, 8), data(1, shared, 5, 8)]


@pytest.mark.parametrize("mode", ["BIDIRECTIONAL", "NUMPY"])
@pytest.mark.parametrize("axis", [2, -3])
def test_repeated_heads_are_fused(axis: int, mode: str) -> None:
    query, key, value = parameters = operands()
    y = ops.scaled_dot_product_attention(query, repeated(key, 2, axis, mode), repeated(value, 2, axis, mode))
    assert run_pass(NAME, y, parameters).types() == ["GroupedQueryAttention"]


def test_one_key_for_all_heads_and_a_mask() -> None:
    query, key, value = parameters = operands(1)
    y = ops.scaled_dot_product_attention(query, repeated(key, 4), repeated(value, 4), constant(3, 5), None, False)
    assert run_pass(NAME, y, parameters).types() == ["GroupedQueryAttention"]


def test_a_causal_attention_stays_causal() -> None:
    query, key, value = parameters = operands()
    y = ops.scaled_dot_product_attention(query, repeated(key), repeated(value), causal=True)
    assert run_pass(NAME, y, parameters).types() == ["GroupedQueryAttention"]


def test_repeated_keys_that_something_else_reads_stay() -> None:
    query, key, value = parameters = operands()
    keys = repeated(key)
    y = ops.scaled_dot_product_attention(query, keys, repeated(value))
    types = run_pass(NAME, [y, ops.sin(keys)], parameters).types()
    assert types == ["Unsqueeze", "Broadcast", "Reshape", "GroupedQueryAttention", "Sin"]


def test_only_keys_are_repeated() -> None:
    query, key, _ = operands()
    value = data(1, 4, 5, 8)
    y = ops.scaled_dot_product_attention(query, repeated(key), value)
    assert not run_pass(NAME, y, [query, key, value]).is_match


def test_keys_and_values_with_different_numbers_of_heads_stay() -> None:
    query, key, value = parameters = [data(1, 4, 3, 8), data(1, 2, 5, 8), data(1, 1, 5, 8)]
    y = ops.scaled_dot_product_attention(query, repeated(key, 2), repeated(value, 4))
    assert not run_pass(NAME, y, parameters).is_match


def test_heads_repeated_as_a_whole_stay() -> None:
    query, key, value = parameters = operands()
    whole = [
        ops.reshape(
            ops.broadcast(ops.unsqueeze(part, integers(1)), integers(1, 2, 2, 5, 8)), integers(1, 4, 5, 8), False
        )
        for part in (key, value)
    ]
    assert not run_pass(NAME, ops.scaled_dot_product_attention(query, *whole), parameters).is_match


def test_positions_that_are_repeated_too_stay() -> None:
    query, key, value = data(1, 4, 3, 8), data(1, 2, 1, 8), data(1, 2, 1, 8)
    wide = [
        ops.reshape(
            ops.broadcast(ops.unsqueeze(part, integers(2)), integers(1, 2, 2, 5, 8)), integers(1, 4, 5, 8), False
        )
        for part in (key, value)
    ]
    assert not run_pass(NAME, ops.scaled_dot_product_attention(query, *wide), [query, key, value]).is_match


def test_a_reshape_to_other_positions_stays() -> None:
    query, key, value = data(1, 4, 3, 4), data(1, 2, 4, 8), data(1, 2, 4, 8)
    mixed = [
        ops.reshape(
            ops.broadcast(ops.unsqueeze(part, integers(2)), integers(1, 2, 2, 4, 8)), integers(1, 4, 8, 4), False
        )
        for part in (key, value)
    ]
    assert not run_pass(NAME, ops.scaled_dot_product_attention(query, *mixed), [query, key, value]).is_match


def test_attention_without_heads_stays() -> None:
    query, key, value = (data(2, length, 8) for length in (3, 5, 5))
    y = ops.scaled_dot_product_attention(query, key, value)
    assert not run_pass(NAME, y, [query, key, value], [np.ones((2, n, 8), np.float32) for n in (3, 5, 5)]).is_match


def decoder(starts: tuple[int, int], added: tuple[int, int] = (1, 1)) -> ov.Model:
    """Return two attentions of cached keys and values, all repeated to the shape of the first keys."""
    query, parameters, sinks, target, results = data(1, 4, 1, 8), [], [], None, []
    for layer, (start, count) in enumerate(zip(starts, added, strict=True)):
        repeats = []
        for part in ("key", "value"):
            x, name = data(1, 2, count, 8), f"{part}{layer}"
            begin = ops.constant(np.ones((1, 2, start, 8), np.float32))
            past = ops.read_value(begin, name, np.float32, ov.PartialShape([1, 2, -1, 8]))
            whole = ops.concat([past, x], 2)
            if target is None:
                length = ops.gather(ops.shape_of(whole), integers(2), ops.constant(np.int64(0)))
                target = ops.concat([integers(1, 2, 2), length, integers(8)], 0)
            wide = ops.broadcast(ops.unsqueeze(whole, integers(2)), target, "bidirectional")
            repeats.append(ops.reshape(wide, integers(0, 4, -1, 8), True))
            sinks.append(ops.assign(whole, name))
            parameters.append(x)
        results.append(ops.scaled_dot_product_attention(query, *repeats))
    return model_of(results, [query, *parameters], sinks)


def test_keys_repeated_to_the_length_of_another_variable_are_fused() -> None:
    model = decoder((0, 0))
    exact = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
    judge = ov.Core().compile_model(model, "CPU", exact).create_infer_request()
    requests = [compiled(model, PROVIDER=provider).create_infer_request() for provider in PROVIDERS]
    rng = np.random.default_rng(1)
    for _ in range(4):
        inputs = [rng.standard_normal(list(port.shape)).astype(np.float32) for port in model.inputs]
        expected = judge.infer(inputs).to_tuple()
        for request in requests:
            for array, right in zip(request.infer(inputs).to_tuple(), expected, strict=True):
                np.testing.assert_allclose(array, right, rtol=1e-5, atol=1e-6)
    assert rewrite(NAME, model).types().count("GroupedQueryAttention") == 2


@pytest.mark.parametrize(("starts", "added"), [((0, 2), (1, 1)), ((0, 0), (1, 2))])
def test_keys_repeated_to_a_length_that_may_differ_stay(starts: tuple[int, int], added: tuple[int, int]) -> None:
    assert rewrite(NAME, decoder(starts, added)).types().count("GroupedQueryAttention") == 1


def prompt(factor_first: bool = False) -> ov.Model:
    """Return the attention of a decoder's layer with a cache, whose new rows have an open number.

    Keys are rotated by positions, as many as the rows, and all are repeated to the number of rows and cached ones.
    """
    tokens, positions = ops.parameter([1, -1], np.int64), ops.parameter([1, -1], np.float32)
    hidden = ops.gather(constant(20, 16), tokens, ops.constant(np.int64(0)))
    squares = ops.reduce_mean(ops.multiply(hidden, hidden), integers(-1), True)
    rows = ops.divide(hidden, ops.sqrt(ops.add(squares, number(1e-3))))
    angles = ops.unsqueeze(ops.unsqueeze(positions, integers(1)), integers(3))

    def heads(count: int, rotates: bool) -> Any:
        wide = ops.matmul(rows, constant(16, 8 * count), False, False)
        split = ops.transpose(ops.reshape(wide, integers(0, 0, count, 8), True), integers(0, 2, 1, 3))
        return ops.multiply(*((angles, split) if factor_first else (split, angles))) if rotates else split

    sinks, repeats, target = [], [], None
    for name in ("key", "value"):
        begin = ops.constant(np.ones((1, 2, 0, 8), np.float32))
        past = ops.read_value(begin, name, np.float32, ov.PartialShape([1, 2, -1, 8]))
        whole = ops.concat([past, heads(2, name == "key")], 2)
        if target is None:
            length = ops.add(
                ops.gather(ops.shape_of(past), integers(2), integers(0)),
                ops.gather(ops.shape_of(rows), integers(1), integers(0)),
            )
            target = ops.concat([integers(1, 2, 2), length, integers(8)], 0)
        wide = ops.broadcast(ops.unsqueeze(whole, integers(2)), target, "bidirectional")
        repeats.append(ops.reshape(wide, integers(0, 4, -1, 8), True))
        sinks.append(ops.assign(whole, name))
    return model_of(ops.scaled_dot_product_attention(heads(4, True), *repeats), [tokens, positions], sinks)


def tokens_and_positions(count: int) -> list[Array]:
    rng = np.random.default_rng(count)
    return [rng.integers(0, 20, (1, count)), rng.standard_normal((1, count)).astype(np.float32)]


def test_keys_of_open_prompts_are_fused() -> None:
    model = prompt()
    exact = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
    judge = ov.Core().compile_model(model, "CPU", exact).create_infer_request()
    requests = [compiled(model, PROVIDER=provider).create_infer_request() for provider in PROVIDERS]
    for count in (5, 1, 3, 1):
        inputs = tokens_and_positions(count)
        expected = judge.infer(inputs)[0]
        for request in requests:
            np.testing.assert_allclose(request.infer(inputs)[0], expected, rtol=1e-4, atol=1e-5)
    for count in (5, 1):
        types = rewrite_in_run(NAME, model, tokens_and_positions(count)).types()
        assert types.count("GroupedQueryAttention") == 1


def test_keys_as_long_as_another_input_stay() -> None:
    """Nothing says in the plan that as many positions come as tokens."""
    types = rewrite_in_run(NAME, prompt(factor_first=True), tokens_and_positions(5)).types()
    assert types.count("GroupedQueryAttention") == 0
