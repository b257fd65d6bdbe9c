"""Ops whose outputs nobody reads are removed."""

from __future__ import annotations

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from tests.support.passes import data, model_of, rewrite, run_pass

NAME = "dead_code"


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x, y = data(2, 3), data(6)
    return model_of(ops.reshape(y, ops.shape_of(ops.relu(x)), False), [x, y])


def test_a_chain_that_nobody_reads_is_removed() -> None:
    x, y = data(2, 3), data(6)
    shape = ops.shape_of(ops.relu(ops.tanh(x)))
    change = run_pass(NAME, ops.reshape(y, shape, False), [x, y], disabled=["epilogue_fusion"])
    assert "Tanh" in change.before
    assert change.types() == ["Reshape"]


def test_an_op_with_one_output_that_is_read_stays() -> None:
    x = data(4, 3)
    halves = ops.split(x, ops.constant(0), 2)
    assert not run_pass(NAME, ops.relu(halves.output(1)), [x]).is_match


def test_results_stay() -> None:
    x = data(2, 3)
    y = ops.tanh(x)
    assert not run_pass(NAME, [y, ops.exp(y)], [x]).is_match


def test_variables_are_written_though_nobody_reads_the_assignment() -> None:
    x = data(2, 3)
    past = ops.read_value(ops.constant(np.zeros((2, 3), np.float32)), "sum", np.float32, ov.PartialShape([2, 3]))
    total = ops.add(past, x)
    change = rewrite(NAME, model_of(ops.relu(x), [x], [ops.assign(total, "sum")]))
    assert change.types().count("Assign") == 1
    assert not change.is_match
