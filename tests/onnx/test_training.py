"""The domain ai.onnx.preview.training: steps of optimizers are translated, derivatives are refused."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from onnx import helper

import ir_plugin as ov
from tests.onnx.models import model

DOMAIN = "ai.onnx.preview.training"


def test_a_derivative_is_refused() -> None:
    derivative = helper.make_node("Gradient", ["a", "b"], ["da"], name="node", domain=DOMAIN, xs=["a", "b"], y="t")
    nodes = [helper.make_node("Add", ["a", "b"], ["t"]), derivative]
    proto = model(nodes, {"a": (1, (2, 3)), "b": (1, (2, 3))}, ["t", "da"], 22, domains={DOMAIN: 1})
    with pytest.raises(ov.Error, match=r"the operator Gradient of the domain .* is not known in opset 1"):
        ov.Core().read_model(proto)
