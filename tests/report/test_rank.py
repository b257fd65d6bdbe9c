"""`compare --rank`: a bad quantizer ranks first, whatever the network, its other quantizers, and how it is bad."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper, numpy_helper, save_model

import ir_plugin
from ir_plugin import opset13 as ops
from ir_plugin.cli.app import app
from ir_plugin.tensors import Array
from tests.report.quantized_nets import NETWORKS, PLANTS, batch, calibrated, layer_of, plant, quantized

TRIALS = 20
WIDTH = 24


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_planted_quantizer_ranks_first(kind: str) -> None:
    missed = []
    for seed in range(TRIALS):
        fault, bits = PLANTS[seed % len(PLANTS)], 4 if seed % 8 > 3 else 8
        exact, ranges = calibrated(kind, seed)
        planted = plant(ranges, seed, fault)
        model = quantized(kind, seed, ranges, bits, planted)
        reference = exact if seed % 3 == 0 else None
        ranking = ir_plugin.rank_quantizers(model, reference, [batch(model, 5000 + seed)])
        assert len(ranking) == len(ranges.kinds)
        if ranking[0].name != layer_of(planted.name):
            missed.append((planted, ranking[0].name))
    assert len(missed) <= 1, missed


def test_few_levels_at_the_input_are_no_fault() -> None:
    """The noise of 4 bits at the input is most of the output's, yet its range is as good as can be."""
    rng = np.random.default_rng(3)
    x = ops.parameter([8, WIDTH], np.float32, name="x")
    data = _fake(x.output(0), "coarse", 3.2, 16)
    data = ops.matmul(data, ops.constant(_random(rng, WIDTH, WIDTH)), False, False).output(0)
    data = _fake(data, "wide", 40.0, 256)
    model = ir_plugin.Model(
        [ops.result(ops.matmul(data, ops.constant(_random(rng, WIDTH, 5)), False, False))], [x], "m"
    )
    ranking = ir_plugin.rank_quantizers(model)
    assert [entry.name for entry in ranking] == ["wide", "coarse"]
    assert ranking["coarse"].output_gain > ranking["wide"].output_gain
    assert ranking["coarse"].sqnr < ranking["wide"].sqnr
    assert "times too large" in ranking["wide"].cause
    assert not ranking["coarse"].is_bad


def _random(rng: np.random.Generator, *shape: int) -> Array:
    values: Array = (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)
    return values


def _fake(value: Any, name: str, limit: float, levels: int) -> Any:
    low, high = ops.constant(np.float32(-limit)), ops.constant(np.float32(limit))
    return ops.fake_quantize(value, low, high, low, high, levels, name=name).output(0)


def test_numbers_are_those_of_the_definition() -> None:
    x = ops.parameter([1, 64], np.float32, name="x")
    model = ir_plugin.Model([ops.result(_fake(x.output(0), "fq", 3.0, 16))], [x], "m")
    array = np.random.default_rng(0).standard_normal((1, 64)).astype(np.float32)
    ranking = ir_plugin.rank_quantizers(model, None, [array])
    rounded = ir_plugin.compile_model(model)([array])[0]
    sqnr = 10 * np.log10((array**2).sum() / ((rounded - array) ** 2).sum())
    assert ranking[0].sqnr == pytest.approx(sqnr, abs=1e-3)
    assert ranking.output_sqnr == pytest.approx(sqnr, abs=1e-3)
    assert ranking[0].output_gain == np.inf
    assert ranking[0].output_share == 1


def _compressed(scales: list[float]) -> tuple[Any, Any]:
    """Return a model of three products, and the same with weights in i8 whose scales are off by these factors."""
    rng = np.random.default_rng(1)
    weights = [_random(rng, WIDTH, WIDTH) * np.exp(rng.uniform(-2, 2, (WIDTH, 1))).astype(np.float32) for _ in scales]

    def build(stored: bool) -> Any:
        x = ops.parameter([4, WIDTH], np.float32, name="x")
        data = x.output(0)
        for index, (weight, factor) in enumerate(zip(weights, scales, strict=True)):
            scale = np.abs(weight).max(1, keepdims=True) / 127
            codes = np.rint(weight / scale).astype(np.int8)
            constant = ops.constant(codes if stored else weight, name=f"w{index}")
            half = ops.constant((scale * factor).astype(np.float16))
            wide = ops.convert(ops.multiply(ops.convert(constant, "f16"), half), "f32") if stored else constant
            data = ops.relu(ops.matmul(data, wide, False, True, name=f"layer{index}")).output(0)
        return ir_plugin.Model([ops.result(data)], [x], "m")

    return build(False), build(True)


def test_stored_weights_against_the_model_before(tmp_path: Path) -> None:
    exact, model = _compressed([1.0, 4.0, 1.0])
    ranking = ir_plugin.rank_quantizers(model, exact)
    assert ranking[0].name == "w1"
    assert ranking[0].layer == "layer1"
    assert "scaled by 4" in ranking[0].cause
    assert ranking["w0"].lost < 3
    ir_plugin.save_model(exact, tmp_path / "exact.xml", compress_to_fp16=False)
    ir_plugin.save_model(model, tmp_path / "model.xml", compress_to_fp16=False)
    again = ir_plugin.rank_quantizers(tmp_path / "model.xml", tmp_path / "exact.xml")
    assert [entry.name for entry in again] == [entry.name for entry in ranking]
    alone = ir_plugin.rank_quantizers(model)
    assert not len(alone)
    assert alone.unranked == ("w0", "w1", "w2")
    assert "compare with the model before quantization" in str(alone)


