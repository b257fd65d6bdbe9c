"""ONNX files with QuantizeLinear and DequantizeLinear run in integers, as they are and as IRs that OpenVINO makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import openvino as ov
import pytest
from onnx import TensorProto, helper, numpy_helper

from ir_plugin import Core
from ir_plugin.compiler.graph import Graph
from ir_plugin.compiler.passes import pass_observer
from tests.support.planned import PROVIDERS
from tests.support.quantized import on_levels

SHAPE = (1, 6, 8, 8)


class Builder:
    """Nodes and initializers of a graph."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []

    def constant(self, name: str, array: Any) -> str:
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def weights(self, name: str, shape: tuple[int, ...], axis: int) -> str:
        rng = np.random.default_rng(len(name))
        scales = rng.uniform(0.005, 0.02, shape[axis]).astype(np.float32)
        levels = self.constant(f"{name}_levels", rng.integers(-127, 128, shape).astype(np.int8))
        inputs = [
            levels,
            self.constant(f"{name}_scale", scales),
            self.constant(f"{name}_zero", np.zeros_like(scales, np.int8)),
        ]
        return self.node("DequantizeLinear", inputs, name, axis=axis)

    def rounded(self, name: str, source: str, scale: float, zero: int) -> str:
        limits = [self.constant(f"{name}_scale", np.float32(scale)), self.constant(f"{name}_zero", np.uint8(zero))]
        levels = self.node("QuantizeLinear", [source, *limits], f"{name}_levels")
        return self.node("DequantizeLinear", [levels, *limits], name)


def write(path: Path) -> None:
    b = Builder()
    y = b.node("Conv", [b.rounded("a", "x", 0.05, 100), b.weights("filters", (8, 6, 3, 3), 0)], "y", pads=[1, 1, 1, 1])
    r = b.rounded("b", b.node("Relu", [y], "r"), 0.1, 0)
    rows = b.node("Reshape", [r, b.constant("shape", np.array([1, -1]))], "rows")
    b.node("MatMul", [rows, b.weights("matrix", (512, 10), 1)], "z")
    ends = [
        helper.make_tensor_value_info(*end)
        for end in (("x", TensorProto.FLOAT, SHAPE), ("z", TensorProto.FLOAT, [1, 10]))
    ]
    graph = helper.make_graph(b.nodes, "quantized", ends[:1], ends[1:], b.initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", ["m.onnx", "m.xml"])
def test_quantized_onnx_runs_in_integers(name: str, provider: str, tmp_path: Path) -> None:
    write(tmp_path / "m.onnx")
    ov.save_model(ov.Core().read_model(tmp_path / "m.onnx"), tmp_path / "m.xml", compress_to_fp16=False)
    texts: dict[str, str] = {}

    def observe(passed: str, graph: Graph) -> None:
        texts[passed] = graph.to_text()

    with pass_observer(observe):
        compiled = Core().compile_model(tmp_path / name, "CPU", {"PROVIDER": provider})
    data = on_levels(SHAPE)
    expected = onnxruntime.InferenceSession(tmp_path / "m.onnx").run(None, {"x": data})[0]
    np.testing.assert_allclose(compiled([data])[0], expected, rtol=1e-5, atol=1e-4)
    assert "QuantizedConvolution" in texts["dead_code"]
    assert "QuantizedMatMul" in texts["dead_code"]
    assert "f32[1, 8, 8, 8]" not in texts["dead_code"]
