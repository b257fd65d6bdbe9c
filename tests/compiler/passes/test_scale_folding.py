"""Scales per channel go into the weights of the convolution before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.support.passes import constant, convolution, data, model_of, number, run_pass

NAME = "scale_folding"


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(1, 3, 6, 6)
    return model_of(ops.multiply(convolution(x), constant(1, 4, 1, 1)), [x])


def grouped(x: Any) -> Any:
    return ops.group_convolution(x, constant(4, 1, 1, 3, 3), [1, 1], [0, 0], [0, 0], [1, 1])


FOLDED: dict[str, tuple[Callable[[Any], Any], list[str]]] = {
    "a scale per channel": (lambda x: ops.multiply(convolution(x), constant(1, 4, 1, 1)), ["Convolution"]),
    "a scale on the left": (lambda x: ops.multiply(constant(4, 1, 1), convolution(x)), ["Convolution"]),
    "one scale for all": (lambda x: ops.multiply(convolution(x), number(0.5)), ["Convolution"]),
    "groups": (lambda x: ops.multiply(grouped(x), constant(4, 1, 1)), ["GroupConvolution"]),
    "a scale behind an offset": (
        lambda x: ops.multiply(ops.add(convolution(x), constant(4, 1, 1)), constant(4, 1, 1)),
        ["Convolution", "Add"],
    ),
    "two offsets": (
        lambda x: ops.add(ops.add(convolution(x), constant(4, 1, 1)), constant(1, 4, 1, 1)),
        ["Convolution", "Add"],
    ),
}


def read_twice(x: Any) -> Any:
    y = convolution(x)
    return ops.subtract(ops.multiply(y, constant(4, 1, 1)), ops.relu(y))


def two_results(x: Any) -> Any:
    y = convolution(x)
    return [ops.multiply(y, constant(4, 1, 1)), y]


def sum_read_twice(x: Any) -> Any:
    total = ops.add(convolution(x), constant(4, 1, 1))
    return ops.subtract(ops.multiply(total, constant(4, 1, 1)), ops.relu(total))


def sum_that_is_a_result(x: Any) -> Any:
    total = ops.add(convolution(x), constant(4, 1, 1))
    return [ops.multiply(total, constant(4, 1, 1)), total]


KEPT: dict[str, Callable[[Any], Any]] = {
    "a scale that varies along a line": lambda x: ops.multiply(convolution(x), constant(1, 1, 1, 4)),
    "a scale for each sample": lambda x: ops.multiply(convolution(x), constant(2, 1, 1, 1)),
    "a scale for each sample and channel": lambda x: ops.multiply(convolution(x), constant(2, 4, 1, 1)),
    "one scale of higher rank": lambda x: ops.multiply(convolution(x), constant(1, 1, 1, 1, 1)),
    "an offset and a scale without a convolution": lambda x: ops.multiply(
        ops.add(ops.tanh(x), constant(4, 1, 1)), constant(4, 1, 1)
    ),
    "a sum that is read twice": sum_read_twice,
    "a sum that is a result": sum_that_is_a_result,
    "a scale of higher rank": lambda x: ops.multiply(convolution(x), constant(1, 1, 4, 1, 1)),
    "no convolution before it": lambda x: ops.multiply(ops.tanh(x), constant(4, 1, 1)),
    "an activation in between": lambda x: ops.multiply(ops.relu(convolution(x)), constant(4, 1, 1)),
    "a convolution that is read twice": read_twice,
    "a convolution that is a result": two_results,
    "a scale of the run": lambda x: ops.multiply(convolution(x), ops.reduce_mean(x, ops.constant([2, 3]), True)),
}


@pytest.mark.parametrize("name", FOLDED)
def test_scales_are_folded(name: str) -> None:
    x = data(2, 4, 6, 6)
    make, types = FOLDED[name]
    assert run_pass(NAME, make(x), [x]).types() == types


@pytest.mark.parametrize("name", KEPT)
def test_other_products_stay(name: str) -> None:
    x = data(2, 4, 6, 6)
    assert not run_pass(NAME, KEPT[name](x), [x]).is_match


def test_weights_of_the_run_are_not_scaled() -> None:
    x, weights = data(1, 4, 6, 6), data(4, 4, 3, 3)
    y = ops.convolution(x, weights, [1, 1], [0, 0], [0, 0], [1, 1])
    assert not run_pass(NAME, ops.multiply(y, constant(4, 1, 1)), [x, weights]).is_match
