"""Operators of the domain com.microsoft, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import ir_plugin as ov
from tests.onnx.microsoft_attention import ATTENTION, DETECTOR, GROUPED, grouped
from tests.onnx.microsoft_layers import NORMALIZATIONS, ROTARY, SIMPLE, WEIGHTS
from tests.onnx.microsoft_more import MORE
from tests.onnx.microsoft_quantized import EXPERTS, INTEGERS, QUANTIZED, quantized, scaled
from tests.onnx.microsoft_values import Case, f32
from tests.onnx.runtime import assert_as_onnxruntime, single

CASES = [
    *EXPERTS,
    *DETECTOR,
    *ATTENTION,
    *GROUPED,
    *SIMPLE,
    *NORMALIZATIONS,
    *INTEGERS,
    *QUANTIZED,
    *WEIGHTS,
    *ROTARY,
    *MORE,
]


@pytest.mark.parametrize("item", CASES, ids=lambda item: item[0])
def test_as_onnxruntime(item: Case) -> None:
    type, values, outputs, constants, attributes = item
    assert_as_onnxruntime(*single(type, values, outputs, constants, version=18, **attributes))


def test_the_mean_of_quantized_data() -> None:
    values = quantized("A", 2, 3, 4) | scaled()
    proto, feeds = single("QLinearReduceMean", values, version=18, axes=[1], keepdims=0)
    means = (values["A"].astype(np.float32) - 120).mean(1) * np.float32(0.03) / np.float32(0.07)
    np.testing.assert_allclose(ov.Core().compile_model(proto)(feeds)[0], np.rint(means) + 100, atol=1)


def ours(type: str, values: dict[str, Any], outputs: int = 1, **attributes: Any) -> list[Any]:
    proto, feeds = single(type, values, outputs, version=18, **attributes)
    return list(ov.Core().compile_model(proto)(feeds).values())


def test_packed_heads_are_those_of_separate_inputs() -> None:
    query, key, value = (f32(2, 3, 2, 4) for _ in range(3))
    separate = {"q": query.reshape(2, 3, 8), "k": key.reshape(2, 3, 8), "v": value.reshape(2, 3, 8)}
    expected = ours("MultiHeadAttention", separate, num_heads=2)[0]
    pairs = {"q": separate["q"], "k": np.stack([key, value], 3)}
    for packed in ({"q": np.stack([query, key, value], 3)}, pairs):
        np.testing.assert_allclose(ours("MultiHeadAttention", packed, num_heads=2)[0], expected, atol=1e-5)


def test_scores_are_an_output() -> None:
    values = {"q": f32(2, 3, 8), "k": f32(2, 5, 8), "v": f32(2, 5, 8)}
    scores = ours("MultiHeadAttention", values, 4, num_heads=2, scale=0.5)[3]
    query, key = (values[name].reshape(2, -1, 2, 4).transpose(0, 2, 1, 3) for name in "qk")
    np.testing.assert_allclose(scores, query @ key.transpose(0, 1, 3, 2) * np.float32(0.5), atol=1e-5)


def sigmoid(values: Any) -> Any:
    return 1 / (1 + np.exp(-values))


@pytest.mark.parametrize("limit", [0.0, 0.5])
def test_swiglu(limit: float) -> None:
    gate, up = f32(2, 3), f32(2, 3)
    clamped = (np.minimum(gate, limit), np.clip(up, -limit, limit)) if limit else (gate, up)
    expected = clamped[0] * sigmoid(1.5 * clamped[0]) * (clamped[1] + 0.25)
    for values in ({"g": gate, "u": up}, {"g": np.concatenate([gate, up], 1)}):
        result = ours("SwiGLU", values, activation_alpha=1.5, activation_beta=0.25, limit=limit)[0]
        np.testing.assert_allclose(result, expected, atol=1e-5)


def test_a_bias_before_softmax_and_dropout() -> None:
    values = {"x": f32(2, 3, 4), "b": f32(2, 3, 4)}
    powers = np.exp((values["x"] + values["b"]).reshape(2, -1))
    expected = (powers / powers.sum(1, keepdims=True)).reshape(2, 3, 4)
    np.testing.assert_allclose(ours("BiasSoftmax", values, axis=1, is_inner_broadcast=0)[0], expected, atol=1e-6)
    values |= {"r": f32(2, 3, 4)}
    np.testing.assert_allclose(ours("BiasDropout", values)[0], sum(values.values()), atol=1e-6)


def test_the_past_of_each_sample_has_a_length_of_its_own() -> None:
    values = grouped(1, 6, [5, 2])
    together = ours("GroupQueryAttention", values, 3, num_heads=4, kv_num_heads=2)[0]
    for index, past in enumerate((5, 2)):
        alone = {
            name: value[index : index + 1] for name, value in values.items() if value is not None and name != "total"
        }
        alone |= {
            "pk": alone["pk"][:, :, :past],
            "pv": alone["pv"][:, :, :past],
            "total": np.array([past + 1], np.int32),
        }
        result = ours("GroupQueryAttention", alone, 3, num_heads=4, kv_num_heads=2)[0]
        np.testing.assert_allclose(together[index], result[0], atol=1e-5)


@pytest.mark.parametrize("is_last", [0, 1])
def test_group_norm(is_last: int) -> None:
    data, scale, bias = f32(2, 6, 3, 3), f32(6), f32(6)
    parts = data.reshape(2, 2, -1)
    normal = ((parts - parts.mean(2, keepdims=True)) / np.sqrt(parts.var(2, keepdims=True) + 1e-5)).reshape(data.shape)
    expected = normal * scale.reshape(1, -1, 1, 1) + bias.reshape(1, -1, 1, 1)
    expected = expected / (1 + np.exp(-expected))
    values = {"x": data.transpose(0, 2, 3, 1) if is_last else data, "g": scale, "b": bias}
    result = ours("GroupNorm", values, groups=2, activation=1, channels_last=is_last)[0]
    np.testing.assert_allclose(result.transpose(0, 3, 1, 2) if is_last else result, expected, atol=1e-4)


@pytest.mark.parametrize("axis", [-1, 1])
def test_simplified_layer_normalization(axis: int) -> None:
    values = {"x": f32(2, 3, 8), "s": f32(*(2, 3, 8)[axis:])}
    assert_as_onnxruntime(*single("SimplifiedLayerNormalization", values, 2, (), "", 18, axis=axis, epsilon=1e-3))
