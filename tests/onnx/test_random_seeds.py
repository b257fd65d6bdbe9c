"""Seeds of ONNX nodes: random numbers are those of OpenVINO for the same model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import openvino
from onnx import TensorProto, helper

import ir_plugin as ov
from ir_plugin import onnx_backend
from tests.onnx.models import model

DATA = np.log(np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.1, 0.1, 0.4]], np.float32))
CASES: dict[str, dict[str, Any]] = {
    "RandomUniform": {"shape": [7, 9], "low": 1.0, "high": 3.0},
    "RandomNormal": {"shape": [7, 9], "mean": 1.0, "scale": 3.0},
    "RandomUniformLike": {},
    "RandomNormalLike": {},
    "Multinomial": {"sample_size": 20, "dtype": TensorProto.INT64},
}


def seeded(type: str, **attributes: Any) -> Any:
    """Return a model of one node, which reads `x` where it has no shape."""
    inputs = [] if "shape" in attributes else ["x"]
    node = helper.make_node(type, inputs, ["y"], **attributes)
    return model([node], dict.fromkeys(inputs, (TensorProto.FLOAT, DATA.shape)), ["y"])


@pytest.mark.parametrize("seed", [3.0, 10.0, -2.5, 0.5, 1e9])
@pytest.mark.parametrize("type", CASES)
def test_a_seed_gives_the_numbers_of_openvino(type: str, seed: float) -> None:
    proto = seeded(type, seed=seed, **CASES[type])
    feeds = [] if "shape" in CASES[type] else [DATA]
    theirs = openvino.compile_model(openvino.Core().read_model(proto.SerializeToString()), "CPU")(feeds)[0]
    ours = ov.compile_model(proto)(feeds)[0]
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("type", CASES)
def test_a_seed_of_0_repeats_its_numbers(type: str) -> None:
    feeds = [] if "shape" in CASES[type] else [DATA]
    first, second = (onnx_backend.run_model(seeded(type, seed=0.0, **CASES[type]), feeds)[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)
