"""KV_CACHE_PRECISION u8: decoders keep keys and values in bytes, as OpenVINO's CPU does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13

import ir_plugin.properties.hint as hints
from benchmarks.decoders import EXACT, Builder, Decoder
from benchmarks.greedy import Comparison, compare
from ir_plugin import Core, InferRequest, Tensor
from ir_plugin.tensors import Array
from ir_plugin.tensors.cached_rows import pack_rows, unpack_rows
from tests.support.planned import PROVIDERS

KEY = "KV_CACHE_PRECISION"
PROMPT = (3, 1, 4, 1, 5, 9, 2, 6)
COUNT = 16


@pytest.fixture(scope="module", params=["llama", "gpt2"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a decoder whose heads share keys, or one with keys for each head."""
    sizes = Decoder("small", request.param, layers=2, width=256, heads=4, shared=2 if request.param == "llama" else 4)
    target = tmp_path_factory.mktemp("decoders") / "m.xml"
    ov.save_model(Builder(sizes, opset13).model(), target, compress_to_fp16=False)
    return target


def request_of(path: Path, precision: str, **config: Any) -> InferRequest:
    return Core().compile_model(path, config={KEY: precision, **config}).create_infer_request()


def openvino(path: Path, precision: str) -> Any:
    return ov.Core().compile_model(path, "CPU", EXACT | {KEY: precision}).create_infer_request()


def arrays_of(request: InferRequest) -> dict[str, Array]:
    return request._state.variables


def error(result: Comparison) -> float:
    """Return the error of the logits behind the prompt and the tokens, relative to the expected ones."""
    expected, actual = (np.stack([step.logits for step in steps]) for steps in result)
    return float(np.sqrt(np.square(actual - expected).mean() / np.square(expected).mean()))


def test_logits_are_as_near_as_openvinos(path: Path) -> None:
    judge = openvino(path, "f32")
    theirs = error(compare(judge, openvino(path, "u8"), COUNT, PROMPT))
    result = compare(judge, request_of(path, "u8"), COUNT, PROMPT)
    limit = 2 * theirs if theirs else 5e-3  # OpenVINO leaves the small model of shared heads in f32
    assert 1e-5 < error(result) < limit
    assert result.equal == COUNT


def test_greedy_tokens_are_those_of_openvino_with_u8(path: Path) -> None:
    result = compare(openvino(path, "u8"), request_of(path, "u8"), COUNT, PROMPT)
    assert result.equal == COUNT


def test_providers_agree(path: Path) -> None:
    result = compare(request_of(path, "u8"), request_of(path, "u8", PROVIDER="numpy"), COUNT, PROMPT)
    assert error(result) < 1e-3
    assert result.equal == COUNT


def test_the_cache_is_kept_in_bytes_and_read_as_f32(path: Path) -> None:
    packed, exact = request_of(path, "u8"), request_of(path, "f32")
    compare(exact, packed, 4, PROMPT)
    assert {array.dtype for array in arrays_of(exact).values()} == {np.dtype(np.float32)}
    assert {array.dtype for array in arrays_of(packed).values()} == {np.dtype(np.uint8)}
    assert sum(a.nbytes for a in arrays_of(packed).values()) < 0.3 * sum(a.nbytes for a in arrays_of(exact).values())
    for state, right in zip(packed.query_state(), exact.query_state(), strict=True):
        assert state.state.element_type.name == "f32"
        assert state.state.shape == right.state.shape
        spread = np.abs(right.state.data).max()
        np.testing.assert_allclose(state.state.data, right.state.data, atol=0.02 * spread)


def test_states_that_are_set_are_packed(path: Path) -> None:
    first, second = request_of(path, "u8"), request_of(path, "u8")
    whole = compare(first, second, 4, PROMPT).actual
    states = {state.name: np.array(state.state.data) for state in second.query_state()}
    second.reset_state()
    for state in second.query_state():
        state.state = Tensor(states[state.name])
    inputs = {
        "input_ids": np.array([[int(whole[-1].logits.argmax())]]),
        "attention_mask": np.ones((1, len(PROMPT) + 4), np.int64),
        "position_ids": np.array([[len(PROMPT) + 3]]),
        "beam_idx": np.zeros(1, np.int32),
    }
    expected, actual = (np.array(request.infer(inputs)[0]) for request in (first, second))
    np.testing.assert_allclose(actual, expected, atol=2e-3 * np.abs(expected).max())


def test_the_default_is_f32(path: Path) -> None:
    compiled = Core().compile_model(path)
    assert compiled.get_property(hints.kv_cache_precision).get_type_name() == "f32"
    chosen = Core().compile_model(path, config={hints.kv_cache_precision: "u8"})
    assert chosen.get_property(KEY).get_type_name() == "u8"


def test_rows_lose_at_most_half_a_step() -> None:
    values = np.random.default_rng(1).standard_normal((2, 3, 5, 16)).astype(np.float32)
    values[0, 0, 0] = 7
    step = (values.max(-1) - values.min(-1)) / 255
    difference = np.abs(unpack_rows(pack_rows(values)) - values).max(-1)
    assert (difference <= 0.501 * step + 1e-6).all()
    assert (unpack_rows(pack_rows(values))[0, 0, 0] == 7).all()


def test_rows_that_are_not_finite_become_nan() -> None:
    values = np.array([[1, np.nan], [np.inf, 1], [1, 2]], np.float32)
    result = unpack_rows(pack_rows(values))
    assert np.isnan(result[:2]).all()
    np.testing.assert_allclose(result[2], [1, 2])


@pytest.mark.parametrize("lead", [1, -1])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_one_head_of_the_query_attends_to_several_of_a_cache(tmp_path: Path, provider: str, lead: int) -> None:
    query = opset13.parameter([1, lead, -1, 4], np.float32)
    added = [opset13.parameter([1, 2, -1, 4], np.float32) for _ in range(2)]
    caches, sinks = [], []
    for name, part in zip(("key", "value"), added, strict=True):
        info = ov.op.util.VariableInfo()
        info.data_shape, info.data_type, info.variable_id = ov.PartialShape([1, 2, -1, 4]), ov.Type.f32, name
        variable = ov.op.util.Variable(info)
        past = opset13.read_value(opset13.constant(np.zeros((1, 2, 0, 4), np.float32)), variable)
        caches.append(opset13.concat([past, part], 2))
        sinks.append(opset13.assign(caches[-1], variable))
    attention = opset13.scaled_dot_product_attention(query, *caches, causal=False)
    ov.save_model(ov.Model([attention.output(0)], sinks, [query, *added], "heads"), tmp_path / "m.xml")
    inputs = [np.random.default_rng(2).standard_normal((1, heads, 3, 4)).astype(np.float32) for heads in (1, 2, 2)]
    packed = request_of(tmp_path / "m.xml", "u8", PROVIDER=provider).infer(inputs)[0]
    plain = request_of(tmp_path / "m.xml", "u8", OPTIMIZE=False).infer(inputs)[0]
    np.testing.assert_allclose(packed, plain, rtol=1e-4, atol=1e-5)
