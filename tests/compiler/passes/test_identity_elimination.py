"""Ops that return their input unchanged are removed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from openvino import opset13 as ops

from tests.support.passes import constant, data, integers, run_pass, unknown_shape

NAME = "identity_elimination"

IDENTITIES: dict[str, Callable[[Any], Any]] = {
    "Convert": lambda x: ops.convert(x, np.float32),
    "ConvertLike": lambda x: ops.convert_like(x, constant(1)),
    "Reshape": lambda x: ops.reshape(x, integers(2, 3), False),
    "Tile": lambda x: ops.tile(x, integers(1, 1)),
    "Broadcast": lambda x: ops.broadcast(x, integers(2, 3)),
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    "another type": lambda x: ops.convert(x, np.float64),
    "another shape": lambda x: ops.reshape(x, integers(3, 2), False),
    "a type that computes": ops.relu,
    "a shape of the run": lambda x: ops.convert(unknown_shape(x), np.float32),
}


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
