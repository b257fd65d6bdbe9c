"""Cases of fused layers, weights in blocks and rotary embeddings of com.microsoft."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.onnx.microsoft_values import RNG, Case, case, f32, positive, whole


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


GEMM_FUNCTIONS: dict[str, dict[str, Any]] = {
    "Relu": {},
    "LeakyRelu": {"activation_alpha": 0.1},
    "Tanh": {},
    "Sigmoid": {},
    "Elu": {"activation_alpha": 0.4},
    "HardSigmoid": {"activation_alpha": 0.3, "activation_beta": 0.4},
    "Softsign": {},
}
CONV_FUNCTIONS: dict[str, dict[str, Any]] = {
    "Relu": {},
    "LeakyRelu": {"activation_params": [0.1]},
    "Clip": {"activation_params": [-0.5, 0.5]},
    "HardSigmoid": {"activation_params": [0.2, 0.4]},
    "Sigmoid": {},
    "Tanh": {},
}
SIMPLE: list[Case] = [
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
        for name, parameters in GEMM_FUNCTIONS.items()
    ),
    *(
        case(
            "FusedConv",
            {"x": f32(1, 2, 5, 5), "w": f32(3, 2, 3, 3), "b": f32(3)},
            activation=name,
            pads=[1, 1, 1, 1],
            **parameters,
        )
        for name, parameters in CONV_FUNCTIONS.items()
    ),
    case(
        "FusedConv", {"x": f32(1, 2, 5, 5), "w": f32(3, 2, 3, 3), "b": f32(3), "z": f32(1, 3, 3, 3)}, activation="Relu"
    ),
]
NORMALIZATIONS: list[Case] = [
    case("SkipLayerNormalization", {"x": f32(2, 3, 8), "s": f32(2, 3, 8), "g": f32(8), "b": f32(8)}),
    case("SkipLayerNormalization", {"x": f32(2, 3, 8), "s": f32(3, 8), "g": f32(8)}, epsilon=1e-3),
    case(
        "SkipSimplifiedLayerNormalization",
        {"x": f32(2, 3, 8), "s": f32(2, 3, 8), "g": f32(8), "b": f32(8)},
        epsilon=1e-5,
    ),
    case(
        "EmbedLayerNormalization",
        {
            "ids": RNG.integers(0, 10, (2, 4)).astype(np.int32),
            "segments": RNG.integers(0, 2, (2, 4)).astype(np.int32),
            "words": f32(10, 8),
            "positions": f32(6, 8),
            "types": f32(2, 8),
            "g": f32(8),
            "b": f32(8),
            "mask": np.array([[1, 1, 0, 0], [1, 1, 1, 0]], np.int32),
        },
        3,
    ),
    case(
        "EmbedLayerNormalization",
        {
            "ids": RNG.integers(0, 10, (2, 4)).astype(np.int32),
            "segments": None,
            "words": f32(10, 8),
            "positions": f32(6, 8),
            "types": None,
            "g": f32(8),
            "b": f32(8),
            "mask": None,
            "numbers": np.array([[3, 2, 1, 0], [5, 1, 1, 0]], np.int32),
        },
        2,
    ),
]
WEIGHTS: list[Case] = [
    case("MatMulNBits", nbits(4, 5, 32, 16), 1, ("B", "scales"), N=5, K=32, bits=4, block_size=16),
    case("MatMulNBits", nbits(4, 5, 32, 16), N=5, K=32, bits=4, block_size=16),
    case("MatMulNBits", nbits(4, 5, 48, 16, "packed"), 1, ("B", "scales", "zero"), N=5, K=48, bits=4, block_size=16),
    case("MatMulNBits", nbits(4, 5, 48, 16, "packed"), N=5, K=48, bits=4, block_size=16),
    case("MatMulNBits", nbits(4, 5, 48, 16, "float"), 1, ("B", "scales", "zero"), N=5, K=48, bits=4, block_size=16),
    case("MatMulNBits", nbits(8, 5, 48, 16, "packed"), 1, ("B", "scales", "zero"), N=5, K=48, bits=8, block_size=16),
    case("MatMulNBits", nbits(4, 5, 40, 16), 1, ("B", "scales"), N=5, K=40, bits=4, block_size=16),
    case("MatMulNBits", nbits(4, 5, 32, 16, bias=f32(5)), 1, ("B", "scales"), N=5, K=32, bits=4, block_size=16),
    case(
        "MatMulNBits",
        nbits(4, 5, 32, 16, "float", g_idx=RNG.integers(0, 2, 32).astype(np.int32)),
        1,
        ("B", "scales", "zero", "g_idx"),
        N=5,
        K=32,
        bits=4,
        block_size=16,
    ),
    case(
        "GatherBlockQuantized",
        {"d": whole(np.uint8, 6, 16), "i": np.array([[1, 5], [0, 2]]), "s": positive(6, 2)},
        1,
        ("d",),
        bits=4,
        block_size=16,
        quantize_axis=1,
    ),
    case(
        "GatherBlockQuantized",
        {"d": whole(np.uint8, 6, 16), "i": np.array([[1, 5], [0, 2]]), "s": positive(6, 2), "z": whole(np.uint8, 6, 1)},
        1,
        ("d", "z"),
        bits=4,
        block_size=16,
        quantize_axis=1,
    ),
]
ROTARY: list[Case] = [
    case(
        "RotaryEmbedding", {"x": f32(2, 3, 16), "p": np.array([[0, 1, 2], [3, 4, 5]]), "c": f32(8, 4), "s": f32(8, 4)}
    ),
    case("RotaryEmbedding", {"x": f32(2, 3, 16), "p": np.array([2]), "c": f32(8, 4), "s": f32(8, 4)}, interleaved=1),
    case(
        "RotaryEmbedding", {"x": f32(2, 2, 3, 8), "p": np.array([[0, 1, 2], [3, 4, 5]]), "c": f32(8, 4), "s": f32(8, 4)}
    ),
    case(
        "RotaryEmbedding",
        {"x": f32(2, 3, 16), "p": np.array([1]), "c": f32(8, 2), "s": f32(8, 2)},
        num_heads=2,
        rotary_embedding_dim=4,
    ),
]
