"""Ops that return their input unchanged are removed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.support.passes import constant, data, integers, model_of, number, run_pass, unknown_shape

NAME = "identity_elimination"

IDENTITIES: dict[str, Callable[[Any], Any]] = {
    "Convert": lambda x: ops.convert(x, np.float32),
    "ConvertLike": lambda x: ops.convert_like(x, constant(1)),
    "Reshape": lambda x: ops.reshape(x, integers(2, 3), False),
    "Tile": lambda x: ops.tile(x, integers(1, 1)),
    "Broadcast": lambda x: ops.broadcast(x, integers(2, 3)),
    "Reshape back": lambda x: ops.reshape(ops.reshape(x, integers(3, 2), False), integers(2, 3), False),
    "Transpose": lambda x: ops.transpose(x, integers(0, 1)),
    "Multiply": lambda x: ops.multiply(number(1), x),
    "Divide": lambda x: ops.divide(x, number(1)),
    "Subtract": lambda x: ops.subtract(x, number(0)),
    "Slice": lambda x: ops.slice(x, integers(0), integers(9), integers(1), integers(1)),
    "Pad": lambda x: ops.pad(x, [0, 0], [0, 0], "constant", number(0)),
    "Concat": lambda x: ops.concat([x], 0),
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    "another type": lambda x: ops.convert(x, np.float64),
    "another shape": lambda x: ops.reshape(x, integers(3, 2), False),
    "a type that computes": ops.relu,
    "a shape of the run": lambda x: ops.reshape(unknown_shape(x), integers(2, -1), False),
    "an order": lambda x: ops.transpose(ops.concat([x, x, x], 0), integers(1, 0)),
    "a sum that makes -0 to 0": lambda x: ops.add(x, number(0)),
    "a product that adds an axis": lambda x: ops.multiply(x, constant(1, 1, 1)),
    "a reversal": lambda x: ops.slice(x, integers(-1), integers(-9), integers(-1), integers(1)),
}


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(2, 3)
    return model_of(ops.relu(ops.reshape(x, integers(2, 3), False)), [x])


@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_are_removed(name: str) -> None:
    x = data(2, 3)
    change = run_pass(NAME, ops.tanh(IDENTITIES[name](ops.sin(x))), [x])
    assert change.types() == ["Sin", "Tanh"]


@pytest.mark.parametrize("name", OTHERS)
def test_ops_that_change_something_stay(name: str) -> None:
    x = data(2, 3)
    assert not run_pass(NAME, ops.tanh(OTHERS[name](x)), [x]).is_match


def test_an_identity_that_is_a_result_stays() -> None:
    x = data(2, 3)
    assert not run_pass(NAME, ops.reshape(x, integers(2, 3), False), [x]).is_match


def test_consecutive_identities_are_all_removed() -> None:
    x = data(2, 3)
    y = ops.reshape(ops.broadcast(ops.sin(x), integers(2, 3)), integers(2, 3), False)
    assert run_pass(NAME, ops.add(y, y), [x]).types() == ["Sin", "Add"]


def test_a_convert_to_the_same_type_is_removed_whatever_the_shape() -> None:
    x = data(2, 3)
    change = run_pass(NAME, ops.tanh(ops.convert(unknown_shape(x), np.float32)), [x])
    assert change.types() == ["NonZero", "Convert", "Tanh"]
