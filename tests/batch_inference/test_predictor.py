"""Predictors: pickled small, compiled once, cutting and joining batches, with errors before anything runs."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.tensors import Array


def two_inputs() -> ov.Model:
    """Return a model of a batch `x`, a batch `y` and a whole `scale`, with outputs `sum` and `largest`."""
    x, y = ops.parameter([-1, 3], np.float32, name="x"), ops.parameter([-1, 3], np.float32, name="y")
    scale = ops.parameter([3], np.float32, name="scale")
    total = ops.add(x, ops.multiply(y, scale))
    largest = ops.reduce_max(total, np.array([1]), keep_dims=False)
    total.output(0).set_names({"sum"})
    largest.output(0).set_names({"largest"})
    return ov.Model([total, largest], [x, y, scale], "two_inputs")


def fixed_batch(length: int) -> ov.Model:
    x = ops.parameter([length, 3], np.float32, name="x")
    return ov.Model([ops.relu(x)], [x], "fixed")


def doubled(arrays: dict[str, Any]) -> Mapping[str, Any]:
    return {name: array * np.float32(2) for name, array in arrays.items()}


def test_batches_are_cut_and_joined(digits: Path, images: Array, scores: Array) -> None:
    for batch_size in (None, 1, 7, 64, 1000):
        predictor = ov.Predictor(digits, {"INFERENCE_NUM_THREADS": 1}, batch_size=batch_size)
        (result,) = predictor(images).values()
        np.testing.assert_allclose(result, scores, rtol=1e-5, atol=1e-6)


def test_it_pickles_small_by_path_and_digest(digits: Path, images: Array, scores: Array) -> None:
    predictor = ov.Predictor(digits, batch_size=16)
    before = pickle.dumps(predictor)
    predictor(images)
    assert len(before) < 4096
    assert len(pickle.dumps(predictor)) < 4096
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for result in pool.map(predictor, [images, images]):
            np.testing.assert_allclose(next(iter(result.values())), scores, rtol=1e-4, atol=1e-5)


def test_a_model_in_memory_travels_by_value(images: Array, digits: Path) -> None:
    model = two_inputs()
    inputs = {"x": images[:5, 0, 0, :3], "y": images[:5, 0, 1, :3], "scale": np.ones(3, np.float32)}
    first = ov.Predictor(model)(inputs)
    again = pickle.loads(pickle.dumps(ov.Predictor(model)))(inputs)
    assert len(pickle.dumps(ov.Predictor(model))) < 4096
    assert list(first) == ["sum", "largest"]
    for name, array in first.items():
        np.testing.assert_array_equal(array, again[name])
    assert digits.is_file()


def test_models_pickle_by_value(images: Array, digits: Path) -> None:
    compiled = ov.Core().compile_model(digits)
    twin = pickle.loads(pickle.dumps(compiled))
    np.testing.assert_array_equal(twin(images)[0], compiled(images)[0])
    model = pickle.loads(pickle.dumps(compiled.model))
    assert [port.get_names() for port in model.inputs] == [port.get_names() for port in compiled.inputs]


def test_another_content_at_the_path_is_refused(digits: Path, tmp_path: Path, images: Array) -> None:
    for suffix in (".xml", ".bin"):
        shutil.copy(digits.with_suffix(suffix), tmp_path)
    data = pickle.dumps(ov.Predictor(tmp_path / "digits.xml"))
    weights = bytearray((tmp_path / "digits.bin").read_bytes())
    weights[0] ^= 1
    (tmp_path / "digits.bin").write_bytes(weights)
    with pytest.raises(ov.ReadError, match="is not the model that the predictor was made for"):
        pickle.loads(data)(images)
    (tmp_path / "digits.xml").unlink()
    with pytest.raises(ov.ReadError, match="on this machine; every worker needs it"):
        pickle.loads(data)(images)


def test_it_is_compiled_once(digits: Path, images: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []
    compile_model = ov.Core.compile_model

    def counted(*arguments: Any, **named: Any) -> ov.CompiledModel:
        compiled.append(1)
        return compile_model(*arguments, **named)

    monkeypatch.setattr(ov.Core, "compile_model", counted)
    config = {"INFERENCE_NUM_THREADS": 1, "PERF_COUNT": True}
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: ov.Predictor(digits, config)(images), range(8)))
    assert len(compiled) == 1
    for result in results:
        np.testing.assert_array_equal(next(iter(result.values())), next(iter(results[0].values())))


def test_a_fixed_batch_is_filled_up() -> None:
    rows = np.arange(-15, 15, dtype=np.float32).reshape(10, 3)
    for length in (1, 4, 5, 16):
        (result,) = ov.Predictor(fixed_batch(length))(rows).values()
        np.testing.assert_array_equal(result, np.maximum(rows, 0))


def test_no_rows() -> None:
    inputs = {"x": np.empty((0, 3), np.float32), "y": np.empty((0, 3), np.float32), "scale": np.ones(3, np.float32)}
    assert {name: array.shape for name, array in ov.Predictor(two_inputs())(inputs).items()} == {
        "sum": (0, 3), "largest": (0,),
    }  # fmt: skip


def test_preprocess_and_outputs() -> None:
    x, y = np.ones((5, 3), np.float32), np.zeros((5, 3), np.float32)
    predictor = ov.Predictor(fixed_batch(2), preprocess=doubled)
    np.testing.assert_array_equal(next(iter(predictor(x).values())), 2 * x)
    chosen = ov.Predictor(two_inputs(), outputs=["largest"])({"x": x, "y": y, "scale": np.ones(3, np.float32)})
    assert list(chosen) == ["largest"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": np.ones((5, 4), np.float32)}, r"input x has the shape \[5, 4\]; the model takes \[\?,3\]"),
        ({"x": np.ones((6, 3), np.float32)}, "the inputs differ in length along axis 0: x 6, y 5"),
        ({"x": np.ones(3, np.float32)}, "input x has the shape"),
        ({"x": np.array([["a"] * 3] * 5)}, "input x has the type <U1; the model takes float32"),
        ({"z": np.ones(1)}, "z"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_runs(change: dict[str, Array], message: str) -> None:
    inputs = {name: np.ones((5, 3), np.float32) for name in "xy"} | {"scale": np.ones(3, np.float32)}
    with pytest.raises(ov.InputError, match=message):
        ov.Predictor(two_inputs())(inputs | change)
    with pytest.raises(ov.InputError, match="missing inputs: y"):
        ov.Predictor(two_inputs())({"x": inputs["x"], "scale": inputs["scale"]})


def test_an_output_without_a_batch_is_refused() -> None:
    x = ops.parameter([-1, 3], np.float32, name="x")
    model = ov.Model([ops.reduce_sum(x, np.array([0, 1]), keep_dims=False)], [x], "total")
    with pytest.raises(ov.InputError, match="has no batch along axis 0"):
        ov.Predictor(model, batch_size=2)(np.ones((4, 3), np.float32))


def test_state_does_not_outlive_a_batch(images: Array) -> None:
    del images
    with pytest.raises(ov.InputError, match="there is no model"):
        ov.Predictor("missing.xml")
    with pytest.raises(ov.ArgumentValueError, match="batch_size is a number of rows"):
        ov.Predictor(fixed_batch(1), batch_size=0)
    with pytest.raises(ov.ArgumentTypeError, match="a path, a Model or a CompiledModel"):
        ov.Predictor(3)


def test_the_digest_covers_external_data_of_onnx(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    weights = onnx.numpy_helper.from_array(np.arange(300, dtype=np.float32).reshape(3, 100), "w")
    node = onnx.helper.make_node("MatMul", ["x", "w"], ["y"])
    ports = [onnx.helper.make_tensor_value_info(name, 1, [None, size]) for name, size in (("x", 3), ("y", 100))]
    proto = onnx.helper.make_model(onnx.helper.make_graph([node], "g", ports[:1], ports[1:], [weights]))
    path = tmp_path / "model.onnx"
    onnx.save(proto, path, save_as_external_data=True, location="weights.data", size_threshold=0)
    rows = np.eye(3, dtype=np.float32)
    predictor = ov.Predictor(path)
    np.testing.assert_array_equal(predictor(rows)["y"], np.arange(300).reshape(3, 100))
    pickled, digest = pickle.dumps(predictor), predictor.digest
    changed = np.fromfile(tmp_path / "weights.data", np.float32) + 1
    changed.tofile(tmp_path / "weights.data")
    assert ov.Predictor(path).digest != digest
    with pytest.raises(ov.ReadError, match="digest differs"):
        pickle.loads(pickled)(rows)
    (tmp_path / "weights.data").unlink()
    with pytest.raises(ov.ReadError, match="external data"):
        ov.Predictor(path)(rows)


def test_a_digest_does_not_depend_on_where_an_operation_is_defined() -> None:
    def model() -> ov.Model:
        class Twice(ov.Op):
            def __init__(self, inputs: Any = None) -> None:
                super().__init__(self, inputs)

            def validate_and_infer_types(self) -> None:
                self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))

            def evaluate(self, outputs: Any, inputs: Any) -> bool:
                outputs[0].data[:] = 2 * inputs[0].data
                return True

        x = ops.parameter([-1, 3], np.float32, name="x")
        result = ops.result(Twice([x]))
        for number, node in enumerate((x, result, result.input_value(0).get_node())):
            node.set_friendly_name(str(number))
        return ov.Model([result], [x], "twice")

    first, second = ov.Predictor(model()), ov.Predictor(model())
    assert first.digest == second.digest != ov.Predictor(two_inputs()).digest
    (result,) = first(np.ones((2, 3), np.float32)).values()
    assert result.tolist() == [[2.0] * 3] * 2
