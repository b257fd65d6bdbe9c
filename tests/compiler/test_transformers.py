"""Attention, normalization and GELU as exporters decompose them: passes fuse them, and the results stay equal."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openvino import opset13 as ops

from tests.support.planned import PROVIDERS, hold, variants

RNG = np.random.default_rng(3)
BATCH, TOKENS, HEADS, WIDTH = 2, 37, 3, 20


def const(*shape: int) -> Any:
    return ops.constant(RNG.standard_normal(shape).astype(np.float32) * 0.15)


def number(value: float) -> Any:
    return ops.constant(np.array(value, np.float32))


def order(*axes: int) -> Any:
    return ops.constant(np.array(axes))


def linear(x: Any, bias_first: bool = False, transposed: bool = False) -> Any:
    layer = ops.matmul(x, const(HEADS * WIDTH, HEADS * WIDTH), False, transposed)
    bias = const(HEADS * WIDTH)
    return ops.add(bias, layer) if bias_first else ops.add(layer, bias)


def heads(x: Any, *axes: int) -> Any:
    return ops.transpose(ops.reshape(x, ops.constant([0, 0, HEADS, WIDTH]), True), order(*(axes or (0, 2, 1, 3))))


def joined(x: Any) -> Any:
    return ops.reshape(ops.transpose(x, order(0, 2, 1, 3)), ops.constant([0, 0, HEADS * WIDTH]), True)


def scaled_scores(x: Any) -> Any:
    query, key, value = (heads(linear(x)) for _ in range(3))
    scores = ops.multiply(ops.matmul(query, key, False, True), number(WIDTH**-0.5))
    return joined(ops.matmul(ops.softmax(scores, -1), value, False, False))


def divided_and_masked(x: Any) -> Any:
    query, value = (heads(linear(x, bias_first=True)) for _ in range(2))
    key = heads(linear(x, transposed=True), 0, 2, 3, 1)
    scores = ops.divide(ops.matmul(query, key, False, False), number(WIDTH**0.5))
    mask = ops.constant(np.where(RNG.random((BATCH, 1, 1, TOKENS)) < 0.3, -10000, 0).astype(np.float32))
    return joined(ops.matmul(ops.softmax(ops.add(scores, mask), 3), value, False, False))


def mask_of_the_run(x: Any) -> Any:
    row = ops.reduce_mean(x, ops.constant([2]), False)
    mask = ops.unsqueeze(row, ops.constant([1, 2]))
    query, key, value = (heads(x) for _ in range(3))
    scores = ops.add(mask, ops.matmul(query, key, False, True))
    return joined(ops.matmul(ops.softmax(scores, -1), value, False, False))


def scaled_operands(x: Any) -> Any:
    query, key = (ops.multiply(heads(linear(x)), number(WIDTH**-0.25)) for _ in range(2))
    value = heads(linear(x), 0, 2, 3, 1)
    return joined(ops.matmul(ops.softmax(ops.matmul(query, key, False, True), -1), value, False, True))


def own_operation(x: Any) -> Any:
    query, key, value = (heads(linear(x)) for _ in range(3))
    mask = ops.constant(RNG.random((BATCH, HEADS, TOKENS, TOKENS)) < 0.8)
    masked = ops.scaled_dot_product_attention(query, key, value, mask, None, False)
    return joined(ops.scaled_dot_product_attention(masked, key, value, None, number(0.3), True))


def weights_read_twice(x: Any) -> Any:
    query, key, value = (heads(linear(x)) for _ in range(3))
    weights = ops.softmax(ops.matmul(query, key, False, True), -1)
    return ops.concat([ops.matmul(weights, value, False, False), weights], 3)


def softmax_of_another_axis(x: Any) -> Any:
    query, key, value = (heads(linear(x)) for _ in range(3))
    return joined(ops.matmul(ops.softmax(ops.matmul(query, key, False, True), 2), value, False, False))


def scaled_behind_the_mask(x: Any) -> Any:
    query, key, value = (heads(x) for _ in range(3))
    scores = ops.multiply(ops.add(ops.matmul(query, key, False, True), const(TOKENS, TOKENS)), number(0.5))
    return joined(ops.matmul(ops.softmax(scores, -1), value, False, False))


def plain_mvn(x: Any) -> Any:
    y = ops.mvn(x, order(-1), True, 1e-5, "inside_sqrt")
    return ops.tanh(ops.add(ops.add(ops.multiply(y, const(HEADS * WIDTH)), const(1, 1, HEADS * WIDTH)), x))


def means(x: Any, square: Callable[[Any], Any]) -> tuple[Any, Any]:
    centred = ops.subtract(x, ops.reduce_mean(x, order(-1), True))
    return centred, ops.add(ops.reduce_mean(square(centred), order(-1), True), number(1e-5))


def divided_by_root(x: Any) -> Any:
    centred, variance = means(x, lambda y: ops.power(y, number(2)))
    y = ops.divide(centred, ops.sqrt(variance))
    return ops.add(ops.multiply(const(HEADS * WIDTH), y), const(HEADS * WIDTH))


def times_inverse_root(x: Any) -> Any:
    centred, variance = means(x, lambda y: ops.multiply(y, y))
    return ops.multiply(ops.divide(number(1), ops.sqrt(variance)), centred)


def times_power(x: Any) -> Any:
    mean = ops.reduce_mean(x, order(-1), True)
    variance = ops.reduce_mean(ops.squared_difference(x, mean), order(-1), True)
    return ops.multiply(ops.subtract(x, mean), ops.power(ops.add(variance, number(1e-5)), number(-0.5)))


def axes_that_differ(x: Any) -> Any:
    centred = ops.subtract(x, ops.reduce_mean(x, order(-1), True))
    variance = ops.reduce_mean(ops.power(centred, number(2)), order(1), True)
    return ops.divide(centred, ops.sqrt(ops.add(variance, number(1e-5))))


def gelu_of_torch(x: Any) -> Any:
    gate = ops.add(ops.erf(ops.divide(x, number(math.sqrt(2)))), number(1))
    return ops.multiply(ops.multiply(x, gate), number(0.5))


def gelu_half_first(x: Any) -> Any:
    gate = ops.add(number(1), ops.erf(ops.multiply(x, number(math.sqrt(0.5)))))
    return ops.multiply(ops.multiply(x, number(0.5)), gate)


def gelu_half_of_gate(x: Any) -> Any:
    gate = ops.add(number(1), ops.erf(ops.multiply(number(math.sqrt(0.5)), x)))
    return ops.multiply(x, ops.divide(gate, number(2)))


def gelu_by_cube(x: Any) -> Any:
    cubic = ops.add(x, ops.multiply(number(0.044715), ops.power(x, number(3))))
    gate = ops.add(ops.tanh(ops.multiply(cubic, number(math.sqrt(2 / math.pi)))), number(1))
    return ops.multiply(ops.multiply(number(0.5), x), gate)


def gelu_by_square(x: Any) -> Any:
    square = ops.add(ops.multiply(ops.multiply(x, x), number(0.044715)), number(1))
    inner = ops.multiply(ops.multiply(number(math.sqrt(2 / math.pi)), x), square)
    return ops.multiply(ops.multiply(ops.add(number(1), ops.tanh(inner)), x), number(0.5))


def swish_times_one(x: Any) -> Any:
    return ops.multiply(x, ops.sigmoid(ops.multiply(x, number(1))))


def no_gelu(x: Any) -> Any:
    gate = ops.add(ops.erf(ops.divide(x, number(1.5))), number(1))
    return ops.multiply(ops.multiply(x, gate), number(0.5))


ATTENTION = (scaled_scores, divided_and_masked, mask_of_the_run, scaled_operands, own_operation)
NO_ATTENTION = (weights_read_twice, softmax_of_another_axis, scaled_behind_the_mask)
NORMALIZED = (plain_mvn, divided_by_root, times_inverse_root, times_power)
GELU = (gelu_of_torch, gelu_half_first, gelu_half_of_gate, gelu_by_cube, gelu_by_square)
OTHERS = (axes_that_differ, no_gelu, swish_times_one)


def parameter() -> Any:
    return ops.parameter([BATCH, TOKENS, HEADS * WIDTH], np.float32)


@pytest.mark.parametrize("make", [*ATTENTION, *NO_ATTENTION, *NORMALIZED, *GELU, *OTHERS])
def test_every_provider_gives_what_openvino_gives(make: Callable[[Any], Any], tmp_path: Path) -> None:
    x = parameter()
    hold(make(x), [x], tmp_path, rtol=1e-5)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("make", "type", "absent"),
    [
        *((make, "ScaledDotProductAttention", "Softmax") for make in ATTENTION),
        *((make, "MatMul", "ScaledDotProductAttention") for make in NO_ATTENTION),
        *((make, "MVN", "ReduceMean") for make in NORMALIZED),
        *((make, "Gelu", "Erf") for make in GELU[:3]),
        *((make, "Gelu", "Tanh") for make in GELU[3:]),
        (axes_that_differ, "ReduceMean", "MVN"),
        (swish_times_one, "Swish", "Multiply"),
    ],
)
def test_what_is_spelled_out_is_named(
    make: Callable[[Any], Any], type: str, absent: str, provider: str, tmp_path: Path
) -> None:
    x = parameter()
    hold(make(x), [x], tmp_path, openvino=False)
    kernels = variants(tmp_path, provider)
    assert type in kernels
    assert absent not in kernels


@pytest.mark.parametrize("make", [scaled_scores, divided_and_masked, scaled_operands])
def test_one_product_makes_query_key_and_value(make: Callable[[Any], Any], tmp_path: Path) -> None:
    x = parameter()
    hold(make(x), [x], tmp_path, openvino=False)
    kernels = variants(tmp_path)
    assert kernels["VariadicSplit"] == "view"
    assert kernels["ScaledDotProductAttention"] == "heads"


@pytest.mark.parametrize(
    ("rows", "depth", "width"),
    [(8, 5, 12), (13, 800, 25), (128, 64, 96), (257, 70, 129), (400, 33, 50), (64, 300, 250)],
)
@pytest.mark.parametrize("transposed", [False, True])
def test_products_with_constant_weights(rows: int, depth: int, width: int, transposed: bool, tmp_path: Path) -> None:
    x = ops.parameter([1, rows, depth], np.float32)
    weights = const(width, depth) if transposed else const(depth, width)
    layer = ops.add(ops.matmul(x, weights, False, transposed), const(width))
    consumer = ops.add(ops.relu(ops.add(layer, const(1))), ops.multiply(layer, const(1, rows, 1)))
    hold(consumer, [x], tmp_path)


def test_rows_that_are_not_neighbours_in_memory(tmp_path: Path) -> None:
    x = ops.parameter([60, 40], np.float32)
    turned = ops.transpose(x, order(1, 0))
    part = ops.slice(x, order(0), order(40), order(1), order(1))
    hold(
        ops.concat([ops.matmul(operand, const(n, 30), False, False) for operand, n in ((turned, 60), (part, 40))], 0),
        [x],
        tmp_path,
    )


@pytest.mark.parametrize("type", [np.float32, np.float64])
@pytest.mark.parametrize("lead", [(5,), (2, 3), (1, 2, 3)])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_of_other_lengths(lead: tuple[int, ...], causal: bool, type: Any, tmp_path: Path) -> None:
    shapes = [(*lead, *shape) for shape in ((90, 24), (75, 24), (75, 30))]
    parameters = [ops.parameter(list(shape), type) for shape in shapes]
    layer = ops.scaled_dot_product_attention(*parameters, ops.constant(RNG.standard_normal((90, 75)).astype(type)))
    if causal:
        layer = ops.scaled_dot_product_attention(*parameters, causal=True)
    hold(layer, parameters, tmp_path, openvino=False)
    assert "ScaledDotProductAttention" in variants(tmp_path)


@pytest.mark.parametrize("eps_mode", ["inside_sqrt", "outside_sqrt"])
@pytest.mark.parametrize("variance", [False, True])
@pytest.mark.parametrize("shape", [(3, 5), (700, 400), (2, 7, 129)])
def test_rows_are_normalized(shape: tuple[int, ...], variance: bool, eps_mode: str, tmp_path: Path) -> None:
    x = ops.parameter(list(shape), np.float32)
    y = ops.mvn(ops.tanh(x), order(-1), variance, 1e-4, eps_mode)
    y = ops.add(ops.multiply(y, const(shape[-1])), const(*shape[:-1], 1))
    hold(ops.softmax(ops.subtract(y, x), -1), [x], tmp_path)
