"""Ops of constants alone are computed once."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Error
from tests.support.passes import compiled, constant, data, model_of, rewrite, run_pass

NAME = "constant_folding"
KNOWN = ("known_value_folding",)


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x, weights = data(9, 80), ops.constant(np.ones((80, 60), np.float16))
    return model_of(ops.matmul(x, ops.convert(weights, np.float32), False, False), [x])


def test_only_the_end_of_a_chain_is_kept() -> None:
    x = data(2, 3)
    weights = ops.multiply(ops.convert(ops.constant(np.ones((3, 4), np.float16)), np.float32), constant(3, 1))
    change = run_pass(NAME, ops.matmul(x, weights, False, False), [x], disabled=KNOWN)
    assert change.types() == ["MatMul"]
    assert "constant f32[3, 4]" in change.after


def test_results_and_values_with_several_readers_are_kept() -> None:
    x = data(2, 3)
    total = ops.add(constant(3), constant(3))
    change = run_pass(NAME, [ops.add(x, total), ops.relu(total)], [x], disabled=KNOWN)
    assert change.types() == ["Add"]


def test_ops_of_data_are_not_folded() -> None:
    x = data(2, 3)
    assert not run_pass(NAME, ops.add(x, constant(3)), [x], disabled=KNOWN).is_match


def test_random_numbers_are_drawn_in_every_run() -> None:
    drawn = ops.random_uniform(ops.constant([2]), ops.constant(np.float32(0)), ops.constant(np.float32(1)), "f32")
    x = data(2)
    model = model_of(ops.add(x, drawn), [x])
    assert "RandomUniform" in rewrite(NAME, model, KNOWN).types()


def test_bodies_are_not_folded() -> None:
    branch = ops.parameter([3], np.float32)
    body = ov.Model([ops.result(ops.relu(branch))], [branch])
    node = ops.if_op(ops.constant(True))
    node.set_then_body(body)
    node.set_else_body(body.clone())
    source = constant(3)
    node.set_input(source.output(0), body.get_parameters()[0], node.get_function(1).get_parameters()[0])
    chosen = node.set_output(body.get_results()[0], node.get_function(1).get_results()[0])
    x = data(3)
    assert "If" in run_pass(NAME, ops.add(x, chosen), [x], disabled=KNOWN).types()


def test_constants_above_the_limit_are_not_computed_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    x = data(2, 3)
    total = ops.add(constant(2, 3), constant(2, 3))
    monkeypatch.setattr(import_module("ir_plugin.compiler.passes.constant_folding"), "FOLDED_BYTES", 20)
    assert run_pass(NAME, ops.add(x, total), [x], disabled=KNOWN).types() == ["Add", "Add"]


def test_an_op_that_fails_is_left_to_the_run_that_reports_it() -> None:
    x = data(1)
    quotient = ops.divide(ops.constant(np.array([1], np.int32)), ops.constant(np.array([0], np.int32)))
    model = model_of(ops.add(x, ops.convert(quotient, np.float32)), [x])
    assert "Divide" in rewrite(NAME, model, KNOWN).types()
    with pytest.raises(Error, match="divide"):
        compiled(model)([np.ones(1, np.float32)])


def test_an_op_that_fails_is_left_to_the_runs_of_all_plans_of_a_model() -> None:
    x = ops.parameter([-1], np.float32)
    quotient = ops.divide(ops.constant(np.array([1], np.int32)), ops.constant(np.array([0], np.int32)))
    model = compiled(model_of([ops.relu(x), ops.convert(quotient, np.float32)], [x]))
    for length in (1, 2, 1):
        with pytest.raises(Error, match="divide"):
            model([np.ones(length, np.float32)])
