"""Aliases of Concat inputs, which their producers write straight into the output of the Concat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from tests.support.planned import PROVIDERS

RNG = np.random.default_rng(3)


def sources(shape: list[int]) -> tuple[Any, list[Any]]:
    x = ops.parameter(shape, np.float32, name="x")
    return x, [ops.exp(x), ops.tanh(x), ops.sigmoid(x)]


def nested(shape: list[int], axis: int) -> ov.Model:
    """Return a Concat of a Concat, whose inputs are read again behind both, one of them twice."""
    x, (a, b, c) = sources(shape)
    inner = ops.concat([a, b], axis)
    outer = ops.concat([inner, c, x, ops.negative(a)], axis)
    again = ops.multiply(ops.add(a, c), b)
    return ov.Model([ops.result(ops.multiply(outer, outer)), ops.result(ops.concat([again, a, a], axis))], [x])


def changed_in_place(shape: list[int], axis: int) -> ov.Model:
    """Return a Concat whose inputs and output could also be changed in place by their other readers."""
    x, (a, b, _) = sources(shape)
    joined = ops.concat([a, b], axis)
    root = ops.sqrt(a)
    return ov.Model([ops.result(ops.tanh(joined)), ops.result(ops.add(root, b))], [x])


def shared(shape: list[int], axis: int) -> ov.Model:
    """Return two Concats of the same values, one of which is a result."""
    x, (a, b, c) = sources(shape)
    first, second = ops.concat([a, b], axis), ops.concat([b, c, a], axis)
    return ov.Model([ops.result(first), ops.result(ops.abs(second)), ops.result(ops.add(c, c))], [x])


@pytest.mark.parametrize("build", [nested, changed_in_place, shared])
@pytest.mark.parametrize(("shape", "axis"), [([3, 4, 6], 0), ([1, 4, 6], 1), ([1, 1, 700], -1), ([2, 3, 5], 1)])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_concats(build: Any, shape: list[int], axis: int, provider: str, tmp_path: Path) -> None:
    ov.serialize(build(shape, axis), tmp_path / "m.xml")
    x = RNG.standard_normal(shape).astype(np.float32)
    plain = Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": False})([x])
    planned = Core().compile_model(tmp_path / "m.xml", config={"PROVIDER": provider})
    for _ in range(2):
        for index, output in enumerate(planned([x]).to_tuple()):
            np.testing.assert_allclose(output, plain[index], rtol=1e-5, atol=1e-6)


def test_inputs_are_aliases_in_the_outermost_output(tmp_path: Path) -> None:
    ov.serialize(nested([1, 4, 6], 1), tmp_path / "m.xml")
    compiled = Core().compile_model(tmp_path / "m.xml")
    plan = compiled.engine.plan(compiled.model, [port.tensor_info for port in compiled.model.inputs])
    aliased = {
        tuple(step.node.outputs[0].shape): step.op.aliased_inputs for step in plan.steps if step.op.type == "Concat"
    }
    assert aliased[(1, 8, 6)] == {0, 1}
    assert aliased[(1, 20, 6)] == {0, 1, 3}
