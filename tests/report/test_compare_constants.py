"""`compare` with constants that are stored in f16: what rounding explains is no layer's fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, save_model

import ir_plugin
from ir_plugin.executor import Planned
from ir_plugin.report.compare import compare
from tests.report.test_compare_inside import saved

REFERENCES = ["net.onnx", "onnxruntime", "full.xml", "openvino"]
LAST_FUSED = {"conv": "relu", "product": "y"}
"""The last layers of the steps that compute these in a plan."""


def write(folder: Path, name: str = "net.onnx", wrong: str = "") -> Path:
    """Write a network whose sums cancel, so that the rounding of its weights is over the tolerance."""
    random = np.random.default_rng(3)
    shapes = {"w1": (4, 3, 3, 3), "b1": (4,), "w2": (6, 224), "b2": (6,), "w3": (6, 5), "b3": (5,)}
    arrays = {key: random.standard_normal(shape).astype(np.float32) for key, shape in shapes.items()}
    arrays |= {"begin": np.array([1]), "end": np.array([8]), "axis": np.array([2])}
    if wrong:
        arrays[wrong].flat[1] += 2
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"], "relu"),
        helper.make_node("Slice", ["r", "begin", "end", "axis"], ["s"], "slice"),
        helper.make_node("Flatten", ["s"], ["f"], "flat"),
        helper.make_node("Gemm", ["f", "w2", "b2"], ["g"], "gemm", transB=1),
        helper.make_node("MatMul", ["g", "w3"], ["m"], "product"),
        helper.make_node("Add", ["m", "b3"], ["y"], "add"),
    ]
    ends = [
        helper.make_tensor_value_info(key, TensorProto.FLOAT, shape)
        for key, shape in (("x", [1, 3, 8, 8]), ("y", [1, 5]))
    ]
    stored = [numpy_helper.from_array(array, key) for key, array in arrays.items()]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], stored)
    save_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / name)
    return folder / name


@pytest.fixture
def half(tmp_path: Path) -> Path:
    """Return the network as an IR with f16 weights, beside its ONNX model and an IR with f32 weights."""
    model = ir_plugin.read_model(write(tmp_path))
    ir_plugin.save_model(model, tmp_path / "full.xml", compress_to_fp16=False)
    ir_plugin.save_model(model, tmp_path / "half.xml")
    return tmp_path / "half.xml"


def against(model: Path, reference: str, **settings: Any) -> Any:
    path = model.parent / reference
    of = {"onnxruntime": model.parent / "net.onnx", "openvino": model.parent / "full.xml"}.get(reference)
    return compare(model, path if path.exists() else reference, of=of, rtol=1e-5, atol=1e-5, **settings)


@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize("reference", REFERENCES)
def test_the_rounding_of_weights_is_no_fault_of_a_layer(half: Path, reference: str, fed: bool, planned: bool) -> None:
    comparison = against(half, reference, fed=fed, planned=planned)
    assert not comparison.agrees
    assert comparison.culprits == ()
    assert {constant.rounded_to for constant in comparison.constants} == {"f16"}
    assert len(comparison.constants) == 6
    assert "constants differ from the reference's only by what f16 rounds off" in str(comparison)
    assert "the layer is right, the rounding adds up" in str(comparison)
    assert not {"w1", "b1", "w2", "b2", "w3", "b3"} & {*comparison.unmatched, *(entry.name for entry in comparison)}


@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize(("weight", "layer"), [("w1", "conv"), ("w2", "gemm"), ("w3", "product")])
def test_a_wrong_weight_among_rounded_ones_is_found(
    half: Path, reference: str, weight: str, layer: str, planned: bool
) -> None:
    model = ir_plugin.read_model(write(half.parent, "wrong.onnx", weight))
    ir_plugin.save_model(model, half.parent / "wrong.xml")
    comparison = against(half.parent / "wrong.xml", reference, planned=planned)
    step = LAST_FUSED.get(layer, layer) if planned else layer
    assert [entry.name for entry in comparison.culprits] == [step]
    assert comparison.first.name == step
    assert f'its inputs agree, but its constants differ: "{weight}" by 2' in str(comparison)
    assert "5 of 9 constants differ from the reference's only by what f16 rounds off" in str(comparison)


@pytest.mark.parametrize(("planned", "layer"), [(False, "product"), (True, "y")])
def test_a_wrong_layer_among_rounded_weights_is_found(half: Path, planned: bool, layer: str) -> None:
    compiled = ir_plugin.compile_model(half.parent / "full.xml", config={"OPTIMIZE": False})
    inputs = [np.random.default_rng(0).standard_normal((1, 3, 8, 8)).astype(np.float32)]
    run = dict(compiled.intermediates(inputs, layers="*"))
    settings: dict[str, Any] = {"rtol": 1e-5, "atol": 1e-5, "planned": planned}
    assert compare(half, run, inputs, **settings).culprits == ()
    run[layer] = run[layer] + np.float32(1)
    assert [entry.name for entry in compare(half, run, inputs, **settings).culprits][:1] == [layer]


def test_a_wrong_kernel_among_rounded_weights_is_found(half: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Planned.steps

    def wrong(*arguments: Any) -> Any:
        for step in steps(*arguments):
            if step.layer.name == "gemm":
                step.outputs[0] = step.outputs[0] * np.float32(0.999)
            yield step

    monkeypatch.setattr(Planned, "steps", wrong)
    assert [entry.name for entry in against(half, "full.xml", planned=True).culprits] == ["gemm"]


def test_a_layer_that_moves_values_magnifies_nothing(tmp_path: Path) -> None:
    """The tolerance grows with the largest value, which the part of a tensor need not have."""
    from openvino import opset13 as op

    data = op.parameter([4], np.float32, name="data")
    twice = op.multiply(data, np.float32(2), name="twice")
    part = op.slice(twice, [0], [3], [1], name="part")
    path = saved([op.result(op.relu(part, name="last"))], [data], tmp_path)
    inputs = np.array([1, 2, 3, 5e4], np.float32)
    run = {"twice": inputs * 2 + np.float32(0.5), "part": inputs[:3] * 2 + np.float32(0.5)}
    comparison = compare(path, run | {"last": run["part"]}, [inputs])
    assert comparison.agrees
    assert not any(entry.magnifies for entry in comparison)
    wrong = compare(path, run | {"part": run["part"][::-1]}, [inputs])
    assert [entry.name for entry in wrong.culprits] == ["part"]
