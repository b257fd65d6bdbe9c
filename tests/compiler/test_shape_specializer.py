"""Decoders that read token by token: plans with open lengths, growing variables, grouped-query attention."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core, Error, Tensor
from ir_plugin.compiler.passes.grouped_query_attention import GroupedQueryAttention
from ir_plugin.compiler.passes.kv_cache import AppendToCache
from ir_plugin.compiler.passes.rms_norm_fusion import RmsNorm
from ir_plugin.compiler.shapes import specializer
from ir_plugin.compiler.weight_cache import WeightCache
from ir_plugin.tensors import Array
from tests.support.planned import PROVIDERS
from tests.support.skips import COMPILED

WIDTH, HEADS, SHARED, HEAD = 16, 4, 2, 8
EXACT = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"}
RNG = np.random.default_rng(5)


def const(*shape: int) -> Any:
    return ops.constant((RNG.standard_normal(shape) * 0.3).astype(np.float32))


def numbers(*values: int) -> Any:
    return ops.constant(np.array(values, np.int64))


def heads(x: Any, count: int) -> Any:
    rows = ops.matmul(x, const(WIDTH, count * HEAD), False, False)
    return ops.transpose(ops.reshape(rows, numbers(0, 0, count, HEAD), True), numbers(0, 2, 1, 3))


def grown(x: Any, beam: Any, name: str) -> tuple[Any, Any]:
    """Return keys or values appended to those of a variable, and the layer that assigns them to it."""
    batch = ops.gather(ops.shape_of(x), numbers(0), ops.constant(np.int64(0)))
    start = ops.broadcast(ops.constant(np.float32(0)), ops.concat([batch, numbers(SHARED, 0, HEAD)], 0))
    past = ops.read_value(start, name, np.float32, ov.PartialShape([-1, SHARED, -1, HEAD]))
    whole = ops.concat([ops.gather(past, beam, ops.constant(np.int64(0))), heads(x, SHARED)], 2)
    return whole, ops.assign(whole, name)


def repeated(whole: Any, counted: Any) -> Any:
    """Return [N, HEADS, S, HEAD], with S from the shape of `counted`."""
    shape = ops.shape_of(counted)
    batch, length = (ops.gather(shape, numbers(axis), ops.constant(np.int64(0))) for axis in (0, 2))
    target = ops.concat([batch, numbers(SHARED, HEADS // SHARED), length, numbers(HEAD)], 0)
    wide = ops.broadcast(ops.unsqueeze(whole, numbers(2)), target, "BIDIRECTIONAL")
    return ops.reshape(wide, numbers(0, HEADS, -1, HEAD), True)


def decoder(folder: Path) -> Path:
    """Save a layer of a decoder as optimum writes it: variables, beam search, shared heads, and normalization."""
    x = ops.parameter([-1, -1, WIDTH], np.float32)
    mask = ops.parameter([-1, -1], np.float32)
    beam = ops.parameter([-1], np.int32)
    mean = ops.reduce_mean(ops.power(x, ops.constant(np.float32(2))), numbers(-1), True)
    root = ops.sqrt(ops.add(mean, ops.constant(np.float32(1e-5))))
    normal = ops.multiply(ops.multiply(x, ops.divide(ops.constant(np.float32(1)), root)), const(WIDTH))
    (keys, keep_keys), (values, keep_values) = grown(normal, beam, "k"), grown(normal, beam, "v")
    addend = ops.unsqueeze(ops.log(mask), numbers(1, 2))
    query = heads(normal, HEADS)
    mixed = ops.scaled_dot_product_attention(query, repeated(keys, keys), repeated(values, keys), addend)
    rows = ops.reshape(ops.transpose(mixed, numbers(0, 2, 1, 3)), numbers(0, 0, HEADS * HEAD), True)
    y = ops.add(x, ops.matmul(rows, const(HEADS * HEAD, WIDTH), False, False))
    path = folder / "decoder.xml"
    model = ov.Model([ops.result(y)], [keep_keys, keep_values], [x, mask, beam], "decoder")
    ov.save_model(model, path, compress_to_fp16=False)
    return path


def steps(batch: int, lengths: tuple[int, ...]) -> list[list[Array]]:
    """Return the inputs of one generation; it permutes the samples, and masks the first tokens of the last one."""
    inputs, past = [], 0
    for number, length in enumerate(lengths):
        past += length
        mask = np.ones((batch, past), np.float32)
        mask[batch - 1, : batch - 1] = 0
        beam = np.arange(batch) if number % 3 != 2 else np.full(batch, batch - 1)
        x = RNG.standard_normal((batch, length, WIDTH)).astype(np.float32)
        inputs.append([x, mask, beam.astype(np.int32)])
    return inputs


CONFIGS: list[dict[str, Any]] = [
    *({"PROVIDER": provider} for provider in PROVIDERS),
    {"OPTIMIZE": False},
    {"DISABLED_PASSES": ["kv_cache"]},
    {"DISABLED_PASSES": ["grouped_query_attention", "rms_norm_fusion"], "PROVIDER": "numpy"},
]


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_generation_equals_openvino(config: dict[str, Any], tmp_path: Path) -> None:
    path = decoder(tmp_path)
    request = Core().compile_model(path, "CPU", config).create_infer_request()
    judge = ov.Core().compile_model(path, "CPU", EXACT).create_infer_request()
    for batch, lengths in ((1, (3, 1, 1, 1, 1, 2, 1)), (2, (20, 1, 1, 1, 1)), (1, (5, 1))):
        request.reset_state()
        judge.reset_state()
        for inputs in steps(batch, lengths):
            np.testing.assert_allclose(request.infer(inputs)[0], judge.infer(inputs)[0], rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(request.query_state(), judge.query_state(), strict=True):
        expected = {state.name: state.state.data for state in judge.query_state()}[ours.name]
        np.testing.assert_allclose(ours.state.data, expected, rtol=1e-4, atol=1e-5, err_msg=theirs.name)


def test_one_plan_serves_all_lengths(tmp_path: Path) -> None:
    compiled = Core().compile_model(decoder(tmp_path))
    request = compiled.create_infer_request()
    plans = []
    for inputs in steps(1, (4, *(1,) * 40)):
        request.infer(inputs)
        plans.append(len(compiled.engine._plans))
    assert plans[:3] == [1, 2, 2]
    assert plans[-1] == 2
    operations = {type(call.operation) for plan in compiled.engine._plans.values() for call in plan.graph.ops}
    assert {AppendToCache, GroupedQueryAttention, RmsNorm} <= operations


def test_variables_keep_their_values(tmp_path: Path) -> None:
    request = Core().compile_model(decoder(tmp_path)).create_infer_request()
    start, second_step, third_step = steps(1, (3, 1, 1))
    request.infer(start)
    state = request.query_state()[0]
    before, copy = state.state.data, state.state.data.copy()
    first = request.infer(second_step)[0].copy()
    np.testing.assert_array_equal(before, copy)
    saved = {state.name: Tensor(state.state.data.copy()) for state in request.query_state()}
    second = request.infer(third_step)[0].copy()
    with pytest.raises(Error, match="layer"):
        request.infer([np.ones((2, 1, WIDTH), np.float32), *third_step[1:]])
    for state in request.query_state():
        state.state = saved[state.name]
    np.testing.assert_array_equal(request.infer(third_step)[0], second)
    request.reset_state()
    request.infer(start)
    np.testing.assert_array_equal(request.infer(second_step)[0], first)


def test_positions_that_broadcast_repeats_are_not_shared_heads(tmp_path: Path) -> None:
    data = ops.parameter([-1, SHARED, -1, HEAD], np.float32)
    query = ops.parameter([1, HEADS, 3, HEAD], np.float32)
    wide = ops.broadcast(ops.unsqueeze(data, numbers(2)), numbers(1, SHARED, 2, 4, HEAD), "BIDIRECTIONAL")
    keys = ops.reshape(wide, numbers(0, HEADS, -1, HEAD), True)
    y = ops.scaled_dot_product_attention(query, keys, keys, ops.constant(np.float32(0)))
    path = tmp_path / "m.xml"
    ov.save_model(ov.Model([ops.result(y)], [query, data], "m"), path, compress_to_fp16=False)
    inputs = [RNG.standard_normal(shape).astype(np.float32) for shape in ((1, HEADS, 3, HEAD), (1, SHARED, 1, HEAD))]
    output = Core().compile_model(path)(inputs)[0]
    np.testing.assert_allclose(output, ov.Core().compile_model(path, "CPU", EXACT)(inputs)[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_copies_of_strided_inputs_are_made_in_every_inference(provider: str, tmp_path: Path) -> None:
    x = ops.parameter([2, 3, 16], np.float32)
    rows = ops.reshape(ops.relu(x), numbers(2, 3, 2, 8), False)
    half = ops.slice(ops.transpose(rows, numbers(0, 2, 1, 3)), numbers(0), numbers(4), numbers(1), numbers(3))
    path = tmp_path / "m.xml"
    y = ops.tanh(ops.multiply(half, ops.constant(np.float32(-1))))
    ov.save_model(ov.Model([ops.result(y)], [x], "m"), path, compress_to_fp16=False)
    compiled, judge = (
        Core().compile_model(path, "CPU", {"PROVIDER": provider}),
        ov.Core().compile_model(path, "CPU", EXACT),
    )
    for _ in range(3):
        data = RNG.standard_normal((2, 3, 16)).astype(np.float32)
        np.testing.assert_allclose(compiled([data])[0], judge([data])[0], rtol=1e-5, atol=1e-6)


def test_plans_share_decompressed_and_packed_weights(tmp_path: Path) -> None:
    x = ops.parameter([-1, 64], np.float32)
    weights = ops.constant((RNG.standard_normal((64, 96)) * 0.1).astype(np.float16))
    path = tmp_path / "m.xml"
    y = ops.matmul(x, ops.convert(weights, np.float32), False, False)
    ov.save_model(ov.Model([ops.result(y)], [x], "m"), path, compress_to_fp16=False)
    compiled = Core().compile_model(path)
    for rows in (1, 17, 33):
        compiled([np.ones((rows, 64), np.float32)])
    plans = list(compiled.engine._plans.values())
    factors = [value.constant for plan in plans for call in plan.graph.ops for value in call.inputs if value]
    arrays = {id(array) for array in factors if array is not None and array.shape == (64, 96)}
    assert (len(plans), len(arrays)) == (2, 1)


@pytest.mark.parametrize("kernel", ["product", "winograd", "direct"])
def test_plans_share_the_weights_that_jobs_read(kernel: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    packed_weights = pytest.importorskip("ir_plugin.kernels.numba.gemm.packed_weights", reason=COMPILED).PackedWeights
    arrays: list[Array] = []
    plain = packed_weights.__init__

    def recorded(self: Any, *arguments: Any) -> None:
        plain(self, *arguments)
        arrays.append(self.weights)

    monkeypatch.setattr(packed_weights, "__init__", recorded)
    monkeypatch.setattr(specializer, "_SERVED", ())  # a plan for each combination of shapes
    x = ops.parameter([1, 32, -1, 40], np.float32)
    y = ops.convolution(x, const(32, 32, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1])
    if kernel == "product":
        y = ops.matmul(ops.relu(y), const(40, 64), False, False)
    path = tmp_path / "m.xml"
    ov.save_model(ov.Model([ops.result(y)], [x], "m"), path, compress_to_fp16=False)
    compiled = Core().compile_model(path, config={"WINOGRAD": 0 if kernel == "direct" else 4})
    for rows in (30, 34, 38):
        compiled([np.ones((1, 32, rows, 40), np.float32)])
    assert len(compiled.engine._plans) == 3
    assert len({id(array) for array in arrays}) == (2 if kernel == "product" else 1) < len(arrays)


def test_cached_arrays_die_with_their_last_user() -> None:
    cache, source = WeightCache(), np.ones(4)
    derived = cache.derived("sum", [source], lambda: [source + 1])
    again = cache.derived("sum", [source], lambda: [source + 2])
    assert again[0] is derived[0]
    assert cache.derived("other", [source], lambda: [source + 3])[0][0] == 4
    del derived, again
    assert cache.derived("sum", [source], lambda: [source + 2])[0][0] == 3
    assert cache.derived("same", [source], lambda: [source])[0] is source
