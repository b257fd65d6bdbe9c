"""A division by the root of the mean square becomes RmsNorm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.support.passes import data, integers, model_of, number, run_pass

NAME = "rms_norm_fusion"


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(2, 8)
    mean = ops.reduce_mean(ops.power(x, number(2)), integers(-1), True)
    return model_of(ops.divide(x, ops.sqrt(ops.add(mean, number(0.5**10)))), [x])


def mean_square(x: Any, square: Any = None, eps: float = 1e-3, keep: bool = True) -> Any:
    squares = ops.power(x, number(2)) if square is None else square
    return ops.add(ops.reduce_mean(squares, integers(-1), keep), number(eps))


FUSED: dict[str, Callable[[Any], Any]] = {
    "divided by Sqrt": lambda x: ops.divide(x, ops.sqrt(mean_square(x))),
    "times the inverse": lambda x: ops.multiply(x, ops.divide(number(1), ops.sqrt(mean_square(x)))),
    "times Power": lambda x: ops.multiply(ops.power(mean_square(x), number(-0.5)), x),
    "a product": lambda x: ops.divide(x, ops.sqrt(mean_square(x, ops.multiply(x, x)))),
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    "the square of another value": lambda x: ops.divide(x, ops.sqrt(mean_square(ops.sin(x)))),
    "a product of two values": lambda x: ops.divide(x, ops.sqrt(mean_square(x, ops.multiply(x, ops.tanh(x))))),
    "a fourth power": lambda x: ops.divide(x, ops.sqrt(mean_square(x, ops.power(x, number(4))))),
    "no eps": lambda x: ops.divide(x, ops.sqrt(ops.reduce_mean(ops.power(x, number(2)), integers(-1), True))),
    "no root": lambda x: ops.divide(x, mean_square(x)),
    "a sum": lambda x: ops.divide(
        x, ops.sqrt(ops.add(ops.reduce_sum(ops.power(x, number(2)), integers(-1), True), number(1e-3)))
    ),
}


@pytest.mark.parametrize("name", FUSED)
def test_root_mean_squares_are_fused(name: str) -> None:
    x = data(2, 3, 8)
    assert run_pass(NAME, FUSED[name](x), [x]).types() == ["RmsNorm"]


@pytest.mark.parametrize("name", OTHERS)
def test_other_subgraphs_stay(name: str) -> None:
    x = data(2, 3, 8)
    assert not run_pass(NAME, OTHERS[name](x), [x]).is_match


def test_a_mean_that_broadcasts_along_another_axis_stays() -> None:
    x = data(8, 8)
    y = ops.divide(x, ops.sqrt(mean_square(x, keep=False)))
    assert not run_pass(NAME, y, [x], judge="reference").is_match
