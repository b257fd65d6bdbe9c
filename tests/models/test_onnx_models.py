"""ONNX models read directly: trained ones from PyPI packages against onnxruntime, onnx's light ones, large weights."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")
pytest.importorskip("onnxruntime", reason="the extra [test]")

import onnx
import onnxruntime

import ir_plugin as ov
from ir_plugin.tensors import Array, ElementType
from tests.models.test_models import LIGHT, LIGHT_MODELS, randomized
from tests.models.wheels import MODELS, Carried, file_of
from tests.support.memory import STATUS

TOLERANCE = 1e-3


def runtime(path: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def assert_agree(found: Any, expected: Any) -> None:
    assert len(found) == len(expected)
    for mine, right in zip(found, expected, strict=True):
        scale = max(float(np.abs(right).max()), 1e-3) if right.size else 1.0
        np.testing.assert_allclose(mine, right, rtol=TOLERANCE, atol=TOLERANCE * scale)


def values(carried: Carried, session: Any) -> dict[str, Array]:
    rng = np.random.default_rng(1)
    arrays: dict[str, Array] = {}
    for value in session.get_inputs():
        dtype = {"tensor(float)": "f32", "tensor(int64)": "i64", "tensor(int32)": "i32"}[value.type]
        shape = carried.shapes[value.name]
        if value.name == "sr":
            arrays[value.name] = np.array(16000, np.int64)
        elif dtype != "f32":
            arrays[value.name] = rng.integers(0, 256, shape).astype(ElementType(dtype).dtype)
        else:
            arrays[value.name] = (rng.standard_normal(shape) * 0.5).astype(np.float32)
    return arrays


@pytest.mark.parametrize("carried", MODELS, ids=lambda carried: carried.name)
def test_a_trained_model_agrees_with_onnxruntime(carried: Carried, tmp_path: Path) -> None:
    file = file_of(carried)
    session = runtime(file)
    inputs = values(carried, session)
    expected = session.run(None, inputs)
    assert [str(finding.message) for finding in ov.Core().validate(file).findings.errors] == []
    compiled = ov.compile_model(file)
    assert_agree(compiled(inputs).to_tuple(), expected)
    ov.save_model(ov.convert_model(file), tmp_path / "model.xml", compress_to_fp16=False)
    assert_agree(ov.compile_model(tmp_path / "model.xml")(inputs).to_tuple(), expected)
    openvino = pytest.importorskip("openvino")
    judge = openvino.Core().read_model(tmp_path / "model.xml")
    assert [port.get_names() for port in judge.outputs] == [
        port.get_names() for port in openvino.Core().read_model(file).outputs
    ]
    theirs = openvino.compile_model(judge, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(inputs)
    assert_agree(theirs.to_tuple(), expected)


@pytest.mark.parametrize("name", LIGHT_MODELS)
def test_a_light_model_is_converted_as_openvino_reads_it(name: str, tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino")
    onnx.save(randomized(onnx.load(LIGHT / f"light_{name}.onnx")), tmp_path / "model.onnx")
    ov.save_model(ov.convert_model(tmp_path / "model.onnx"), tmp_path / "model.xml", compress_to_fp16=False)
    image = np.random.default_rng(0).standard_normal([1, 3, 224, 224]).astype(np.float32)
    core, exact = openvino.Core(), {"INFERENCE_PRECISION_HINT": "f32"}
    mine, theirs = (core.compile_model(core.read_model(tmp_path / file), "CPU", exact) for file in
                    ("model.xml", "model.onnx"))  # fmt: skip
    assert [port.get_names() for port in mine.inputs] == [port.get_names() for port in theirs.inputs]
    assert [port.get_names() for port in mine.outputs] == [port.get_names() for port in theirs.outputs]
    assert_agree(mine([image]).to_tuple(), theirs([image]).to_tuple())
    assert_agree(ov.compile_model(tmp_path / "model.onnx")([image]).to_tuple(), theirs([image]).to_tuple())


_MEASURE = (
    STATUS
    + """
import sys
import numpy as np
import ir_plugin as ov
before, anonymous = status("VmHWM"), status("RssAnon")
compiled = ov.Core().compile_model(sys.argv[1], config={"OPTIMIZE": False})
compiled([np.ones((1, 5120), np.float32)])
print(status("VmHWM") - before, status("RssAnon") - anonymous)
"""
)


def test_external_weights_are_mapped(tmp_path: Path) -> None:
    """Peak memory of reading and one run stays below 1.2 times the size of the weights, nearly all of it the file's."""
    from onnx import helper, numpy_helper

    weights = np.random.default_rng(0).standard_normal((5120, 5120), np.float32)
    names = ["w0", "w1", "w2"]
    nodes = [helper.make_node("MatMul", ["x" if i == 0 else f"h{i}", name], [f"h{i + 1}"]) for i, name in
             enumerate(names)]  # fmt: skip
    graph = helper.make_graph(
        nodes, "large", [helper.make_tensor_value_info("x", 1, [1, 5120])],
        [helper.make_tensor_value_info("h3", 1, [1, 5120])], [numpy_helper.from_array(weights, name) for name in names],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    onnx.save(model, tmp_path / "large.onnx", save_as_external_data=True, location="large.data", size_threshold=0)
    size = (tmp_path / "large.data").stat().st_size
    assert size > 300e6
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(tmp_path / "large.onnx")], capture_output=True, text=True, check=True
    )
    peak, anonymous = map(int, done.stdout.split())
    assert 0 < peak < 1.2 * size
    assert anonymous < 0.2 * size
