"""Operators of the domain com.microsoft, against onnxruntime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import ir_plugin as ov
from tests.onnx.runtime import assert_as_onnxruntime, single

RNG = np.random.default_rng(7)
Case = tuple[str, dict[str, Any], int, tuple[str, ...], dict[str, Any]]


def f32(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> Any:
    return (RNG.random(shape) * 0.05 + 0.01).astype(np.float32)


def whole(dtype: Any, *shape: int) -> Any:
    limits = np.iinfo(dtype)
    return RNG.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)


def case(type: str, values: dict[str, Any], outputs: int = 1, constants: tuple[str, ...] = (), **attributes: Any) -> Case:
    return type, values, outputs, constants, attributes


def quantized(name: str, *shape: int, zero: int | None = 120, dtype: Any = np.uint8) -> dict[str, Any]:
    return {
        name: whole(dtype, *shape),
        f"{name}_scale": np.float32(0.03),
        f"{name}_zero": None if zero is None else np.array(zero, dtype),
    }


def scaled(name: str = "Y", zero: int | None = 100, dtype: Any = np.uint8, scale: float = 0.07) -> dict[str, Any]:
    return {f"{name}_scale": np.float32(scale), f"{name}_zero": None if zero is None else np.array(zero, dtype)}


def nbits(bits: int, rows: int, length: int, block: int, zero: str = "", **extra: Any) -> dict[str, Any]:
    blocks = -(-length // block)
    values: dict[str, Any] = {"A": f32(2, 3, length), "B": whole(np.uint8, rows, blocks, block * bits // 8)}
    values["scales"] = positive(rows * blocks)
    values["zero"] = None
    if zero == "packed":
        values["zero"] = whole(np.uint8, rows * (-(-blocks * bits // 8)))
    if zero == "float":
        values["zero"] = (f32(rows * blocks) + 8).astype(np.float32)
    return values | {"g_idx": None, "bias": None} | extra


SIMPLE = [
    case("Gelu", {"x": f32(2, 5)}),
    case("BiasGelu", {"x": f32(2, 5), "b": f32(5)}),
    case("FastGelu", {"x": f32(2, 5)}),
    case("FastGelu", {"x": f32(2, 5), "b": f32(5)}),
    case("QuickGelu", {"x": f32(2, 5)}),
    case("QuickGelu", {"x": f32(2, 5)}, alpha=0.7),
    case("Inverse", {"x": f32(2, 3, 3)}),
    case("Range", {"start": np.float32(1), "limit": np.float32(7)}),
    case("Range", {"start": np.int64(1), "limit": np.int64(7), "delta": np.int64(2)}),
    case("Trilu", {"x": f32(3, 4)}),
    case("Trilu", {"x": f32(3, 4), "k": np.int64(1)}, upper=0),
    case("Pad", {"x": f32(2, 3), "pads": np.array([1, 0, 0, 2])}, 1, ("pads",)),
    case("Pad", {"x": f32(2, 3), "pads": np.array([1, 0, 0, 2])}, 1, ("pads",), mode="edge"),
    case("Pad", {"x": f32(2, 3), "pads": np.array([1, 0, 0, 2]), "v": np.float32(4)}, 1, (), mode="constant"),
    case("GatherND", {"x": f32(2, 3), "i": np.array([[0, 1], [1, 2]])}),
    case("FusedMatMul", {"a": f32(2, 3, 4), "b": f32(2, 5, 4)}, transB=1, alpha=0.5),
    case("FusedMatMul", {"a": f32(2, 4, 3), "b": f32(2, 4, 5)}, transA=1),
    case("FusedMatMul", {"a": f32(3, 2, 4), "b": f32(2, 4, 5)}, transBatchA=1),
    case("FusedMatMul", {"a": f32(3, 2, 4), "b": f32(5, 2, 4)}, transBatchA=1, transBatchB=1, transB=1),
    *(
        case("FusedGemm", {"a": f32(3, 4), "b": f32(4, 5), "c": f32(5)}, activation=name, **parameters)
        for name, parameters in [
            ("Relu", {}), ("LeakyRelu", {"activation_alpha": 0.1}), ("Tanh", {}), ("Sigmoid", {}), ("Elu", {"activation_alpha": 0.4}),
            ("HardSigmoid", {"activation_alpha": 0.3, "activation_beta": 0.4}), ("Softsign", {}),
        ]
    ),
    *(
        case("FusedConv", {"x": f32(1, 2, 5, 5), "w": f32(3, 2, 3, 3), "b": f32(3)}, activation=name, pads=[1, 1, 1, 1], **parameters)
        for name, parameters in [
            ("Relu", {}), ("LeakyRelu", {"activation_params": [0.1]}), ("Clip", {"activation_params": [-0.5, 0.5]}),
            ("HardSigmoid", {"activation_params": [0.2, 0.4]}), ("Sigmoid", {}), ("Tanh", {}),
        ]
    ),
    case("FusedConv", {"x": f32(1, 2, 5, 5), "w": f32(3, 2, 3, 3), "b": f32(3), "z": f32(1, 3, 3, 3)}, activation="Relu"),
]  # fmt: skip
NORMALIZATIONS = [
    case("SkipLayerNormalization", {"x": f32(2, 3, 8), "s": f32(2, 3, 8), "g": f32(8), "b": f32(8)}),
    case("SkipLayerNormalization", {"x": f32(2, 3, 8), "s": f32(3, 8), "g": f32(8)}, epsilon=1e-3),
    case(
        "SkipSimplifiedLayerNormalization", {"x": f32(2, 3, 8), "s": f32(2, 3, 8), "g": f32(8), "b": f32(8)}, epsilon=1e-5
    ),
    case(
        "EmbedLayerNormalization",
        {
            "ids": RNG.integers(0, 10, (2, 4)).astype(np.int32), "segments": RNG.integers(0, 2, (2, 4)).astype(np.int32),
            "words": f32(10, 8), "positions": f32(6, 8), "types": f32(2, 8), "g": f32(8), "b": f32(8),
            "mask": np.array([[1, 1, 0, 0], [1, 1, 1, 0]], np.int32),
        },
        3,
    ),
    case(
        "EmbedLayerNormalization",
        {
            "ids": RNG.integers(0, 10, (2, 4)).astype(np.int32), "segments": None,
            "words": f32(10, 8), "positions": f32(6, 8), "types": None, "g": f32(8), "b": f32(8), "mask": None,
            "numbers": np.array([[3, 2, 1, 0], [5, 1, 1, 0]], np.int32),
        },
        2,
    ),
]  # fmt: skip
INTEGERS = [
    case(
        "MatMulIntegerToFloat",
        {"a": whole(np.uint8, 3, 4), "b": whole(dtype, 4, 5), "as": np.float32(0.1), "bs": positive(5), "az": np.uint8(3),
         "bz": whole(dtype, 5), "bias": f32(5)},
        1,
        ("b", "bs", "bz"),
    )
    for dtype in (np.uint8, np.int8)
] + [
    case("DynamicQuantizeMatMul", {"a": f32(3, 4), "b": whole(np.int8, 4, 5), "s": positive(5), "z": whole(np.int8, 5), "bias": f32(5)}, 1, ("b",)),
    case("DynamicQuantizeMatMul", {"a": f32(2, 3, 4), "b": whole(np.uint8, 4, 5), "s": positive(1)}),
    case("DynamicQuantizeMatMul", {"a": np.zeros((3, 4), np.float32), "b": whole(np.uint8, 4, 5), "s": positive(1)}),
    case("QGemm", {"a": whole(np.uint8, 3, 4), "as": np.float32(0.02), "az": np.uint8(9), "b": whole(np.int8, 4, 5), "bs": np.float32(0.03), "bz": np.int8(2),
                   "c": RNG.integers(-99, 99, 5).astype(np.int32)}),
    case("QGemm", {"a": whole(np.uint8, 3, 4), "as": np.float32(0.02), "az": np.uint8(9), "b": whole(np.int8, 5, 4), "bs": np.float32(0.03), "bz": np.int8(2),
                   "c": None, "ys": np.float32(0.4), "yz": np.uint8(99)}, transB=1, alpha=0.5),
]  # fmt: skip
QUANTIZED = [
    case("QLinearAdd", quantized("A", 2, 3) | quantized("B", 3) | scaled()),
    case("QLinearAdd", quantized("A", 2, 3, zero=3, dtype=np.int8) | quantized("B", 3, zero=5, dtype=np.int8) | scaled(zero=7, dtype=np.int8)),
    case("QLinearMul", quantized("A", 2, 3) | quantized("B", 3) | scaled()),
    case("QLinearSigmoid", quantized("A", 2, 3) | scaled(zero=0, scale=1 / 256), 1, ("A_scale", "A_zero", "Y_scale", "Y_zero")),
    case("QLinearLeakyRelu", quantized("A", 2, 3) | scaled(), 1, ("A_scale", "A_zero", "Y_scale", "Y_zero"), alpha=0.2),
    case("QLinearSoftmax", quantized("A", 2, 3) | scaled(zero=0, scale=1 / 256), 1, ("A_scale", "A_zero", "Y_scale", "Y_zero"), axis=-1, opset=13),
    case("QLinearSoftmax", quantized("A", 2, 3, 2) | scaled(zero=0, scale=1 / 256), 1, ("A_scale", "A_zero", "Y_scale", "Y_zero"), axis=1, opset=11),
    case("QLinearAveragePool", quantized("A", 1, 2, 5, 5) | scaled(scale=0.071), kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    case("QLinearAveragePool", quantized("A", 1, 5, 5, 2) | scaled(), kernel_shape=[2, 2], channels_last=1, strides=[2, 2]),
    case("QLinearGlobalAveragePool", quantized("A", 1, 2, 5, 5) | scaled()),
    case("QLinearGlobalAveragePool", quantized("A", 1, 5, 5, 2) | scaled(), channels_last=1),
    case("QLinearConcat", scaled() | quantized("A", 2, 3) | quantized("B", 2, 2, zero=7), 1, ("A_scale", "A_zero", "B_scale", "B_zero", "Y_scale", "Y_zero"), axis=1),
    case("QLinearWhere", {"c": np.array([True, False, True])} | quantized("A", 2, 3) | quantized("B", 3) | scaled()),
    case("QLinearConv", quantized("x", 1, 4, 5, 5) | {"w": whole(np.int8, 6, 2, 3, 3), "ws": positive(6), "wz": np.zeros(6, np.int8)} | scaled(scale=0.5)
         | {"b": RNG.integers(-99, 99, 6).astype(np.int32)}, 1, ("w", "ws", "wz", "b"), group=2, pads=[1, 1, 1, 1], strides=[2, 2]),
]  # fmt: skip
WEIGHTS = [
    case("MatMulNBits", nbits(4, 5, 32, 16), 1, ("B", "scales"), N=5, K=32, bits=4, block_size=16),
    case("MatMulNBits", nbits(4, 5, 32, 16), N=5, K=32, bits=4, block_size=16),
    case("MatMulNBits", nbits(4, 5, 48, 16, "packed"), 1, ("B", "scales", "zero"), N=5, K=48, bits=4, block_size=16),
    case("MatMulNBits", nbits(4, 5, 48, 16, "packed"), N=5, K=48, bits=4, block_size=16),
    case("MatMulNBits", nbits(4, 5, 48, 16, "float"), 1, ("B", "scales", "zero"), N=5, K=48, bits=4, block_size=16),
    case("MatMulNBits", nbits(8, 5, 48, 16, "packed"), 1, ("B", "scales", "zero"), N=5, K=48, bits=8, block_size=16),
    case("MatMulNBits", nbits(4, 5, 40, 16), 1, ("B", "scales"), N=5, K=40, bits=4, block_size=16),
    case("MatMulNBits", nbits(4, 5, 32, 16, bias=f32(5)), 1, ("B", "scales"), N=5, K=32, bits=4, block_size=16),
    case("MatMulNBits", nbits(4, 5, 32, 16, "float", g_idx=RNG.integers(0, 2, 32).astype(np.int32)), 1, ("B", "scales", "zero", "g_idx"), N=5, K=32, bits=4, block_size=16),
    case("GatherBlockQuantized", {"d": whole(np.uint8, 6, 16), "i": np.array([[1, 5], [0, 2]]), "s": positive(6, 2)}, 1, ("d",), bits=4, block_size=16, quantize_axis=1),
    case("GatherBlockQuantized", {"d": whole(np.uint8, 6, 16), "i": np.array([[1, 5], [0, 2]]), "s": positive(6, 2), "z": whole(np.uint8, 6, 1)}, 1, ("d", "z"), bits=4, block_size=16, quantize_axis=1),
]  # fmt: skip
ROTARY = [
    case("RotaryEmbedding", {"x": f32(2, 3, 16), "p": np.array([[0, 1, 2], [3, 4, 5]]), "c": f32(8, 4), "s": f32(8, 4)}),
    case("RotaryEmbedding", {"x": f32(2, 3, 16), "p": np.array([2]), "c": f32(8, 4), "s": f32(8, 4)}, interleaved=1),
    case("RotaryEmbedding", {"x": f32(2, 2, 3, 8), "p": np.array([[0, 1, 2], [3, 4, 5]]), "c": f32(8, 4), "s": f32(8, 4)}),
    case("RotaryEmbedding", {"x": f32(2, 3, 16), "p": np.array([1]), "c": f32(8, 2), "s": f32(8, 2)}, num_heads=2, rotary_embedding_dim=4),
]  # fmt: skip
MASKS: dict[str, Any] = {
    "ends": np.array([3, 2], np.int32),
    "bounds": np.array([3, 2, 1, 0], np.int32),
    "columns": np.array([[1, 1, 1], [1, 1, 0]], np.int32),
    "rows": np.array([[[1, 0, 0], [1, 1, 0], [1, 1, 1]]] * 2, np.int32),
}
PROJECTION = {"x": f32(2, 3, 8), "w": f32(8, 24), "b": f32(24)}
ATTENTION = [
    case("Attention", PROJECTION, num_heads=2),
    case("Attention", PROJECTION, num_heads=2, unidirectional=1, scale=0.3),
    *(case("Attention", PROJECTION | {"mask": mask}, num_heads=2) for mask in MASKS.values()),
    case("Attention", PROJECTION | {"mask": MASKS["columns"]}, num_heads=2, unidirectional=1, mask_filter_value=-100.0),
    case("Attention", PROJECTION | {"mask": None, "past": f32(2, 2, 2, 5, 4)}, 2, num_heads=2, unidirectional=1),
    case("Attention", PROJECTION | {"mask": None, "past": None, "bias": f32(2, 2, 3, 3)}, num_heads=2),
    case("Attention", {"x": f32(2, 3, 8), "w": f32(8, 28), "b": f32(28)}, num_heads=2, qkv_hidden_sizes=[8, 8, 12]),
    case("MultiHeadAttention", {"q": f32(2, 3, 8), "k": f32(2, 5, 8), "v": f32(2, 5, 8)}, num_heads=2),
    case("MultiHeadAttention", {"q": f32(2, 3, 8), "k": f32(2, 5, 8), "v": f32(2, 5, 12), "b": f32(28)}, num_heads=2),
    case("MultiHeadAttention", {"q": f32(2, 3, 8), "k": f32(2, 2, 5, 4), "v": f32(2, 2, 5, 4)}, num_heads=2),
    *(
        case("MultiHeadAttention", {"q": f32(2, 3, 8), "k": f32(2, 3, 8), "v": f32(2, 3, 8), "b": None, "mask": mask}, num_heads=2)
        for mask in (MASKS["columns"], MASKS["rows"])
    ),
    case(
        "MultiHeadAttention",
        {"q": f32(2, 3, 8), "k": f32(2, 3, 8), "v": f32(2, 3, 8), "b": None, "mask": None, "bias": f32(1, 2, 3, 7), "pk": f32(2, 2, 4, 4), "pv": f32(2, 2, 4, 4)},
        3, num_heads=2, unidirectional=1,
    ),
]  # fmt: skip


def grouped(length: int, past: int, ends: list[int], packed: bool = False, **extra: Any) -> dict[str, Any]:
    """Return inputs of GroupQueryAttention with 4 heads that share 2, each of 16 channels."""
    batch = len(ends)
    values = {"q": f32(batch, length, 128 if packed else 64)}
    values |= {"k": None if packed else f32(batch, length, 32), "v": None if packed else f32(batch, length, 32)}
    values |= {"pk": f32(batch, 2, past, 16), "pv": f32(batch, 2, past, 16)}
    values |= {"ends": np.array(ends, np.int32), "total": np.array([max(ends) + 1], np.int32)}
    return values | extra


GROUPED = [
    case("GroupQueryAttention", grouped(3, 0, [2, 2]), 3, num_heads=4, kv_num_heads=2),
    case("GroupQueryAttention", grouped(3, 0, [2, 2], packed=True), 3, num_heads=4, kv_num_heads=2, scale=0.2),
    case("GroupQueryAttention", grouped(1, 5, [5, 5]), 3, num_heads=4, kv_num_heads=2),
    case("GroupQueryAttention", grouped(1, 5, [5, 5]), 3, num_heads=4, kv_num_heads=2, softcap=0.7),
    case("GroupQueryAttention", grouped(1, 5, [5, 5]), 3, num_heads=4, kv_num_heads=2, smooth_softmax=1),
    case("GroupQueryAttention", grouped(1, 7, [7, 7]), 3, num_heads=4, kv_num_heads=2, local_window_size=3),
    case("GroupQueryAttention", grouped(4, 0, [3, 3]), 3, num_heads=4, kv_num_heads=2, local_window_size=2),
    case("GroupQueryAttention", grouped(3, 5, [7]), 3, num_heads=4, kv_num_heads=2),
    *(
        case("GroupQueryAttention", grouped(length, past, ends, c=f32(12, 8), s=f32(12, 8)), 3, num_heads=4, kv_num_heads=2, do_rotary=1, rotary_interleaved=mode)
        for mode in (0, 1) for length, past, ends in ((3, 0, [2, 2]), (1, 5, [5, 5]))
    ),
    case("GroupQueryAttention", grouped(1, 5, [5, 5], c=None, s=None, p=None, bias=f32(2, 4, 1, 6)), 3, num_heads=4, kv_num_heads=2),
    case("GroupQueryAttention", grouped(1, 5, [5, 5], c=None, s=None, p=None, bias=None, sink=f32(4)), 3, num_heads=4, kv_num_heads=2),
]  # fmt: skip


def experts(bits: int, rows: int, blocks: int = 0, zeros: bool = False) -> dict[str, Any]:
    """Return inputs of QMoE with 4 experts of 32 channels."""
    tail = (blocks,) if blocks else ()
    zero = -(-blocks * bits // 8)
    return {
        "x": f32(5, 32), "router": f32(5, 4), "w1": whole(np.uint8, 4, rows, 32 * bits // 8), "s1": positive(4, rows, *tail), "b1": f32(4, rows),
        "w2": whole(np.uint8, 4, 32, 32 * bits // 8), "s2": positive(4, 32, *tail), "b2": f32(4, 32), "w3": None, "s3": None, "b3": None,
        "z1": whole(np.uint8, 4, rows, zero) if zeros else None, "z2": whole(np.uint8, 4, 32, zero) if zeros else None,
    }  # fmt: skip


W_ = ("w1", "s1", "b1", "w2", "s2", "b2", "z1", "z2")
EXPERTS = [
    case("QMoE", experts(4, 64), 1, W_, k=2, expert_weight_bits=4, activation_type="swiglu", swiglu_fusion=1, normalize_routing_weights=1),
    case("QMoE", experts(8, 64), 1, W_, k=2, expert_weight_bits=8, activation_type="swiglu", swiglu_fusion=1, swiglu_limit=0.9, activation_alpha=1.7, activation_beta=1.0),
    case("QMoE", experts(4, 64, 2), 1, W_, k=1, expert_weight_bits=4, activation_type="swiglu", swiglu_fusion=1, block_size=16),
    case("QMoE", experts(4, 64, 2, True), 1, W_, k=3, expert_weight_bits=4, activation_type="swiglu", swiglu_fusion=1, block_size=16, normalize_routing_weights=1),
    *(case("QMoE", experts(4, 32), 1, W_, k=2, expert_weight_bits=4, activation_type=name) for name in ("relu", "gelu", "silu", "identity")),
    *(
        case("MoE", {"x": f32(5, 8), "r": f32(5, 4), "w1": f32(4, rows, 8), "b1": f32(4, rows), "w2": f32(4, 8, 16), "b2": f32(4, 8)}, k=2,
             activation_type=name, normalize_routing_weights=norm, **more)
        for name, rows, more in (("relu", 16, {}), ("gelu", 16, {}), ("silu", 16, {}), ("swiglu", 32, {"swiglu_fusion": 1}))
        for norm in (0, 1)
    ),
]  # fmt: skip


def tokens(predicts: bool, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    source = rng.integers(0, 3, 8)
    begin = int(rng.integers(0, 8))
    values = {"src": source, "cur": rng.integers(0, 3, 4), "begin": np.int64(begin)}
    return values | ({"pred": np.append(source[begin:], 1) ^ (rng.random(9 - begin) < 0.3)} if predicts else {})


DETECTOR = [
    case("BifurcationDetector", tokens(bool(seed % 2), seed), 2, min_ngram_size=1, max_ngram_size=1 + seed % 4) for seed in range(16)
]  # fmt: skip
CASES = [*EXPERTS, *DETECTOR, *ATTENTION, *GROUPED, *SIMPLE, *NORMALIZATIONS, *INTEGERS, *QUANTIZED, *WEIGHTS, *ROTARY]


def check(item: Case, change: Callable[[Any], None] | None = None) -> None:
    type, values, outputs, constants, attributes = item
    proto, feeds = single(type, values, outputs, constants, version=18, **attributes)
    if change is not None:
        change(proto)
    assert_as_onnxruntime(proto, feeds)


@pytest.mark.parametrize("item", CASES, ids=lambda item: item[0])
def test_as_onnxruntime(item: Case) -> None:
    check(item)


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


def test_the_past_of_each_sample_has_a_length_of_its_own() -> None:
    values = grouped(1, 6, [5, 2])
    together = ours("GroupQueryAttention", values, 3, num_heads=4, kv_num_heads=2)[0]
    for index, past in enumerate((5, 2)):
        alone = {name: value[index : index + 1] for name, value in values.items() if value is not None and name != "total"}
        alone |= {"pk": alone["pk"][:, :, :past], "pv": alone["pv"][:, :, :past], "total": np.array([past + 1], np.int32)}
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
