"""Projections of the same rows become one product and a split."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.support.passes import constant, data, integers, model_of, run_pass

NAME = "qkv_fusion"
Linear = Callable[[Any], Any]


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(1, 5, 8)
    parts = [ops.add(ops.matmul(x, constant(8, 8), False, False), constant(8)) for _ in range(3)]
    return model_of(ops.scaled_dot_product_attention(*parts), [x])


def linear(x: Any, width: int = 8, transposed: bool = False) -> Any:
    weights = constant(width, 8) if transposed else constant(8, width)
    return ops.add(ops.matmul(x, weights, False, transposed), constant(width))


def unbiased(x: Any) -> Any:
    return ops.matmul(x, constant(8, 8), False, False)


def bias_first(x: Any) -> Any:
    return ops.add(constant(1, 1, 8), unbiased(x))


def heads(x: Any) -> Any:
    return ops.transpose(ops.reshape(x, integers(1, 5, 2, 4), False), integers(0, 2, 1, 3))


def attention(*parts: Any) -> Any:
    return ops.scaled_dot_product_attention(*parts)


def three(project: Linear) -> Linear:
    return lambda x: attention(*(project(x) for _ in range(3)))


FUSED: dict[str, Linear] = {
    "biased": three(linear),
    "unbiased": three(unbiased),
    "a bias on the left": three(bias_first),
    "transposed weights": three(lambda x: linear(x, transposed=True)),
    "split into heads": three(lambda x: heads(linear(x))),
    "values of another width": lambda x: attention(linear(x), linear(x), linear(x, 6)),
    "mixed": lambda x: attention(linear(x), unbiased(x), linear(x, transposed=True)),
    "two of three": lambda x: attention(linear(ops.sin(x)), linear(x), linear(x)),
}


def read_twice(x: Any) -> Any:
    key = linear(x)
    return ops.concat([attention(linear(ops.sin(x)), key, linear(x)), key], 1)


OTHERS: dict[str, Linear] = {
    "different rows": lambda x: attention(linear(x), linear(ops.sin(x)), linear(ops.cos(x))),
    "a projection that is read twice": read_twice,
    "a bias that varies along the rows": three(lambda x: ops.add(unbiased(x), constant(5, 1))),
    "an activation in between": three(lambda x: ops.tanh(linear(x))),
    "weights with a batch": three(lambda x: ops.matmul(x, constant(1, 8, 8), False, False)),
    "weights of the run": three(lambda x: ops.matmul(x, ops.matmul(x, x, True, False), False, False)),
    "a bias of higher rank": three(lambda x: ops.add(unbiased(x), constant(1, 1, 1, 8))),
    "no attention": lambda x: ops.add(linear(x), linear(x)),
}


@pytest.mark.parametrize("name", FUSED)
def test_projections_are_fused(name: str) -> None:
    x = data(1, 5, 8)
    types = run_pass(NAME, FUSED[name](x), [x]).types()
    assert types.count("VariadicSplit") == 1
    assert types.count("MatMul") == (2 if name == "two of three" else 1)


@pytest.mark.parametrize("name", OTHERS)
def test_other_subgraphs_stay(name: str) -> None:
    x = data(1, 5, 8)
    assert not run_pass(NAME, OTHERS[name](x), [x], [np.full((1, 5, 8), 0.01, np.float32)]).is_match


def test_weights_of_other_types_stay() -> None:
    x = ops.parameter([1, 5, 8], np.float64)
    parts = [ops.matmul(x, ops.constant(np.full((8, 8), number)), False, False) for number in (0.1, 0.2, 0.3)]
    assert not run_pass(NAME, attention(*parts), [x]).is_match


def test_rows_that_are_transposed_stay() -> None:
    x = data(1, 8, 8)
    parts = [ops.matmul(x, constant(8, 8), True, False) for _ in range(3)]
    assert not run_pass(NAME, attention(*parts), [x], [np.eye(8, dtype=np.float32)[None]]).is_match
