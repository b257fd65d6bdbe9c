"""The domain ai.onnx.preview.training: derivatives held against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from onnx import helper

import ir_plugin as ov
from ir_plugin import onnx_backend
from tests.onnx.models import model

DOMAIN = "ai.onnx.preview.training"
RANDOM = np.random.RandomState(1)
A, B = (RANDOM.uniform(0.5, 2, size=(2, 3)) for _ in range(2))
ROW, SQUARE = RANDOM.uniform(0.5, 2, size=(3,)), RANDOM.uniform(0.5, 2, size=(3, 3))

Nodes = list[tuple[str, list[str]]]
CHAINS: list[tuple[Nodes, list[Any]]] = [
    ([("Add", ["a", "b"]), ("Mul", ["t0", "a"])], [A, B]),
    ([("Sub", ["a", "b"]), ("Div", ["t0", "b"])], [A, ROW]),
    ([("Exp", ["a"]), ("Log", ["b"]), ("Pow", ["t0", "t1"])], [A, B]),
    ([("MatMul", ["a", "b"]), ("Tanh", ["t0"])], [A, SQUARE]),
    ([("Sigmoid", ["a"]), ("Sqrt", ["b"]), ("Mul", ["t0", "t1"]), ("Neg", ["t2"])], [A, ROW]),
    ([("Sub", ["a", "b"]), ("Relu", ["t0"]), ("Identity", ["t1"])], [A, B]),
]


def of_chain(nodes: Nodes, inputs: list[Any], **attributes: Any) -> Any:
    protos = [helper.make_node(type, names, [f"t{n}"]) for n, (type, names) in enumerate(nodes)]
    last = f"t{len(nodes) - 1}"
    attributes = {"xs": ["a", "b"], "y": last} | attributes
    protos.append(helper.make_node("Gradient", ["a", "b"], ["da", "db"], name="node", domain=DOMAIN, **attributes))
    ports = {name: (11, value.shape) for name, value in zip("ab", inputs, strict=True)}
    return model(protos, ports, [last, "da", "db"], 22, domains={DOMAIN: 1})


@pytest.mark.parametrize(("nodes", "inputs"), CHAINS, ids=lambda value: value[0][0] if value else "")
def test_derivatives_are_those_of_differences(nodes: Nodes, inputs: list[Any]) -> None:
    prepared = onnx_backend.prepare(of_chain(nodes, inputs))
    _, *gradients = prepared.run(inputs)
    step = 1e-6
    for position, gradient in enumerate(gradients):
        assert gradient.shape == inputs[position].shape
        for index in np.ndindex(gradient.shape):
            ends = []
            for sign in (1, -1):
                moved = [value.copy() for value in inputs]
                moved[position][index] += sign * step
                ends.append(prepared.run(moved)[0].sum())
            np.testing.assert_allclose(gradient[index], (ends[0] - ends[1]) / (2 * step), rtol=1e-4, atol=1e-6)


def test_a_value_without_influence_has_zeros() -> None:
    gradients = onnx_backend.run_model(of_chain([("Neg", ["a"])], [A, B]), [A, B])[1:]
    np.testing.assert_array_equal(gradients, [-np.ones_like(A), np.zeros_like(B)])


def test_derivatives_that_are_not_known_are_refused() -> None:
    with pytest.raises(ov.Error, match="the derivative of Cos is not known"):
        ov.Core().read_model(of_chain([("Cos", ["a"])], [A, B]))
    with pytest.raises(ov.Error, match="its inputs are other values"):
        ov.Core().read_model(of_chain([("Add", ["a", "b"])], [A, B], xs=["b", "a"]))
