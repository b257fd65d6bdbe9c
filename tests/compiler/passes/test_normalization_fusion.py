"""Normalization that a graph spells out becomes MVN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.support.passes import data, integers, model_of, number, run_pass

NAME = "normalization_fusion"
EPS = 1e-3


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(2, 8)
    centred = ops.subtract(x, ops.reduce_mean(x, integers(-1), True))
    variance = ops.reduce_mean(ops.power(centred, number(2)), integers(-1), True)
    return model_of(ops.divide(centred, ops.sqrt(ops.add(variance, number(0.5**10)))), [x])


def mean(x: Any, axis: int = -1, keep: bool = True) -> Any:
    return ops.reduce_mean(x, integers(axis), keep)


def shifted(x: Any) -> Any:
    return ops.subtract(x, mean(ops.sin(x)))


def centred(x: Any, axis: int = -1) -> Any:
    return ops.subtract(x, mean(x, axis))


def square(x: Any) -> Any:
    return ops.power(x, number(2))


def variance(x: Any, axis: int = -1) -> Any:
    return ops.add(mean(square(centred(x, axis)), axis), number(EPS))


FUSED: dict[str, Callable[[Any], Any]] = {
    "divided by Sqrt": lambda x: ops.divide(centred(x), ops.sqrt(variance(x))),
    "divided by Power": lambda x: ops.divide(centred(x), ops.power(variance(x), number(0.5))),
    "times Power": lambda x: ops.multiply(ops.power(variance(x), number(-0.5)), centred(x)),
    "times the inverse": lambda x: ops.multiply(centred(x), ops.divide(number(1), ops.sqrt(variance(x)))),
    "SquaredDifference": lambda x: ops.divide(
        centred(x), ops.sqrt(ops.add(number(EPS), mean(ops.squared_difference(x, mean(x)))))
    ),
    "a product": lambda x: ops.divide(
        centred(x), ops.sqrt(ops.add(mean(ops.multiply(y := centred(x), y)), number(EPS)))
    ),
    "an axis in between": lambda x: ops.divide(centred(x, 1), ops.sqrt(variance(x, 1))),
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    "axes that differ": lambda x: ops.divide(centred(x), ops.sqrt(variance(x, 1))),
    "the variance along another axis": lambda x: ops.divide(
        centred(x), ops.sqrt(ops.add(mean(square(centred(x)), 1), number(EPS)))
    ),
    "the mean of another value": lambda x: ops.divide(y := shifted(x), ops.sqrt(ops.add(mean(square(y)), number(EPS)))),
    "no eps": lambda x: ops.divide(centred(x), ops.sqrt(mean(square(centred(x))))),
    "the data is not centred": lambda x: ops.divide(x, ops.sqrt(variance(x))),
    "the variance of another value": lambda x: ops.divide(centred(x), ops.sqrt(variance(ops.sin(x)))),
    "a cube": lambda x: ops.divide(
        centred(x), ops.sqrt(ops.add(mean(ops.abs(ops.power(centred(x), number(3)))), number(EPS)))
    ),
    "no root": lambda x: ops.divide(centred(x), variance(x)),
    "another power": lambda x: ops.multiply(centred(x), ops.power(variance(x), number(-0.25))),
    "another numerator": lambda x: ops.multiply(centred(x), ops.divide(number(2), ops.sqrt(variance(x)))),
    "a mean without its axis": lambda x: ops.divide(
        ops.subtract(x, ops.unsqueeze(mean(x, keep=False), integers(-1))), ops.sqrt(variance(x))
    ),
}

MISTAKEN = ("axes that differ", "the variance along another axis")
"""Subgraphs that OpenVINO's CPU takes for normalization."""


@pytest.mark.parametrize("name", FUSED)
def test_normalization_is_fused(name: str) -> None:
    x = data(2, 3, 8)
    assert run_pass(NAME, FUSED[name](x), [x]).types() == ["MVN"]


@pytest.mark.parametrize("name", OTHERS)
def test_other_subgraphs_stay(name: str) -> None:
    x = data(2, 3, 8)
    judge = "reference" if name in MISTAKEN else "CPU"
    assert not run_pass(NAME, OTHERS[name](x), [x], judge=judge).is_match


def test_axes_of_the_run_stay() -> None:
    x, axis = data(2, 8), ops.parameter([1], np.int64)
    centre = ops.subtract(x, ops.reduce_mean(x, axis, True))
    root = ops.sqrt(ops.add(ops.reduce_mean(square(centre), axis, True), number(EPS)))
    inputs = [np.arange(16, dtype=np.float32).reshape(2, 8), np.array([1])]
    assert not run_pass(NAME, ops.divide(centre, root), [x, axis], inputs, judge="reference").is_match


def test_what_something_else_reads_stays() -> None:
    x = data(2, 8)
    spread = variance(x)
    change = run_pass(NAME, [ops.divide(centred(x), ops.sqrt(spread)), spread], [x])
    assert change.types() == ["ReduceMean", "Subtract", "Power", "ReduceMean", "Add", "MVN"]


def test_means_that_broadcast_along_another_axis_stay() -> None:
    x = data(8, 8)
    centre = ops.subtract(x, mean(x, keep=False))
    spread = ops.add(mean(square(centre), keep=False), number(EPS))
    assert not run_pass(NAME, ops.divide(centre, ops.sqrt(spread)), [x], judge="reference").is_match


@pytest.mark.parametrize("length", [2, -1])
@pytest.mark.parametrize("part", ["exponent", "eps", "root", "one"])
def test_numbers_that_raise_the_rank_stay(part: str, length: int) -> None:
    """Behind a number of shape [1, 1, 1] axis 1 is that of the rows."""
    x = ops.parameter([length, 4], np.float32)
    centre, one = centred(x, 1), ops.constant(np.ones((1, 1, 1), np.float32))
    exponent, eps, root = number(2), number(EPS), number(0.5)
    if part == "exponent":
        exponent = ops.multiply(one, number(2))
    elif part == "eps":
        eps = ops.multiply(one, number(EPS))
    elif part == "root":
        root = ops.multiply(one, number(0.5))
    spread = ops.power(ops.add(mean(ops.power(centre, exponent), 1), eps), root)
    y = ops.multiply(centre, ops.divide(one, spread)) if part == "one" else ops.divide(centre, spread)
    inputs = [np.arange(8, dtype=np.float32).reshape(2, 4) ** 2]
    assert "MVN" not in run_pass(NAME, y, [x], inputs, judge="reference").types()
