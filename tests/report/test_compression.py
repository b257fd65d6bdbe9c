"""How a model is compressed, in `ir-plugin info`, its JSON, the report's page and Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper, numpy_helper, save_model
from openvino import opset13 as ops

import ir_plugin
from ir_plugin.cli.app import app
from ir_plugin.report.facts import facts
from ir_plugin.report.model_report import model_report

RNG = np.random.default_rng(0)


def _codes(low: int, high: int, *shape: int) -> Any:
    return RNG.integers(low, high, shape).astype(np.int8 if low < 0 else np.uint8)


def _decompressed(codes: Any, type: ov.Type, scale: Any, zero: Any = None) -> Any:
    """Return codes through Convert, Subtract and Multiply, as nncf writes them."""
    constant = ops.constant(ov.Tensor(codes, list(codes.shape), type) if type.bitwidth < 8 else codes, dtype=type)
    half = ops.convert(constant, "f16")
    if zero is not None:
        half = ops.subtract(half, ops.convert(ops.constant(zero), "f16"))
    return ops.convert(ops.multiply(half, ops.constant(scale.astype(np.float16))), "f32")


def _packed(codes: Any) -> Any:
    """Return constants of u4 with the numbers of an array from 0 to 15."""
    flat = codes.reshape(-1)
    return (flat[::2] | flat[1::2] << 4).astype(np.uint8)


def _u4(codes: Any) -> Any:
    tensor = ov.Tensor(_packed(codes), ov.Shape(list(codes.shape)), ov.Type.u4)
    return ops.constant(tensor)


def _write(outputs: Sequence[Any], inputs: Sequence[Any], path: Path, half: bool = False) -> Path:
    ov.save_model(ov.Model([ops.result(output) for output in outputs], list(inputs), "m"), path, compress_to_fp16=half)
    return path


def _weight_only(path: Path) -> Path:
    """A Gather of u8 rows, and products with i8 rows and u4 in groups of 16."""
    ids = ops.parameter([-1], np.int64, name="ids")
    rows = _decompressed(_codes(0, 255, 100, 64), ov.Type.u8, np.ones((100, 1)), np.full((100, 1), 7, np.uint8))
    hidden = ops.gather(rows, ids, ops.constant(0))
    hidden = ops.matmul(hidden, _decompressed(_codes(-127, 127, 32, 64), ov.Type.i8, np.ones((32, 1))), False, True)
    groups = ops.convert(_u4(_codes(0, 15, 48, 2, 16)), "f16")
    groups = ops.subtract(groups, ops.convert(_u4(_codes(0, 15, 48, 2, 1)), "f16"))
    groups = ops.multiply(groups, ops.constant(np.ones((48, 2, 1), np.float16)))
    matrix = ops.convert(ops.reshape(groups, [48, 32], False), "f32")
    return _write([ops.matmul(hidden, matrix, False, True)], [ids], path)


def _quantized(path: Path) -> Path:
    """A convolution with weights in i8, and a product whose weights in f32 pass a FakeQuantize per tensor."""
    x = ops.parameter([1, 3, 8, 8], np.float32, name="x")
    data = ops.fake_quantize(x, np.float32(-1), np.float32(1), np.float32(-1), np.float32(1), 256)
    codes = ops.convert(ops.constant(_codes(-127, 127, 6, 3, 3, 3)), "f32")
    kernel = ops.multiply(codes, ops.constant(np.ones((6, 1, 1, 1), np.float32)))
    data = ops.relu(ops.convolution(data, kernel, [1, 1], [0, 0], [0, 0], [1, 1]))
    data = ops.reshape(ops.fake_quantize(data, *map(np.float32, (0, 3, 0, 3)), 256), [1, -1], False)
    weight = ops.constant(RNG.standard_normal((5, 216)).astype(np.float32))
    weight = ops.fake_quantize(weight, *map(np.float32, (-3, 3, -3, 3)), 255)
    return _write([ops.matmul(data, weight, False, True)], [x], path)


def _half(path: Path) -> Path:
    x = ops.parameter([1, 64], np.float32, name="x")
    weight = ops.constant(RNG.standard_normal((32, 64)).astype(np.float32))
    return _write([ops.matmul(x, weight, False, True)], [x], path, half=True)


def _read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = facts(ir_plugin.read_model(path))["compression"]
    return document


def test_weights_that_alone_are_quantized(tmp_path: Path) -> None:
    document = _read(_weight_only(tmp_path / "m.xml"))
    schemes = [
        (scheme["type"], scheme["granularity"], scheme["zero_point_type"], scheme["bits_per_weight"])
        for scheme in document["schemes"]
    ]
    assert schemes == [
        ("u8", "per channel", "u8", 8.375),
        ("i8", "per channel", None, 8.25),
        ("u4", "groups of 16", "u4", 5.25),
    ]
    assert [scheme["group_size"] for scheme in document["schemes"]] == [0, 0, 16]
    assert [(entry["type"], entry["elements"]) for entry in document["element_types"]] == [
        ("u8", 6400), ("i8", 2048), ("u4", 1536),
    ]  # fmt: skip
    assert sum(entry["share"] for entry in document["element_types"]) == pytest.approx(1, abs=1e-3)
    bits = (6400 * 8.375 + 2048 * 8.25 + 1536 * 5.25) / 9984
    assert document["bits_per_weight"] == pytest.approx(bits, abs=1e-4)
    assert (document["weight_only_layers"], document["quantized_layers"]) == (3, 0)
    assert document["half_precision"]["constants"] == 0


def test_layers_that_are_quantized(tmp_path: Path) -> None:
    document = _read(_quantized(tmp_path / "m.xml"))
    assert (document["weight_only_layers"], document["quantized_layers"]) == (0, 2)
    keys = ("of", "levels", "granularity", "count")
    assert [tuple(entry[key] for key in keys) for entry in document["fake_quantize"]] == [
        ("activations", 256, "per tensor", 2),
        ("weights", 255, "per tensor", 1),
    ]
    assert [scheme["type"] for scheme in document["schemes"]] == ["i8"]


def test_weights_in_half_precision(tmp_path: Path) -> None:
    document = _read(_half(tmp_path / "m.xml"))
    assert document["half_precision"] == {"constants": 1, "bytes": 4096}
    assert document["bits_per_weight"] == 16
    assert not document["schemes"]


def test_scales_in_the_element_type_of_exponents_are_no_weights(tmp_path: Path) -> None:
    x = ops.parameter([1, 64], np.float32, name="x")
    codes = ops.convert(_constant_of("f4e2m1", (8, 2, 32)), "f16")
    scales = ops.convert(_constant_of("f8e8m0", (8, 2, 1)), "f16")
    matrix = ops.convert(ops.reshape(ops.multiply(codes, scales), [8, 64], False), "f32")
    document = _read(_write([ops.matmul(x, matrix, False, True)], [x], tmp_path / "m.xml"))
    assert [(scheme["type"], scheme["scale_type"], scheme["group_size"]) for scheme in document["schemes"]] == [
        ("f4e2m1", "f8e8m0", 32)
    ]
    assert document["bits_per_weight"] == 4.25


def _constant_of(type: str, shape: tuple[int, ...]) -> Any:
    element_type = getattr(ov.Type, type)
    tensor = ov.Tensor(element_type, ov.Shape(list(shape)))
    return ops.constant(tensor)


def _matmul_nbits(path: Path) -> Path:
    attributes: dict[str, Any] = {"K": 64, "N": 16, "bits": 4, "block_size": 32}
    node = helper.make_node("MatMulNBits", ["x", "w", "s"], ["y"], domain="com.microsoft", **attributes)
    weights = [
        numpy_helper.from_array(_codes(0, 255, 16, 2, 16), "w"),
        numpy_helper.from_array(np.ones(32, np.float32), "s"),
    ]
    return _save_onnx([node], weights, [1, 64], [1, 16], path)


def _qdq(path: Path) -> Path:
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["xq"]),
        helper.make_node("DequantizeLinear", ["xq", "xs", "xz"], ["xd"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"], axis=1),
        helper.make_node("MatMul", ["xd", "wd"], ["y"]),
    ]
    weights = [
        numpy_helper.from_array(np.float32(0.02), "xs"), numpy_helper.from_array(np.uint8(128), "xz"),
        numpy_helper.from_array(_codes(-127, 127, 64, 16), "w"),
        numpy_helper.from_array(np.full(16, 0.1, np.float32), "ws"),
        numpy_helper.from_array(np.zeros(16, np.int8), "wz"),
    ]  # fmt: skip
    return _save_onnx(nodes, weights, [1, 64], [1, 16], path)


def _gather_block_quantized(path: Path) -> Path:
    attributes: dict[str, Any] = {"bits": 4, "block_size": 32, "gather_axis": 0, "quantize_axis": 1}
    node = helper.make_node("GatherBlockQuantized", ["w", "x", "s"], ["y"], domain="com.microsoft", **attributes)
    weights = [
        numpy_helper.from_array(_codes(0, 255, 100, 32), "w"),
        numpy_helper.from_array(np.ones((100, 2), np.float32), "s"),
    ]
    return _save_onnx([node], weights, [3], [3, 64], path, TensorProto.INT64)


def _save_onnx(
    nodes: Sequence[Any],
    weights: Sequence[Any],
    before: list[int],
    after: list[int],
    path: Path,
    type: int = TensorProto.FLOAT,
) -> Path:
    x = helper.make_tensor_value_info("x", type, before)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, after)
    graph = helper.make_graph(list(nodes), "g", [x], [y], list(weights))
    domains = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    save_model(helper.make_model(graph, opset_imports=domains, ir_version=10), path)
    return path


def test_onnx_files(tmp_path: Path) -> None:
    document = _read(_matmul_nbits(tmp_path / "m.onnx"))
    assert [(scheme["type"], scheme["granularity"]) for scheme in document["schemes"]] == [("u4", "groups of 32")]
    assert (document["weight_only_layers"], document["quantized_layers"]) == (1, 0)
    document = _read(_gather_block_quantized(tmp_path / "g.onnx"))
    assert [(scheme["type"], scheme["granularity"]) for scheme in document["schemes"]] == [("u4", "groups of 32")]
    assert (document["weight_only_layers"], document["quantized_layers"]) == (1, 0)
    document = _read(_qdq(tmp_path / "q.onnx"))
    assert [(scheme["type"], scheme["granularity"]) for scheme in document["schemes"]] == [("i8", "per channel")]
    assert (document["weight_only_layers"], document["quantized_layers"]) == (0, 1)
    assert [entry["of"] for entry in document["fake_quantize"]] == ["activations"]


@pytest.mark.parametrize("build", [_weight_only, _quantized, _half])
def test_text_json_and_page_say_the_same(build: Callable[[Path], Path], tmp_path: Path) -> None:
    path = build(tmp_path / "m.xml")
    text = CliRunner().invoke(app, ["info", str(path)], catch_exceptions=False).output
    document = json.loads(CliRunner().invoke(app, ["info", str(path), "--json"], catch_exceptions=False).output)
    assert document["compression"] == _read(path)
    page = model_report(path, run=False)
    lines = [line.strip() for line in text.splitlines()]
    shown = [
        line for line in lines if line.startswith(("weights ", "quantized ", "simulated ", "layers ", "compressed "))
    ]
    assert len(shown) > 1
    for line in shown:
        assert line.split(maxsplit=1)[1] in page


def test_no_weight_is_read(tmp_path: Path) -> None:
    path = _weight_only(tmp_path / "m.xml")
    model = ir_plugin.read_model(path)
    for node in model.get_ordered_ops():
        if node.get_type_name() == "Constant" and node.operation.size > 64:
            node.operation.load = None
            node.operation._array = None
    assert facts(model)["compression"]["weights"] == 9984


def test_a_model_without_weights(tmp_path: Path) -> None:
    x = ops.parameter([1, 4], np.float32, name="x")
    path = _write([ops.relu(x)], [x], tmp_path / "m.xml")
    assert _read(path)["bits_per_weight"] == 0
    assert "bits a weight" not in CliRunner().invoke(app, ["info", str(path)]).output
