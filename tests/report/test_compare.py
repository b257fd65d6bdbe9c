"""`compare`: names the layer whose weight was changed, whatever it is compared with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin
from ir_plugin.report.dump import dump
from ir_plugin.report.measures import Tolerance, measure
from ir_plugin.report.store import load_arrays, save_arrays
from tests.support.changed import DIGITS, change_weight, transformer

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module", params=["digits", "transformer"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "digits":
        return DIGITS, change_weight(DIGITS, "conv2/weight", 77, 0.5, folder / "changed.xml"), "conv2"
    model = transformer(folder / "model.xml")
    return model, change_weight(model, "wide/weight", 100, 0.5, folder / "changed.xml"), "wide"


@pytest.mark.parametrize("fed", [False, True])
def test_a_changed_weight_against_openvino(case: tuple[Path, Path, str], fed: bool) -> None:
    model, changed, layer = case
    assert ir_plugin.compare(model, "openvino", fed=fed).agrees
    comparison = ir_plugin.compare(changed, "openvino", of=model, fed=fed)
    assert [output.name for output in comparison.culprits] == [layer]
    assert comparison.first is not None
    assert comparison.first.name == layer
    assert [constant.name for constant in comparison.first.constants] == [f"{layer}/weight"]
    assert sum(not output.agrees for output in comparison) == 1 if fed else len(comparison) > 1


@pytest.mark.parametrize("fed", [False, True])
def test_a_changed_weight_against_an_npz(case: tuple[Path, Path, str], fed: bool, tmp_path: Path) -> None:
    model, changed, layer = case
    save_arrays(tmp_path / "run.npz", dump(ir_plugin.compile_model(model), seed=7).arrays)
    assert ir_plugin.compare(model, tmp_path / "run.npz", fed=fed).agrees
    comparison = ir_plugin.compare(changed, tmp_path / "run.npz", fed=fed)
    assert [output.name for output in comparison.culprits] == [layer]
    assert not comparison.unmatched


@pytest.mark.parametrize("fed", [False, True])
def test_a_changed_weight_against_another_model(case: tuple[Path, Path, str], fed: bool) -> None:
    model, changed, layer = case
    for reference in (model, ir_plugin.read_model(model)):
        comparison = ir_plugin.compare(changed, reference, fed=fed)
        assert [output.name for output in comparison.culprits] == [layer]


def test_a_model_that_was_read_against_openvino() -> None:
    assert ir_plugin.compare(ir_plugin.read_model(DIGITS), "openvino").agrees


def test_against_onnxruntime(tmp_path: Path) -> None:
    import openvino as ov
    from onnx import TensorProto, helper, numpy_helper, save_model

    weight = np.random.default_rng(0).standard_normal((3, 5)).astype(np.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["product"]), helper.make_node("Tanh", ["product"], ["y"])]
    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", [2, 3]), ("y", [2, 5]))
    ]
    graph = helper.make_graph(nodes, "g", [values[0]], [values[1]], [numpy_helper.from_array(weight, "w")])
    save_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    ov.save_model(ov.Core().read_model(tmp_path / "m.onnx"), tmp_path / "m.xml", compress_to_fp16=False)
    comparison = ir_plugin.compare(tmp_path / "m.xml", "onnxruntime", of=tmp_path / "m.onnx")
    assert comparison.agrees
    assert len(comparison) == 2
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"not onnx")
    with pytest.raises(ir_plugin.Error, match="cannot be read as ONNX"):
        ir_plugin.compare(tmp_path / "m.xml", broken)


def test_arrays_and_shapes_that_differ() -> None:
    images = np.random.default_rng(0).standard_normal((2, 1, 8, 8)).astype(np.float32)
    run = ir_plugin.compile_model(DIGITS).intermediates([images])
    arrays = {"images": images, "conv1": run["conv1"], "pool": np.zeros((1, 2)), "softmax": run["softmax"]}
    comparison = ir_plugin.compare(DIGITS, arrays)
    assert [output.name for output in comparison] == ["conv1", "pool", "softmax"]
    assert [output.agrees for output in comparison] == [True, False, True]
    assert comparison["pool"].measures is None
    assert comparison.first is not None
    assert comparison.first.is_culprit
    assert "has the shape 2x32x4x4, there 1x2" in str(comparison)
    assert len(comparison.unmatched) == 11


def test_layers_that_are_not_compared_are_named(tmp_path: Path) -> None:
    changed = change_weight(DIGITS, "conv2/weight", 77, 0.5, tmp_path / "changed.xml")
    run = dump(ir_plugin.compile_model(DIGITS)).arrays
    comparison = ir_plugin.compare(changed, {name: run[name] for name in ("images", "conv1/relu", "pool", "softmax")})
    assert comparison.first is not None
    assert (comparison.first.name, comparison.first.through) == ("pool", ("conv2", "conv2/add", "conv2/relu"))
    assert 'not compared: "conv2", "conv2/add", "conv2/relu"' in str(comparison)


def test_nothing_to_compare() -> None:
    comparison = ir_plugin.compare(DIGITS, {"nothing": np.zeros(1)})
    assert "nothing to compare" in str(comparison)
    assert "nothing to compare" in repr(comparison)
    assert not comparison.agrees


def test_what_is_no_reference() -> None:
    with pytest.raises(ir_plugin.InputError, match='did you mean "openvino"'):
        ir_plugin.compare(DIGITS, "openvin")
    with pytest.raises(ir_plugin.InputError, match="--onnx"):
        ir_plugin.compare(DIGITS, "onnxruntime")


def test_renderings_escape_names(tmp_path: Path) -> None:
    text = DIGITS.read_text().replace('name="conv2"', 'name="&lt;/script>&lt;b>&#x202e;x"')
    (tmp_path / "m.xml").write_text(text)
    (tmp_path / "m.bin").write_bytes(DIGITS.with_suffix(".bin").read_bytes())
    comparison = ir_plugin.compare(tmp_path / "m.xml", tmp_path / "m.xml")
    html = comparison.to_html()
    assert "</script><b>" not in html
    assert "\u202e" not in html + str(comparison)
    assert json.loads(comparison.to_json())["agrees"] is True
    cell = comparison._repr_html_()
    assert cell.removesuffix("</div>").partition("</style>")[2] in html
    for name in ("--bad:", "--badback:", "--good:", ".bad b", "tr.bad td"):
        assert name in cell.partition("</style>")[0]


@pytest.mark.parametrize(
    ("mine", "theirs", "over", "worst"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0, (0,)),
        ([1.0, 2.1], [1.0, 2.0], 1, (1,)),
        ([np.nan, 2.0], [np.nan, 2.0], 0, (0,)),
        ([np.nan, 2.0], [1.0, 2.0], 1, (0,)),
        ([1.0, np.inf], [1.0, np.inf], 0, (0,)),
        ([1.0, np.inf], [1.0, -np.inf], 1, (1,)),
        ([1.0, 5.0], [1.0, np.inf], 1, (1,)),
    ],
)
def test_measures(mine: list[float], theirs: list[float], over: int, worst: tuple[int, ...]) -> None:
    measures = measure(np.array(mine, np.float32), np.array(theirs, np.float32), Tolerance())
    assert (measures.over, measures.worst) == (over, worst)


def test_measures_of_other_types() -> None:
    big = np.array([2**62, 2**62 + 1])
    assert measure(big, big[[1, 1]], Tolerance()).over == 1
    texts = np.array(["a", "b"], object)
    assert measure(texts, texts[::-1], Tolerance()).over == 2
    assert measure(np.array([True]), np.array([False]), Tolerance()).over == 1
    assert measure(np.array(1.0), np.array(2.0), Tolerance()).worst == ()
    assert measure(np.zeros((0, 2)), np.zeros((0, 2)), Tolerance()).over == 0
    bf16 = ir_plugin.Type.bf16.dtype
    assert measure(np.array([1.0], bf16), np.array([1.0078125], bf16), Tolerance()).over == 0


def test_any_text_may_name_an_array(tmp_path: Path) -> None:
    arrays = {
        "file": np.arange(2),
        "a/b.npy": np.array(["x"], object),
        "loop[1]/x": np.ones(1, ir_plugin.Type.bf16.dtype),
    }
    save_arrays(tmp_path / "a.npz", arrays)
    assert set(load_arrays(tmp_path / "a.npz")) == set(arrays)


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize(("element", "by", "shown"), [(77, 1e-7, ""), (3, 1e-4, "0.0001")])
def test_a_constant_that_differs_behind_what_agrees_is_named(
    element: int, by: float, shown: str, fed: bool, tmp_path: Path
) -> None:
    changed = change_weight(DIGITS, "conv2/weight", element, by, tmp_path / "changed.xml")
    comparison = ir_plugin.compare(changed, DIGITS, fed=fed)
    assert comparison.agrees
    assert f'constants that differ upstream of outputs that agree: "conv2/weight" of "conv2" by {shown}' in str(
        comparison
    )
    assert "constants that differ" not in str(ir_plugin.compare(DIGITS, DIGITS))


@pytest.mark.parametrize("seed", [-1, 0.5, "1", 2**200])
def test_a_seed_that_is_none(seed: Any) -> None:
    with pytest.raises(ir_plugin.InputError, match="the seed has to be a whole number from 0 on"):
        ir_plugin.compare(DIGITS, DIGITS, seed=seed)
