"""Attention that a graph spells out becomes ScaledDotProductAttention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from openvino import opset13 as ops

from tests.support.passes import constant, data, integers, number, run_pass, unknown_shape

NAME = "attention_fusion"
Operands = tuple[Any, Any, Any]


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


def test_shapes_of_the_run_stay() -> None:
    query, value = data(1, 1, 3, 1), data(1, 1, 8, 4)
    key = ops.reshape(ops.slice(unknown_shape(ops.exp(value)), integers(0), integers(8), integers(1), integers(1)),
                      integers(1, 1, -1, 1), False)  # fmt: skip
    shares = ops.softmax(product(query, key, False, True), -1)
    assert not run_pass(NAME, product(shares, ops.reshape(key, integers(1, 1, -1, 1), False)), [query, value]).is_match
