"""Whole models: onnx's light ones and trained ones from PyPI packages, converted by OpenVINO, run by both."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.numpy_helper
import openvino as ov
import pytest

from ir_plugin import Core
from ir_plugin.tensors import Array, ElementType
from tests.models.wheels import MODELS, Carried, file_of

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
LIGHT_MODELS = ["squeezenet", "resnet50", "densenet121", "inception_v1", "inception_v2", "shufflenet"]
WAYS = {
    "serialize": ov.serialize,
    "save_model": lambda model, path: ov.save_model(model, path, compress_to_fp16=False),
    "save_model f16": ov.save_model,
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    shutil.rmtree(tmp_path)


def check(path: Path, inputs: list[Array], tolerance: float) -> None:
    """Validate an IR without findings, infer OpenVINO's shapes, and compute OpenVINO's results."""
    core, reference = Core(), ov.Core()
    assert [finding.message for finding in core.validate(path).findings] == []
    model, judge = core.read_model(path), reference.read_model(path)
    shapes = [str(port.partial_shape) for port in model.outputs]
    assert shapes == [str(port.get_partial_shape()) for port in judge.outputs]
    found = core.compile_model(model)(inputs).to_tuple()
    wanted = reference.compile_model(judge, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(inputs).to_tuple()
    assert len(found) == len(wanted)
    for mine, right in zip(found, wanted, strict=True):
        scale = max(float(np.abs(right).max()), 1e-3) if right.size else 1.0
        np.testing.assert_allclose(mine, right, rtol=tolerance, atol=tolerance * scale)


def randomized(model: Any) -> Any:
    """Give a light model random weights; all of its own are 0.02, so that results hang on the order of summation."""
    rng = np.random.default_rng(3)
    shapes = {made.name: onnx.numpy_helper.to_array(made) for made in model.graph.initializer}
    inputs = {name: node for node in model.graph.node for name in node.input}
    for node in [node for node in model.graph.node if node.op_type == "ConstantOfShape"]:
        shape, user = shapes[node.input[0]], inputs[node.output[0]]
        values = rng.standard_normal(shape) * np.sqrt(2 / max(np.prod(shape[1:]), 1))
        if user.op_type == "BatchNormalization":
            values = rng.uniform(0.5, 1.5, shape) if node.output[0] != user.input[2] else rng.normal(0, 0.1, shape)
        model.graph.node.remove(node)
        model.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32), node.output[0]))
    return model


LIGHT_RUNS = [(name, way) for name in LIGHT_MODELS[:2] for way in WAYS]
LIGHT_RUNS += [(name, "save_model f16") for name in LIGHT_MODELS[2:]]
"""The models, and how each is saved: the first two in all ways."""


@pytest.mark.parametrize(("name", "way"), LIGHT_RUNS)
def test_light_model(name: str, way: str, folder: Path) -> None:
    onnx.save(randomized(onnx.load(LIGHT / f"light_{name}.onnx")), folder / "model.onnx")
    model = ov.Core().read_model(folder / "model.onnx")
    WAYS[way](model, folder / "model.xml")
    images = np.random.default_rng(0).standard_normal([1, 3, 224, 224]).astype(np.float32)
    check(folder / "model.xml", [images], 1e-4)


@pytest.mark.parametrize("carried", MODELS, ids=lambda carried: carried.name)
def test_trained_model(carried: Carried, folder: Path) -> None:
    file = file_of(carried)
    model = ov.Core().read_model(file)
    ov.save_model(model, folder / "model.xml")
    check(folder / "model.xml", [_input(port, carried) for port in model.inputs], 1e-3)


def _input(port: Any, carried: Carried) -> Array:
    rng = np.random.default_rng(1)
    name = next(name for name in port.get_names() if name in carried.shapes)
    shape, dtype = carried.shapes[name], ElementType(port.get_element_type().to_string()).dtype
    if name == "sr":
        return np.array(16000, dtype)
    if dtype.kind in "iu":
        return rng.integers(0, 256, shape).astype(dtype)
    return (rng.standard_normal(shape) * 0.5).astype(dtype)
