"""FakeQuantize as QuantizeLinear and DequantizeLinear where the levels are those of an integer type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")
pytest.importorskip("onnxruntime", reason="the extra [test]")

import onnx
from onnx import helper, numpy_helper

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.frontends.onnx_writer.writing import onnx_bytes
from ir_plugin.tensors import Array
from tests.onnx_writer.test_bodies import run

SCALES = np.array([0.013, 0.7, 0.02, 1.1], np.float32).reshape(1, 4, 1, 1)
GRIDS: dict[str, tuple[Any, Any]] = {
    "from zero": (0, 2.55),
    "symmetric": (-1.28, 1.27),
    "an even zero point": (-100 * 0.01, 155 * 0.01),
    "channels": (-128 * SCALES, 127 * SCALES),
    "channels from zero": (0 * SCALES, 255 * SCALES),
}
OTHERS = {
    "an odd zero point": (-101 * 0.01, 154 * 0.01, 256),
    "255 levels": (-1.27, 1.27, 255),
    "zero between steps": (-1, 1, 256),
    "zero outside": (1, 2, 256),
}
PAIR = ["QuantizeLinear", "DequantizeLinear"]


def model_of(low: object, high: object, levels: int = 256, shape: tuple[int, ...] = (2, 4, 9, 9)) -> ov.Model:
    """Return FakeQuantize with the same limits for input and output."""
    x = ops.parameter(list(shape), ov.Type.f32, "x")
    first, last = (ops.constant(np.asarray(end, np.float32)) for end in (low, high))
    return ov.Model([ops.fake_quantize(x, first, last, first, last, levels)], [x])


def operators(content: bytes) -> list[str]:
    """Return the operators of a written model."""
    return [node.op_type for node in onnx.ModelProto.FromString(content).graph.node]


def assert_equal(model: ov.Model, content: bytes, data: Array) -> None:
    ours, (theirs,) = ov.compile_model(model)([data])[0], run(content, {"x": data})
    np.testing.assert_allclose(theirs, ours, rtol=1e-6, atol=1e-6 * float(np.abs(ours).max()))


@pytest.mark.parametrize("name", GRIDS)
def test_levels_of_an_integer_type_are_a_pair(name: str) -> None:
    model = model_of(*GRIDS[name])
    content = onnx_bytes(model)
    assert operators(content) == PAIR
    data = np.random.default_rng(1).standard_normal((2, 4, 9, 9)).astype(np.float32)
    assert_equal(model, content, data * np.float32(np.max(GRIDS[name][1])))


@pytest.mark.parametrize("name", OTHERS)
def test_other_levels_are_the_formula(name: str) -> None:
    model = model_of(*OTHERS[name])
    content = onnx_bytes(model)
    assert operators(content)[-1] == "Where"
    assert_equal(model, content, np.random.default_rng(1).standard_normal((2, 4, 9, 9)).astype(np.float32))


@pytest.mark.parametrize(("low", "high"), [(-128, 127), (-100, 155), (0, 255), (-50, 50.25 + 0.75)])
def test_halves_between_steps_go_to_the_same_one(low: float, high: float) -> None:
    data = (np.arange(-600, 600, dtype=np.float32) / 2).reshape(1, 1, 1, -1)
    model = model_of(low, high, shape=data.shape)
    assert_equal(model, onnx_bytes(model), data)


def test_channels_have_scales_of_their_own_from_opset_13_on() -> None:
    model = model_of(*GRIDS["channels"])
    assert operators(onnx_bytes(model, 13)) == PAIR
    assert operators(onnx_bytes(model, 12))[-1] == "Where"
    assert operators(onnx_bytes(model_of(*GRIDS["symmetric"]), 11)) == PAIR


@pytest.mark.parametrize("zero_point", [np.uint8(0), np.uint8(114), np.int8(0)])
def test_a_pair_that_is_read_is_written_with_its_constants(zero_point: np.generic) -> None:
    constants = {"scale": np.float32(0.0173), "point": zero_point}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", *constants], ["q"]),
        helper.make_node("DequantizeLinear", ["q", *constants], ["y"]),
    ]
    ends = [helper.make_tensor_value_info(name, 1, [2, 3]) for name in "xy"]
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "pair", ends[:1], ends[1:], tensors)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    content = onnx_bytes(ov.Core().read_model(proto))
    assert operators(content) == PAIR
    written = [numpy_helper.to_array(tensor) for tensor in onnx.ModelProto.FromString(content).graph.initializer]
    assert sorted(written, key=str) == sorted(constants.values(), key=str)
    assert {array.dtype for array in written} == {np.dtype(np.float32), zero_point.dtype}