def test_stored_arrays_as_the_model_before() -> None:
    exact, model = _compressed([1.0, 1.0, 0.2])
    inputs = [batch(exact, 0)]
    compiled = ir_plugin.compile_model(exact, config={"OPTIMIZE": False})
    arrays = {**compiled.intermediates(inputs, layers="*"), "x": inputs[0]}
    ranking = ir_plugin.rank_quantizers(model, arrays)
    assert ranking[0].name == "w2"


def _qdq(path: Path, shifted: int) -> Path:
    """Products of quantized activations; the zero point of one dequantization is off."""
    rng, nodes, weights, value = np.random.default_rng(2), [], [], "x"
    for index in range(4):
        zeros = [128, 128 + (40 if index == shifted else 0)]
        for part, zero in zip("qd", zeros, strict=True):
            weights.append(numpy_helper.from_array(np.uint8(zero), f"z{part}{index}"))
        weights.append(numpy_helper.from_array(np.float32(0.04), f"s{index}"))
        weights.append(numpy_helper.from_array(_random(rng, WIDTH, WIDTH), f"w{index}"))
        nodes += [
            helper.make_node("QuantizeLinear", [value, f"s{index}", f"zq{index}"], [f"q{index}"]),
            helper.make_node("DequantizeLinear", [f"q{index}", f"s{index}", f"zd{index}"], [f"d{index}"]),
            helper.make_node("MatMul", [f"d{index}", f"w{index}"], [f"y{index}"]),
        ]
        value = f"y{index}"
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [6, WIDTH]) for name in ("x", value)]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], weights)
    save_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.mark.parametrize("shifted", [0, 2])
def test_a_wrong_zero_point_of_an_onnx_file(shifted: int, tmp_path: Path) -> None:
    ranking = ir_plugin.rank_quantizers(_qdq(tmp_path / "m.onnx", shifted))
    assert len(ranking) == 4
    assert ranking[0].name == f"d{shifted}"
    assert "zero point" in ranking[0].cause


def test_quantizers_of_bodies() -> None:
    item, step = ops.parameter([1, 8], np.float32, name="item"), ops.parameter([1, 8], np.float32, name="state")
    data = _fake(ops.tanh(ops.add(item, step)).output(0), "inside", 8.0, 256)
    body = ir_plugin.Model([ops.result(data)], [item, step], "body")
    x, start = ops.parameter([5, 8], np.float32, name="x"), ops.constant(np.zeros((1, 8), np.float32))
    loop = ops.tensor_iterator()
    loop.set_friendly_name("loop")
    loop.set_body(body)
    loop.set_sliced_input(item, x.output(0), 0, 1, 1, -1, 0)
    loop.set_merged_input(step, start.output(0), body.results[0].output(0))
    out = loop.get_iter_value(body.results[0].output(0), -1)
    model = ir_plugin.Model([ops.result(_fake(out, "outside", 1.0, 256))], [x], "m")
    ranking = ir_plugin.rank_quantizers(model)
    assert [entry.name for entry in ranking] == ["loop/inside", "outside"]
    assert ranking[0].output_gain > 3


def test_the_command(tmp_path: Path) -> None:
    exact, model = _compressed([1.0, 5.0])
    for name, graph in (("exact", exact), ("model", model)):
        ir_plugin.save_model(graph, tmp_path / f"{name}.xml", compress_to_fp16=False)
    call = ["compare", str(tmp_path / "model.xml"), "--rank", "--with", str(tmp_path / "exact.xml")]
    html = tmp_path / "ranking.html"
    done = CliRunner().invoke(app, [*call, "--html", str(html)], catch_exceptions=False)
    assert done.exit_code == 0
    first = done.output.splitlines()[1].split()
    assert first[:6] == ["1", "w1", "weights", "of", "layer1", "i8"]
    assert '"w1" loses' in done.output
    assert "w1" in html.read_text()
    document = json.loads(CliRunner().invoke(app, [*call, "--json"], catch_exceptions=False).output)
    assert [entry["name"] for entry in document["quantizers"]] == ["w1", "w0"]
    assert document["quantizers"][0]["rank"] == 1
    with pytest.raises(ir_plugin.InputError, match="cannot be combined"):
        CliRunner().invoke(app, [*call, "--fed"], catch_exceptions=False)


def test_a_model_without_quantizers_and_a_ranking_that_is_data() -> None:
    exact, model = _compressed([1.0, 2.0])
    assert not len(ir_plugin.rank_quantizers(exact))
    ranking = ir_plugin.rank_quantizers(model, exact)
    assert pickle.loads(pickle.dumps(ranking)).to_dict() == ranking.to_dict()
    assert "w1" in ranking._repr_html_()
    assert repr(ranking) == "<Ranking: 2 quantizers, worst 'w1'>"
    with pytest.raises(KeyError):
        ranking["nothing"]
