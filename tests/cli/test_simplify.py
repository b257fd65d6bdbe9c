"""`simplify`: results stay equal, and no file becomes much larger by what is folded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.cli.app import app
from ir_plugin.openvino.passes.simplification import Simplification
from tests.support.changed import DIGITS


def called(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)


@pytest.mark.parametrize("name", ["light_shufflenet", "light_squeezenet", "light_resnet50"])
def test_models_of_onnx(name: str, tmp_path: Path) -> None:
    onnxruntime, onnx = pytest.importorskip("onnxruntime"), pytest.importorskip("onnx")
    data = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    path, out = data / f"{name}.onnx", tmp_path / "simple.onnx"
    document = json.loads(called("simplify", path, "-o", out, "--json").stdout)
    before, after = document["before"], document["after"]
    assert after["layers"] < before["layers"]
    assert after["file_bytes"] == out.stat().st_size < 4 * before["file_bytes"]
    onnx.checker.check_model(str(out), full_check=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    old, new = (onnxruntime.InferenceSession(file, options) for file in (path, out))
    assert [port.name for port in new.get_outputs()] == [port.name for port in old.get_outputs()]
    rng = np.random.default_rng(0)
    inputs = {port.name: rng.normal(size=port.shape).astype(np.float32) for port in new.get_inputs()}
    weights = {port.name: np.zeros(port.shape, np.float32) for port in old.get_inputs()}
    for expected, result in zip(old.run(None, weights | inputs), new.run(None, inputs), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


def test_an_ir_and_its_sizes(tmp_path: Path) -> None:
    parameter = ops.parameter([2, 8], np.float32, name="x")
    shape = ops.concat([ops.gather(ops.shape_of(parameter), [1], 0), ops.constant([2])], 0)
    reshaped = ops.reshape(ops.add(parameter, ops.constant(np.zeros(1, np.float32))), shape, False)
    total = ops.add(ops.exp(reshaped), ops.exp(reshaped), name="total")
    ov.serialize(ov.Model([total], [parameter], "m"), tmp_path / "m.xml")
    result = called("simplify", tmp_path / "m.xml", "-o", tmp_path / "s.xml")
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[0][:2] == ["layers", "constants"]
    assert [row[:3] for row in rows[1:]] == [["m.xml", "14", "4"], ["s.xml", "6", "1"]]
    array = np.arange(16, dtype=np.float32).reshape(2, 8) / 8
    before, after = (ov.compile_model(tmp_path / name)(array)[0] for name in ("m.xml", "s.xml"))
    np.testing.assert_array_equal(before, after)


def test_the_digits_stay_as_they_are(tmp_path: Path) -> None:
    document = json.loads(called("simplify", DIGITS, "-o", tmp_path / "s.xml", "--json").stdout)
    assert document["before"]["layers"] == document["after"]["layers"] == 25
    assert not ov.diff(DIGITS, tmp_path / "s.xml")


def test_constants_do_not_grow() -> None:
    parameter = ops.parameter([256, 256], np.float32)
    repeated = ops.reshape(ops.broadcast(ops.constant(np.float32(2)), [65536]), [256, 256], False)
    weight = ops.convert(ops.constant(np.ones((256, 256), np.int8)), "f32")
    transposed = ops.transpose(ops.constant(np.ones((256, 256), np.float32)), [1, 0])
    sums = [ops.add(parameter, value) for value in (repeated, weight, transposed)]
    model = ov.Model(sums, [parameter], "m")
    Simplification().run_on_model(model)
    types = [node.get_type_name() for node in model.get_ops()]
    assert {"Broadcast", "Convert"} <= set(types)
    assert "Transpose" not in types


def test_another_file_type_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ov.InputError, match=r"ends neither in \.xml nor in \.onnx"):
        called("simplify", DIGITS, "-o", tmp_path / "s.bin")


def test_an_opset_that_lacks_a_layer_gives_way_and_one_that_has_all_is_kept(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    for op, domain, expected in (("Relu", "", 11), ("GridSample", "com.microsoft", 21)):
        node = onnx.helper.make_node(op, ["x", "g"] if domain else ["x"], ["z"], domain=domain)
        shapes = {"x": [1, 1, 4, 4], "g": [1, 4, 4, 2], "z": [1, 1, 4, 4]}
        ends = [onnx.helper.make_tensor_value_info(name, 1, shape) for name, shape in shapes.items()]
        opsets = [onnx.helper.make_opsetid("", 11), onnx.helper.make_opsetid("com.microsoft", 1)]
        graph = onnx.helper.make_graph([node], "g", ends[:-1], ends[-1:])
        onnx.save(onnx.helper.make_model(graph, opset_imports=opsets), tmp_path / "old.onnx")
        called("simplify", tmp_path / "old.onnx", "-o", tmp_path / "new.onnx")
        assert onnx.load(tmp_path / "new.onnx").opset_import[0].version == expected
