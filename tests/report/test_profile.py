"""A profile shows the kernels that a model's later inferences run: of its plan and of its bodies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
from openvino import opset13 as ops

import ir_plugin
from ir_plugin import CompiledModel, Core
from ir_plugin.report.profile import profile

WEIGHTS = np.random.default_rng(0).standard_normal((8, 3, 3, 3)).astype(np.float32)
IMAGE = np.ones((1, 3, 16, 16), np.float32)


def convolved(data: Any) -> Any:
    convolution = ops.convolution(data, ops.constant(WEIGHTS), [1, 1], [1, 1], [1, 1], [1, 1])
    return ops.relu(ops.add(convolution, ops.constant(np.ones((1, 8, 1, 1), np.float32))))


def compiled(folder: Path, shape: list[int]) -> CompiledModel:
    data = ops.parameter(shape, np.float32, name="data")
    ov.save_model(ov.Model([convolved(data)], [data], "model"), folder / "model.xml", compress_to_fp16=False)
    return Core().compile_model(folder / "model.xml")


def kernels(model: CompiledModel, inputs: list[Any]) -> dict[str, str]:
    profiled = profile(model, inputs, 2)
    assert all(layer.calls == 1 for layer in profiled.layers)
    return {layer.type: layer.kernel for layer in profiled.layers}


def test_open_lengths_have_the_kernels_that_all_lengths_have(tmp_path: Path) -> None:
    model = compiled(tmp_path, [1, 3, -1, -1])
    assert [kernels(model, [IMAGE]) for _ in range(4)] == [{"Convolution": "by shape"}] * 4


def test_a_file_a_model_and_a_compiled_model_are_profiled(tmp_path: Path) -> None:
    of_compiled = ir_plugin.profile(compiled(tmp_path, [1, 3, 16, 16]), runs=1)
    model = ir_plugin.read_model(tmp_path / "model.xml")
    profiles = [of_compiled, ir_plugin.profile(model, runs=1), ir_plugin.profile(tmp_path / "model.xml", [IMAGE], 1)]
    assert [isinstance(item, ir_plugin.Profile) for item in profiles] == [True] * 3
    assert len({tuple((layer.name, layer.kernel) for layer in item.layers) for item in profiles}) == 1


def test_a_model_reshaped_to_fixed_lengths_has_the_kernels_of_a_static_one(tmp_path: Path) -> None:
    static = kernels(compiled(tmp_path, [1, 3, 16, 16]), [IMAGE])
    compiled(tmp_path, [1, 3, -1, -1])
    model = Core().read_model(tmp_path / "model.xml")
    model.reshape([1, 3, 16, 16])
    assert kernels(Core().compile_model(model), [IMAGE]) == static


def test_layers_of_a_body_have_their_kernels(tmp_path: Path) -> None:
    condition, data = ops.parameter([], np.bool_, name="condition"), ops.parameter([1, 3, 16, 16], np.float32)
    then_input, else_input = (ops.parameter([1, 3, 16, 16], np.float32) for _ in range(2))
    branches = ops.if_op(condition)
    then_body = ov.Model([ops.result(convolved(then_input))], [then_input], "then")
    else_body = ov.Model([ops.result(ops.concat([else_input] * 2, 1))], [else_input], "else")
    branches.set_then_body(then_body)
    branches.set_else_body(else_body)
    branches.set_input(data.output(0), then_input, else_input)
    output = branches.set_output(then_body.results[0], else_body.results[0])
    ov.save_model(ov.Model([output], [condition, data], "model"), tmp_path / "model.xml", compress_to_fp16=False)
    model = Core().compile_model(tmp_path / "model.xml")
    inside = kernels(model, [np.array(True), IMAGE])
    assert inside["Convolution"] == kernels(compiled(tmp_path, [1, 3, 16, 16]), [IMAGE])["Convolution"]
    assert set(inside) == {"If", "Convolution"}


def test_what_became_part_of_another_layer_is_fused_and_not_folded(tmp_path: Path) -> None:
    data = ops.parameter([1, 3, 16, 16], np.float32, name="data")
    product = ops.convolution(data, ops.constant(WEIGHTS), [1, 1], [1, 1], [1, 1], [1, 1], name="conv")
    swish = ops.multiply(product, ops.sigmoid(product, name="gate"), name="swish")
    centered = ops.subtract(swish, ops.reduce_mean(swish, np.array([1]), True, name="mean"), name="centered")
    variance = ops.reduce_mean(ops.power(centered, np.float32(2), name="square"), np.array([1]), True, name="variance")
    deviation = ops.sqrt(ops.add(variance, np.float32(1e-5), name="sum"), name="deviation")
    normal = ops.divide(centered, deviation, name="normal")
    lengths = ops.multiply(ops.shape_of(swish, name="shape"), np.int64(1), name="lengths")
    last = ops.reshape(normal, lengths, False, name="last")
    ov.save_model(ov.Model([last], [data], "model"), tmp_path / "model.xml", compress_to_fp16=False)
    profiled = profile(Core().compile_model(tmp_path / "model.xml"), [IMAGE], 1)
    fused = {name for layer in profiled.layers for name in layer.fused}
    assert {"gate", "swish", "mean", "square", "variance", "sum", "deviation"} <= fused
    assert not fused & set(profiled.folded)
