"""Elementwise ops become the epilogue of the op before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.support.passes import constant, convolution, data, integers, model_of, number, run_pass, unknown_shape

NAME = "epilogue_fusion"


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(1, 3, 6, 6)
    return model_of(ops.relu(ops.add(convolution(x), constant(1, 4, 1, 1))), [x])


def lines(text: str) -> list[str]:
    """Return the ops of a graph as text, from the type to the layers."""
    return [line.split(" = ")[1].partition("  #")[0] for line in text.splitlines() if "(" in line]


FUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "Convolution": (lambda x: ops.relu(convolution(x)), "Convolution(%0, constant f32[4, 4, 3, 3]) + Relu()"),
    "MatMul": (
        lambda x: ops.tanh(ops.matmul(x, constant(6, 3), False, False)), "MatMul(%0, constant f32[6, 3]) + Tanh()",
    ),
    "MVN": (
        lambda x: ops.multiply(ops.mvn(x, integers(-1), True, 1e-3, "inside_sqrt"), number(2)),
        "MVN(%0, i64 [-1]) + Multiply(f32 2.0)",
    ),
    "a chain of its own": (lambda x: ops.sqrt(ops.exp(x)), "Exp(%0) + Sqrt()"),
    "the other operand": (
        lambda x: ops.subtract(number(1), ops.exp(x)), "Exp(%0) + Subtract(f32 1.0 first)",
    ),
    "three in a row": (
        lambda x: ops.clamp(ops.add(ops.relu(convolution(x)), number(1)), 0.0, 2.0),
        "Convolution(%0, constant f32[4, 4, 3, 3]) + Relu() + Add(f32 1.0) + Clamp()",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUSED)
def test_elementwise_ops_are_fused(name: str) -> None:
    x = data(1, 4, 6, 6)
    make, line = FUSED[name]
    assert lines(run_pass(NAME, make(x), [x]).after) == [line]


def test_a_convolution_is_preferred_to_an_elementwise_op() -> None:
    x = data(1, 4, 6, 6)
    inner = ops.slice(x, integers(1, 1), integers(5, 5), integers(1, 1), integers(2, 3))
    change = run_pass(NAME, ops.add(ops.tanh(inner), convolution(x)), [x])
    assert change.types() == ["Slice", "Tanh", "Convolution"]


def test_the_host_moves_behind_the_operands_of_its_epilogue() -> None:
    x = data(1, 4, 6, 6)
    y = convolution(x)
    mean = ops.reduce_mean(ops.sin(x), integers(1, 2, 3), True)
    assert run_pass(NAME, ops.multiply(y, mean), [x]).types() == ["Sin", "ReduceMean", "Convolution"]


def read_twice(x: Any) -> Any:
    y = convolution(x)
    return ops.subtract(ops.relu(y), ops.reduce_mean(y, integers(2, 3), True))


def a_result(x: Any) -> Any:
    y = convolution(x)
    return [ops.relu(y), y]


OTHERS: dict[str, Callable[[Any], Any]] = {
    "an operand that is a result": a_result,
    "an operand that widens": lambda x: ops.add(convolution(x), constant(3, 4, 4, 4)),
    "another type": lambda x: ops.convert(convolution(x), np.float64),
    "no elementwise op": lambda x: ops.softmax(convolution(x), 1),
    "a shape of the run": lambda x: ops.relu(unknown_shape(x)),
    "whole numbers": lambda x: ops.abs(ops.negative(ops.convert(x, np.int32))),
    "a data movement before it": lambda x: ops.relu(ops.transpose(x, integers(0, 2, 3, 1))),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_ops_stay(name: str) -> None:
    x = data(1, 4, 6, 6)
    assert not run_pass(NAME, OTHERS[name](x), [x]).is_match


def test_only_the_last_reader_of_a_value_is_fused() -> None:
    x = data(1, 4, 6, 6)
    change = run_pass(NAME, read_twice(x), [x])
    assert change.types() == ["Convolution", "ReduceMean", "Relu"]


def test_slopes_that_numpy_does_not_broadcast_stay() -> None:
    x, slope = data(1, 4, 6, 6), data(4)
    assert not run_pass(NAME, ops.prelu(convolution(x), slope), [x, slope]).is_match
    infinite = ops.constant(np.array([np.inf] * 4, np.float32))
    positive = [np.ones((1, 4, 6, 6), np.float32)]
    assert not run_pass(NAME, ops.prelu(convolution(x), infinite), [x], positive).is_match
