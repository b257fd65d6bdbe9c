"""Powers of 2 that become products."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
import pytest
from openvino import opset8 as ops

from ir_plugin import Core
from ir_plugin.compiler.plan import make_plan
from ir_plugin.tensors import Array


@pytest.mark.parametrize(
    ("exponent", "is_product"),
    [
        (np.float32(2), True),
        (np.full((1, 1, 1), 2, np.float32), True),
        (np.float32(3), False),
        (np.full((2, 2, 3), 2, np.float32), False),
        (np.full((4, 1, 1, 1), 2, np.float32), False),
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
