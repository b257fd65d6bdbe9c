"""Cases of quantized operators and of experts of com.microsoft."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.onnx.microsoft_values import RNG, Case, case, f32, positive, whole


def quantized(name: str, *shape: int, zero: int | None = 120, dtype: Any = np.uint8) -> dict[str, Any]:
    return {
        name: whole(dtype, *shape),
        f"{name}_scale": np.float32(0.03),
        f"{name}_zero": None if zero is None else np.array(zero, dtype),
    }


def scaled(name: str = "Y", zero: int | None = 100, dtype: Any = np.uint8, scale: float = 0.07) -> dict[str, Any]:
    return {f"{name}_scale": np.float32(scale), f"{name}_zero": None if zero is None else np.array(zero, dtype)}


INTEGERS: list[Case] = [
    case(
        "MatMulIntegerToFloat",
        {
            "a": whole(np.uint8, 3, 4),
            "b": whole(dtype, 4, 5),
            "as": np.float32(0.1),
            "bs": positive(5),
            "az": np.uint8(3),
            "bz": whole(dtype, 5),
            "bias": f32(5),
        },
        1,
        ("b", "bs", "bz"),
    )
    for dtype in (np.uint8, np.int8)
] + [
    case(
        "DynamicQuantizeMatMul",
        {"a": f32(3, 4), "b": whole(np.int8, 4, 5), "s": positive(5), "z": whole(np.int8, 5), "bias": f32(5)},
        1,
        ("b",),
    ),
    case("DynamicQuantizeMatMul", {"a": f32(2, 3, 4), "b": whole(np.uint8, 4, 5), "s": positive(1)}),
    case("DynamicQuantizeMatMul", {"a": np.zeros((3, 4), np.float32), "b": whole(np.uint8, 4, 5), "s": positive(1)}),
    case(
        "QGemm",
        {
            "a": whole(np.uint8, 3, 4),
            "as": np.float32(0.02),
            "az": np.uint8(9),
            "b": whole(np.int8, 4, 5),
            "bs": np.float32(0.03),
            "bz": np.int8(2),
            "c": RNG.integers(-99, 99, 5).astype(np.int32),
        },
    ),
    case(
        "QGemm",
        {
            "a": whole(np.uint8, 3, 4),
            "as": np.float32(0.02),
            "az": np.uint8(9),
            "b": whole(np.int8, 5, 4),
            "bs": np.float32(0.03),
            "bz": np.int8(2),
            "c": None,
            "ys": np.float32(0.4),
            "yz": np.uint8(99),
        },
        transB=1,
        alpha=0.5,
    ),
]
QUANTIZED: list[Case] = [
    case("QLinearAdd", quantized("A", 2, 3) | quantized("B", 3) | scaled()),
    case(
        "QLinearAdd",
        quantized("A", 2, 3, zero=3, dtype=np.int8)
        | quantized("B", 3, zero=5, dtype=np.int8)
        | scaled(zero=7, dtype=np.int8),
    ),
    case("QLinearMul", quantized("A", 2, 3) | quantized("B", 3) | scaled()),
    case(
        "QLinearSigmoid",
        quantized("A", 2, 3) | scaled(zero=0, scale=1 / 256),
        1,
        ("A_scale", "A_zero", "Y_scale", "Y_zero"),
    ),
    case("QLinearLeakyRelu", quantized("A", 2, 3) | scaled(), 1, ("A_scale", "A_zero", "Y_scale", "Y_zero"), alpha=0.2),
    case(
        "QLinearSoftmax",
        quantized("A", 2, 3) | scaled(zero=0, scale=1 / 256),
        1,
        ("A_scale", "A_zero", "Y_scale", "Y_zero"),
        axis=-1,
        opset=13,
    ),
    case(
        "QLinearSoftmax",
        quantized("A", 2, 3, 2) | scaled(zero=0, scale=1 / 256),
        1,
        ("A_scale", "A_zero", "Y_scale", "Y_zero"),
        axis=1,
        opset=11,
    ),
    case(
        "QLinearAveragePool", quantized("A", 1, 2, 5, 5) | scaled(scale=0.071), kernel_shape=[3, 3], pads=[1, 1, 1, 1]
    ),
    case(
        "QLinearAveragePool",
        quantized("A", 1, 5, 5, 2) | scaled(),
        kernel_shape=[2, 2],
        channels_last=1,
        strides=[2, 2],
    ),
    case("QLinearGlobalAveragePool", quantized("A", 1, 2, 5, 5) | scaled()),
    case("QLinearGlobalAveragePool", quantized("A", 1, 5, 5, 2) | scaled(), channels_last=1),
    case(
        "QLinearConcat",
        scaled() | quantized("A", 2, 3) | quantized("B", 2, 2, zero=7),
        1,
        ("A_scale", "A_zero", "B_scale", "B_zero", "Y_scale", "Y_zero"),
        axis=1,
    ),
    case("QLinearWhere", {"c": np.array([True, False, True])} | quantized("A", 2, 3) | quantized("B", 3) | scaled()),
    case(
        "QLinearConv",
        quantized("x", 1, 4, 5, 5)
        | {"w": whole(np.int8, 6, 2, 3, 3), "ws": positive(6), "wz": np.zeros(6, np.int8)}
        | scaled(scale=0.5)
        | {"b": RNG.integers(-99, 99, 6).astype(np.int32)},
        1,
        ("w", "ws", "wz", "b"),
        group=2,
        pads=[1, 1, 1, 1],
        strides=[2, 2],
    ),
]


def experts(bits: int, rows: int, blocks: int = 0, zeros: bool = False) -> dict[str, Any]:
    """Return inputs of QMoE with 4 experts of 32 channels."""
    tail = (blocks,) if blocks else ()
    zero = -(-blocks * bits // 8)
    return {
        "x": f32(5, 32),
        "router": f32(5, 4),
        "w1": whole(np.uint8, 4, rows, 32 * bits // 8),
        "s1": positive(4, rows, *tail),
        "b1": f32(4, rows),
        "w2": whole(np.uint8, 4, 32, 32 * bits // 8),
        "s2": positive(4, 32, *tail),
        "b2": f32(4, 32),
        "w3": None,
        "s3": None,
        "b3": None,
        "z1": whole(np.uint8, 4, rows, zero) if zeros else None,
        "z2": whole(np.uint8, 4, 32, zero) if zeros else None,
    }


W_ = ("w1", "s1", "b1", "w2", "s2", "b2", "z1", "z2")
EXPERTS: list[Case] = [
    case(
        "QMoE",
        experts(4, 64),
        1,
        W_,
        k=2,
        expert_weight_bits=4,
        activation_type="swiglu",
        swiglu_fusion=1,
        normalize_routing_weights=1,
    ),
    case(
        "QMoE",
        experts(8, 64),
        1,
        W_,
        k=2,
        expert_weight_bits=8,
        activation_type="swiglu",
        swiglu_fusion=1,
        swiglu_limit=0.9,
        activation_alpha=1.7,
        activation_beta=1.0,
    ),
    case(
        "QMoE",
        experts(4, 64, 2),
        1,
        W_,
        k=1,
        expert_weight_bits=4,
        activation_type="swiglu",
        swiglu_fusion=1,
        block_size=16,
    ),
    case(
        "QMoE",
        experts(4, 64, 2, True),
        1,
        W_,
        k=3,
        expert_weight_bits=4,
        activation_type="swiglu",
        swiglu_fusion=1,
        block_size=16,
        normalize_routing_weights=1,
    ),
    *(
        case("QMoE", experts(4, 32), 1, W_, k=2, expert_weight_bits=4, activation_type=name)
        for name in ("relu", "gelu", "silu", "identity")
    ),
    *(
        case(
            "MoE",
            {
                "x": f32(5, 8),
                "r": f32(5, 4),
                "w1": f32(4, rows, 8),
                "b1": f32(4, rows),
                "w2": f32(4, 8, 16),
                "b2": f32(4, 8),
            },
            k=2,
            activation_type=name,
            normalize_routing_weights=norm,
            swiglu_fusion=rows // 32,
        )
        for name, rows in (("relu", 16), ("gelu", 16), ("silu", 16), ("swiglu", 32))
        for norm in (0, 1)
    ),
]
