"""Attention that a graph spells out becomes ScaledDotProductAttention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.support.passes import compiled, constant, data, integers, model_of, number, run_pass, unknown_shape

NAME = "attention_fusion"
Operands = tuple[Any, Any, Any]


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    query, key, value, mask = data(1, 2, 3, 8), data(1, 2, 5, 8), data(1, 2, 5, 8), data(3, 5)
    scores = ops.multiply(ops.matmul(query, key, False, True), number(0.5))
    shares = ops.softmax(ops.add(scores, mask), -1)
    return model_of(ops.matmul(shares, value, False, False), [query, key, value, mask])


def product(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    return ops.matmul(a, b, transpose_a, transpose_b)


def turned(x: Any) -> Any:
    return ops.transpose(x, integers(0, 1, 3, 2))


def attention(query: Any, key: Any, value: Any, scores: Callable[[Any], Any] = lambda scores: scores) -> Any:
    return product(ops.softmax(scores(product(query, key, False, True)), -1), value)


FUSED: dict[str, tuple[Callable[[Any, Any, Any], Any], list[str]]] = {
    "plain": (attention, []),
    "scaled": (lambda q, k, v: attention(q, k, v, lambda s: ops.multiply(number(0.5), s)), []),
    "divided": (lambda q, k, v: attention(q, k, v, lambda s: ops.divide(s, number(3))), []),
    "masked": (lambda q, k, v: attention(q, k, v, lambda s: ops.add(constant(3, 5), s)), []),
    "scaled and masked": (
        lambda q, k, v: attention(q, k, v, lambda s: ops.add(ops.multiply(s, number(0.5)), constant(1, 1, 3, 5))), [],
    ),
    "scaled operands": (lambda q, k, v: attention(ops.multiply(q, number(0.5)), ops.divide(k, number(2)), v), []),
    "key not transposed": (
        lambda q, k, v: product(ops.softmax(product(q, ops.sin(turned(k))), 3), v), ["Transpose", "Sin", "Transpose"],
    ),
    "query transposed": (
        lambda q, k, v: product(ops.softmax(product(ops.sin(turned(q)), k, True, True), 3), v),
        ["Transpose", "Sin", "Transpose"],
    ),
    "value transposed": (
        lambda q, k, v: product(ops.softmax(product(q, k, False, True), 3), ops.sin(turned(v)), False, True),
        ["Transpose", "Sin", "Transpose"],
    ),
}  # fmt: skip


def shares_read_twice(query: Any, key: Any, value: Any) -> Any:
    shares = ops.softmax(product(query, key, False, True), -1)
    return [product(shares, value), ops.sin(shares)]


def scores_that_are_a_result(query: Any, key: Any, value: Any) -> Any:
    scores = product(query, key, False, True)
    return [product(ops.softmax(scores, -1), value), scores]


OTHERS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "softmax over the queries": lambda q, k, v: product(ops.softmax(product(q, k, False, True), 2), v),
    "a scale behind the mask": lambda q, k, v: attention(
        q, k, v, lambda s: ops.multiply(ops.add(s, constant(3, 5)), number(0.5))
    ),
    "two masks": lambda q, k, v: attention(q, k, v, lambda s: ops.add(ops.add(s, constant(3, 5)), constant(1, 5))),
    "a mask of one axis": lambda q, k, v: attention(q, k, v, lambda s: ops.add(s, constant(5))),
    "a scale that is no number": lambda q, k, v: attention(q, k, v, lambda s: ops.multiply(s, constant(3, 1))),
    "a mask that widens the scores": lambda q, k, v: attention(q, k, v, lambda s: ops.add(s, constant(2, 2, 3, 5))),
    "an activation": lambda q, k, v: attention(q, k, v, ops.tanh),
    "shares that are read twice": shares_read_twice,
    "scores that are a result": scores_that_are_a_result,
    "transposed shares": lambda q, k, v: product(
        ops.softmax(product(k, q, False, True), -1), ops.sin(v), True, False
    ),
}  # fmt: skip


def operands(lead: int = 1) -> list[Any]:
    return [data(lead, 2, 3, 8), data(lead, 2, 5, 8), data(lead, 2, 5, 8)]


@pytest.mark.parametrize("name", FUSED)
def test_attention_is_fused(name: str) -> None:
    parameters = operands()
    make, moves = FUSED[name]
    assert run_pass(NAME, make(*parameters), parameters).types() == [*moves, "ScaledDotProductAttention"]


@pytest.mark.parametrize("name", OTHERS)
def test_other_subgraphs_stay(name: str) -> None:
    parameters = operands()
    assert not run_pass(NAME, OTHERS[name](*parameters), parameters).is_match


def test_matrices_without_a_batch_stay() -> None:
    parameters = [data(3, 8), data(5, 8), data(5, 8)]
    assert not run_pass(NAME, attention(*parameters), parameters).is_match


def test_operands_of_different_rank_stay() -> None:
    parameters = [data(1, 2, 3, 8), data(2, 5, 8), data(1, 2, 5, 8)]
    assert not run_pass(NAME, attention(*parameters), parameters).is_match


@pytest.mark.parametrize(("type", "is_match"), [(np.float64, True), (np.float16, False)])
def test_types_of_which_the_sums_are_the_same_are_fused(type: Any, is_match: bool) -> None:
    parameters = [ops.parameter([1, 2, 3, 8], type) for _ in range(3)]
    inputs = [np.full((1, 2, 3, 8), number / 8, type) for number in (1, 2, 3)]
    assert run_pass(NAME, attention(*parameters), parameters, inputs).is_match == is_match


def product_of_the_run(rank: int) -> tuple[Any, list[Any]]:
    """Return an attention whose number of keys is only known in the run."""
    query, value = data(*(1,) * (rank - 2), 3, 1), data(1, 1, 8, 4)
    key = ops.reshape(ops.slice(unknown_shape(ops.exp(value)), integers(0), integers(8), integers(1), integers(1)),
                      integers(*(1,) * (rank - 2), -1, 1), False)  # fmt: skip
    shares = ops.softmax(product(query, key, False, True), -1)
    return product(shares, key), [query, value]


@pytest.mark.parametrize(("rank", "is_match"), [(3, False), (4, True)])
def test_lengths_of_the_run_are_fused_where_there_is_a_kernel(rank: int, is_match: bool) -> None:
    y, parameters = product_of_the_run(rank)
    assert run_pass(NAME, y, parameters).is_match == is_match


def zero_where_nan(scores: Any) -> Any:
    """Return the softmax that torch exports to ONNX."""
    shares = ops.softmax(scores, -1)
    return ops.select(ops.is_nan(shares), number(0), shares)


def zero_where_masked(scores: Any, zeros: Any = None) -> Any:
    """Return the softmax that the decompositions of torch.export leave."""
    counts = ops.reduce_logical_or(ops.logical_not(ops.equal(scores, number(-np.inf))), integers(-1), True)
    shares = ops.softmax(scores, -1)
    return ops.select(ops.logical_not(counts), number(0) if zeros is None else zeros(shares), shares)


def zeros_of_the_run(shares: Any) -> Any:
    return ops.convert(ops.broadcast(number(0), ops.shape_of(shares, "i32")), np.float32)


ZEROING: dict[str, Callable[[Any], Any]] = {
    "NaN": zero_where_nan,
    "masked": zero_where_masked,
    "masked, zeros of a shape": lambda scores: zero_where_masked(
        scores, lambda _: ops.constant(np.zeros((2, 2, 3, 5), np.float32))
    ),
    "masked, zeros of the shape": lambda scores: zero_where_masked(scores, zeros_of_the_run),
}


def masked_operands(is_open: bool, value: float = 1) -> tuple[list[Any], list[Any]]:
    """Return parameters, one of which is a mask, and arrays, in which rows are masked completely."""
    shapes = [(2, 2, 3, 8), (2, 2, 5, 8), (2, 2, 5, 8), (2, 1, 3, 5)]
    rng = np.random.default_rng(5)
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    arrays[2] *= np.float32(value)
    arrays[3] = np.where(rng.random(shapes[3]) < 0.6, 0, -np.inf).astype(np.float32)
    arrays[3][0, 0, 1], arrays[3][1] = -np.inf, -np.inf
    lengths = [[-1, shape[1], -1, -1 if number == 3 else 8] for number, shape in enumerate(shapes)]
    return [ops.parameter(lengths[k] if is_open else list(shapes[k]), np.float32) for k in range(4)], arrays


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("name", ZEROING)
def test_rows_that_are_masked_give_zero(name: str, is_open: bool) -> None:
    parameters, arrays = masked_operands(is_open)
    query, key, value, mask = parameters
    scores = ops.add(ops.multiply(product(query, key, False, True), number(0.5)), mask)
    y = product(product(ZEROING[name](scores), value), constant(8, 8))
    types = run_pass(NAME, y, parameters, arrays).types()
    assert ("ZeroingAttention" in types) != (is_open and name == "masked, zeros of a shape")
    assert not compiled(model_of(y, parameters))(arrays)[0][1].any()


@pytest.mark.parametrize("name", ["NaN", "masked"])
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_scores_and_values_that_are_not_finite(name: str, odd: float) -> None:
    parameters, arrays = masked_operands(is_open=False)
    query, key, value, mask = parameters
    y = product(ZEROING[name](ops.add(product(query, key, False, True), mask)), value)
    for position, index in ((0, (0, 0, 0, 0)), (2, (1, 1, 2, 3))):
        changed = [array.copy() for array in arrays]
        changed[position][index] = odd
        model = model_of(y, parameters)
        expected = compiled(model, OPTIMIZE=False)(changed)[0]
        for config in ({}, {"PROVIDER": "numpy"}, {"DISABLED_PASSES": [NAME]}):
            np.testing.assert_allclose(compiled(model, **config)(changed)[0], expected, rtol=1e-5, atol=1e-6)


def ones_where_nan(scores: Any) -> Any:
    shares = ops.softmax(scores, -1)
    return ops.select(ops.is_nan(shares), number(1), shares)


UNLIKE: dict[str, Callable[[Any], Any]] = {
    "another limit": lambda s: ops.select(
        ops.logical_not(ops.reduce_logical_or(ops.logical_not(ops.equal(s, number(-1e9))), integers(-1), True)),
        number(0), ops.softmax(s, -1),
    ),
    "columns": lambda s: ops.select(
        ops.logical_not(ops.reduce_logical_or(ops.logical_not(ops.equal(s, number(-np.inf))), integers(-2), True)),
        number(0), ops.softmax(s, -1),
    ),
    "ones": ones_where_nan,
    "the scores' own NaN": lambda s: ops.select(ops.is_nan(s), number(0), ops.softmax(s, -1)),
}  # fmt: skip


@pytest.mark.parametrize("name", UNLIKE)
def test_other_replacements_stay(name: str) -> None:
    parameters = operands()
    query, key, value = parameters
    y = product(UNLIKE[name](product(query, key, False, True)), value)
    assert "Softmax" in run_pass(NAME, y, parameters).types()
