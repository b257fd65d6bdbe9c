"""Powers of 2 that become products."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset8 as ops

from ir_plugin import Core
from ir_plugin.compiler.plan import make_plan
from ir_plugin.tensors import Array
from tests.support.passes import constant, data, model_of, number, run_pass, unknown_shape


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(2, 3)
    return model_of(ops.power(x, number(2)), [x])


@pytest.mark.parametrize(
    ("exponent", "is_product"),
    [
        (np.float32(2), True),
        (np.full((1, 1, 1), 2, np.float32), True),
        (np.float32(3), False),
        (np.full((2, 2, 3), 2, np.float32), False),
        (np.full((4, 1, 1, 1), 2, np.float32), False),
        (np.full((1, 1, 1, 1), 2, np.float32), False),
    ],
)
def test_which_powers_are_products(exponent: Array, is_product: bool, tmp_path: Path) -> None:
    x = ops.parameter([2, 2, 3], np.float32)
    made = ops.power(ops.relu(x), ops.constant(exponent))
    both = ops.add(ops.multiply(made, x), ops.power(x, ops.constant(exponent)))
    ov.save_model(ov.Model([ops.result(both), ops.result(made)], [x], "m"), tmp_path / "m.xml", False)
    model = Core().read_model(tmp_path / "m.xml")
    plan = make_plan(model, {node: node.operation.infer() for node in model.parameters}, 2**30)
    types = [step.op.type for step in plan.steps]
    types += [post.operation.type for step in plan.steps for post in step.op.epilogue]
    assert types.count("Power") == (0 if is_product else 2)
    data = np.array([[[-2, 0, np.inf], [np.nan, 1e30, 3]], [[1, 2, -0.0], [4, -1e-30, -np.inf]]], np.float32)
    plain = Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": False})([data])
    planned = Core().compile_model(tmp_path / "m.xml")([data])
    for right, mine in zip(plain.to_tuple(), planned.to_tuple(), strict=True):
        np.testing.assert_array_equal(mine, right)


@pytest.mark.parametrize(("type", "is_match"), [(np.float32, True), (np.float64, True), (np.int32, False)])
def test_types_of_which_the_rounding_is_the_same(type: Any, is_match: bool) -> None:
    x = ops.parameter([2, 3], type)
    change = run_pass("power_to_multiply", ops.power(x, ops.constant(type(2))), [x], [np.full((2, 3), 3, type)])
    assert change.types() == (["Multiply"] if is_match else ["Power"])


def test_the_base_is_no_constant() -> None:
    x = data(2, 3)
    y = ops.add(x, ops.power(constant(2, 3), ops.constant(np.float32(2))))
    disabled = ("known_value_folding", "constant_folding")
    assert not run_pass("power_to_multiply", y, [x], disabled=disabled).is_match


def test_exponents_and_shapes_of_the_run_stay() -> None:
    x, exponent = data(2, 3), data()
    assert not run_pass("power_to_multiply", ops.power(ops.abs(x), exponent), [x, exponent]).is_match
    squares = ops.power(unknown_shape(x), ops.constant(np.float32(2)))
    assert not run_pass("power_to_multiply", squares, [x]).is_match
