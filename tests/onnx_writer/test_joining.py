"""Biases and shapes that nodes give to initializers: one node or none in a written file."""

from __future__ import annotations

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

RANDOM = np.random.default_rng(7)


def normal(*shape: int) -> Array:
    """Return random numbers."""
    return RANDOM.standard_normal(shape).astype(np.float32)


def onnx_model(nodes: list[onnx.NodeProto], shape: list[int | None], **weights: Array) -> onnx.ModelProto:
    """Return a model from x to y."""
    ends = [helper.make_tensor_value_info(name, 1, at) for name, at in (("x", shape), ("y", [None] * len(shape)))]
    initializers = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "joined", ends[:1], ends[1:], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


MODELS = {
    "Conv": (onnx_model([helper.make_node("Conv", ["x", "w", "b"], ["y"])], [None, 3, 8, 8], w=normal(4, 3, 3, 3),
                        b=normal(4)), (2, 3, 8, 8)),
    "Conv of groups": (onnx_model([helper.make_node("Conv", ["x", "w", "b"], ["y"], group=2)], [1, 4, 8],
                                  w=normal(6, 2, 3), b=normal(6)), (1, 4, 8)),
    "ConvTranspose": (onnx_model([helper.make_node("ConvTranspose", ["x", "w", "b"], ["y"])], [1, 3, 8, 8],
                                 w=normal(3, 5, 2, 2), b=normal(5)), (1, 3, 8, 8)),
    "ConvTranspose of groups": (onnx_model([helper.make_node("ConvTranspose", ["x", "w", "b"], ["y"], group=2)],
                                           [1, 4, 8, 8], w=normal(4, 3, 2, 2), b=normal(6)), (1, 4, 8, 8)),
    "Gemm": (onnx_model([helper.make_node("Gemm", ["x", "w", "b"], ["y"])], [None, 4], w=normal(4, 3), b=normal(3)),
             (2, 4)),
    "Gemm of rows": (onnx_model([helper.make_node("Gemm", ["x", "w", "b"], ["y"], transB=1)], [None, 4],
                                w=normal(3, 4), b=normal(1, 3)), (2, 4)),
    "LRN": (onnx_model([helper.make_node("LRN", ["x"], ["y"], size=5, alpha=0.3, bias=2.0)], [1, 9, 4, 4]),
            (1, 9, 4, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_a_bias_stays_in_its_node(name: str) -> None:
    proto, shape = MODELS[name]
    content = onnx_bytes(ov.Core().read_model(proto))
    written = onnx.ModelProto.FromString(content)
    assert [node.op_type for node in written.graph.node] == [proto.graph.node[0].op_type]
    assert len(written.graph.initializer) == len(proto.graph.initializer)
    assert len(content) <= 1.02 * len(proto.SerializeToString()) + 300
    data = normal(*shape)
    for ours, theirs in zip(run(proto.SerializeToString(), {"x": data}), run(content, {"x": data}), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)


def test_a_sum_that_is_read_elsewhere_or_broadcasts_stays() -> None:
    x = ops.parameter([1, 3, 4, 4], ov.Type.f32, "x")
    filters = ops.constant(normal(1, 3, 1, 1))
    lists = ([1, 1], [0, 0], [0, 0], [1, 1])
    first = ops.convolution(x, filters, *lists)
    bias = ops.constant(normal(1, 1, 1, 1))
    wide = ops.constant(normal(1, 5, 1, 1))
    model = ov.Model([ops.add(first, bias), first, ops.add(ops.convolution(x, filters, *lists), wide)], [x])
    content = onnx_bytes(model)
    proto = onnx.ModelProto.FromString(content)
    assert [node.op_type for node in proto.graph.node].count("Add") == 2
    data = normal(1, 3, 4, 4)
    ours = ov.compile_model(model)(data).to_dict().values()
    for left, right in zip(ours, run(content, {"x": data}), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-5)


def test_a_bias_of_two_convolutions_is_written_once_for_each_shape() -> None:
    x = ops.parameter([1, 2, 4, 4], ov.Type.f32, "x")
    bias = ops.constant(normal(1, 2, 1, 1))
    sums = [
        ops.add(ops.convolution(x, ops.constant(normal(2, 2, 1, 1)), [1, 1], [0, 0], [0, 0], [1, 1]), bias)
        for _ in range(2)
    ]
    model = ov.Model([*sums, ops.multiply(x, bias)], [x])
    content = onnx_bytes(model)
    proto = onnx.ModelProto.FromString(content)
    assert "Add" not in [node.op_type for node in proto.graph.node]
    data = normal(1, 2, 4, 4)
    for left, right in zip(ov.compile_model(model)(data).to_dict().values(), run(content, {"x": data}), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-5)
