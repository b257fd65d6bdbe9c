"""Activations that a graph spells out become one op."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.support.passes import constant, data, model_of, number, run_pass

NAME = "activation_fusion"


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(2, 3)
    return model_of(ops.multiply(x, ops.sigmoid(x)), [x])


def clipped(x: Any) -> Any:
    return ops.clamp(ops.add(x, number(3)), 0.0, 6.0)


def limited(x: Any) -> Any:
    return ops.maximum(number(0), ops.minimum(ops.add(x, number(3)), number(6)))


def erf_gate(x: Any, root: float = math.sqrt(2), one: float = 1) -> Any:
    return ops.add(ops.erf(ops.divide(x, number(root))), number(one))


def tanh_gate(x: Any, factor: float = 0.044715) -> Any:
    cubic = ops.add(x, ops.multiply(number(factor), ops.power(x, number(3))))
    return ops.add(ops.tanh(ops.multiply(cubic, number(math.sqrt(2 / math.pi)))), number(1))


def half(x: Any, gate: Any, factor: float = 0.5) -> Any:
    return ops.multiply(ops.multiply(x, gate), number(factor))


FUSED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "x sigmoid(x)": ("Swish", lambda x: ops.multiply(x, ops.sigmoid(x))),
    "sigmoid(x) x": ("Swish", lambda x: ops.multiply(ops.sigmoid(x), x)),
    "x sigmoid(1 x)": ("Swish", lambda x: ops.multiply(x, ops.sigmoid(ops.multiply(x, number(1))))),
    "clip / 6": ("HSigmoid", lambda x: ops.divide(clipped(x), number(6))),
    "clip * (1 / 6)": ("HSigmoid", lambda x: ops.multiply(number(1 / 6), clipped(x))),
    "max and min": ("HSigmoid", lambda x: ops.divide(limited(x), number(6))),
    "x (clip / 6)": ("HSwish", lambda x: ops.multiply(x, ops.divide(clipped(x), number(6)))),
    "(x clip) / 6": ("HSwish", lambda x: ops.divide(ops.multiply(limited(x), x), number(6))),
    "x hsigmoid(x)": ("HSwish", lambda x: ops.multiply(ops.hsigmoid(x), x)),
    "erf": ("Gelu", lambda x: half(x, erf_gate(x))),
    "half of the gate": ("Gelu", lambda x: ops.multiply(x, ops.divide(erf_gate(x), number(2)))),
    "tanh": ("Gelu", lambda x: half(x, tanh_gate(x))),
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    "the sigmoid of another value": lambda x: ops.multiply(x, ops.sigmoid(ops.tanh(x))),
    "the sigmoid of a multiple": lambda x: ops.multiply(x, ops.sigmoid(ops.multiply(x, number(1.7)))),
    "another divisor": lambda x: ops.divide(clipped(x), number(5)),
    "the inverse": lambda x: ops.divide(number(6), ops.add(clipped(x), number(1))),
    "another clip": lambda x: ops.divide(ops.clamp(ops.add(x, number(3)), 0.0, 5.0), number(6)),
    "another offset": lambda x: ops.divide(ops.clamp(ops.add(x, number(2)), 0.0, 6.0), number(6)),
    "a clip without an offset": lambda x: ops.divide(ops.clamp(x, 0.0, 6.0), number(6)),
    "erf of another multiple": lambda x: half(x, erf_gate(x, 1.5)),
    "erf plus two": lambda x: half(x, erf_gate(x, one=2)),
    "no half": lambda x: half(x, erf_gate(x), 0.7),
    "erf of another value": lambda x: half(x, erf_gate(ops.sin(x))),
    "another cubic term": lambda x: half(x, tanh_gate(x, 0.05)),
    "a wider product": lambda x: ops.multiply(ops.sigmoid(x), ops.multiply(x, constant(5, 2, 3))),
}


@pytest.mark.parametrize("name", FUSED)
def test_activations_are_fused(name: str) -> None:
    x = data(2, 3)
    type, make = FUSED[name]
    assert run_pass(NAME, make(x), [x]).types() == [type]


@pytest.mark.parametrize("name", OTHERS)
def test_other_subgraphs_stay(name: str) -> None:
    x = data(2, 3)
    assert not run_pass(NAME, OTHERS[name](x), [x]).is_match


@pytest.mark.parametrize("element_type", [np.float64, np.float16])
def test_types_of_which_the_rounding_is_the_same_are_fused(element_type: Any) -> None:
    x = ops.parameter([2, 3], element_type)
    change = run_pass(NAME, ops.multiply(x, ops.sigmoid(x)), [x], [np.ones((2, 3), element_type)])
    assert change.is_match == (element_type is np.float64)


def test_a_gate_that_something_else_reads_stays() -> None:
    x = data(2, 3)
    gate = ops.sigmoid(x)
    change = run_pass(NAME, [ops.multiply(x, gate), ops.sin(gate)], [x])
    assert change.types() == ["Sigmoid", "Swish", "Sin"]


def test_hard_sigmoid_is_decomposed() -> None:
    x = data(2, 3)
    change = run_pass(NAME, ops.hard_sigmoid(x, number(0.2), number(0.5)), [x])
    assert change.types() == ["Multiply", "Add", "Clamp"]


def test_hard_sigmoid_with_factors_of_the_run_stays() -> None:
    x, alpha = data(2, 3), data()
    inputs = [np.ones((2, 3), np.float32), np.array(0.3, np.float32)]
    y = ops.hard_sigmoid(x, alpha, number(0.5))
    assert not run_pass(NAME, y, [x, alpha], inputs, judge="").is_match


def test_a_swish_with_beta_is_decomposed() -> None:
    x = data(2, 3)
    change = run_pass(NAME, [ops.swish(ops.sin(x), number(1)), ops.swish(x, number(1.7))], [x])
    assert sorted(change.types()) == ["Multiply", "Multiply", "Sigmoid", "Sin", "Swish"]


def test_a_swish_with_a_beta_of_the_run_stays() -> None:
    x, beta = data(2, 3), data()
    inputs = [np.ones((2, 3), np.float32), np.array(0.3, np.float32)]
    assert not run_pass(NAME, ops.swish(x, beta), [x, beta], inputs).is_match
