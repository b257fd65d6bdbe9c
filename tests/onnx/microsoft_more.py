"""Cases of the other operators of com.microsoft that onnxruntime's CPU has."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.onnx.microsoft_values import RNG, Case, case, f32, positive, whole

U8 = np.uint8
IMAGES = f32(2, 3, 5, 6)
BOXES = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], [-0.2, 0.5, 1.3, 0.6], [0.9, 0.8, 0.1, 0.2]], np.float32)


def crops(rows: int, columns: int) -> dict[str, Any]:
    size = np.array([rows, columns], np.int32)
    return {"x": IMAGES, "rois": BOXES, "batch": np.array([0, 1, 1, 0], np.int32), "size": size}


IMAGE: list[Case] = [
    case("NhwcMaxPool", {"x": whole(U8, 1, 5, 6, 3)}, kernel_shape=[2, 3], strides=[2, 1], pads=[1, 0, 0, 1]),
    case("NhwcMaxPool", {"x": whole(np.int8, 1, 5, 6, 3)}, kernel_shape=[2, 2], ceil_mode=1, strides=[2, 2]),
    *(
        case("ConvTransposeWithDynamicPads", {"x": f32(1, 2, 4, 4), "w": f32(2, 3, 3, 3), "p": pads, "b": bias})
        for pads, bias in ((np.array([1, 1, 1, 1]), f32(3)), (np.array([0, 1, 1, 0]), None))
    ),
    case(
        "ConvTransposeWithDynamicPads",
        {"x": f32(1, 4, 4, 5), "w": f32(4, 2, 3, 3), "p": np.array([1, 1, 0, 1])},
        group=2,
        strides=[2, 2],
        output_padding=[1, 0],
        dilations=[1, 2],
    ),
    *(
        case("CropAndResize", crops(*size), mode=mode, extrapolation_value=value)
        for size in ((3, 4), (1, 1), (7, 2))
        for mode, value in (("bilinear", 0.0), ("nearest", 2.5))
    ),
    *(
        case("GridSample", {"x": IMAGES, "g": (RNG.random((2, 4, 4, 2)) * 2.4 - 1.2).astype(np.float32)}, **attributes)
        for attributes in ({}, {"mode": "nearest"}, {"mode": "bicubic", "padding_mode": "border"},
                           {"align_corners": 1, "padding_mode": "reflection"})
    ),
    case("UnfoldTensor", {"x": f32(2, 7, 3)}, dim=1, size=3, step=2),
    case("UnfoldTensor", {"x": whole(np.int32, 2, 7)}, size=2),
]  # fmt: skip
TOKENS = [np.array([[1, 2, 3, 1, 2, 4, 1, 2], [5, 5, 5, 5, 5, 5, 5, 5]]), RNG.integers(0, 3, (3, 12))]
VALUE: list[Case] = [
    case("SampleOp", {"x": f32(2, 3)}),
    case("ExpandDims", {"x": f32(2, 3), "axis": np.array(-1, np.int32)}, 1, ("axis",)),
    case("ExpandDims", {"x": f32(2, 3), "axis": np.array(1, np.int32)}, 1, ("axis",)),
    case("Unique", {"x": np.array([2, 1, 1, 3, 4, 3], np.float32)}, 3),
    case("MatMulInteger16", {"a": whole(np.int16, 2, 3), "b": whole(np.int16, 3, 2) >> 6}),
    *(case("CDist", {"a": f32(3, 4), "b": f32(5, 4)}, metric=metric) for metric in ("euclidean", "sqeuclidean")),
    *(
        case("NGramRepeatBlock", {"ids": tokens, "scores": f32(len(tokens), 8)}, ngram_size=size)
        for tokens in TOKENS
        for size in (1, 2, 3, 4, 20)
    ),
    case("TransposeMatMul", {"a": f32(4, 3), "b": f32(5, 4)}, transA=1, transB=1, alpha=0.5),
    case("ScaledSiLU", {"x": f32(2, 3)}, alpha=1.7),
    case("ScaledSiLU", {"x": f32(2, 3), "s": np.float32(0.4)}),
    case("GatedAdd", {"x": f32(2, 3, 4), "y": f32(2, 3, 4), "g": f32(2, 3, 1)}),
    *(
        case("GatedRMSNorm", {"x": f32(2, 3, 8), "s": f32(4), "g": f32(2, 3, 8)}, activation=name, epsilon=1e-3)
        for name in ("silu", "swish", "sigmoid")
    ),
    *(
        case("MatMulBnb4", {"a": f32(2, 3, 32), "b": whole(U8, 5 * 16), "m": positive(10)}, 1, ("b", "m"), K=32, N=5,
             block_size=16, quant_type=kind)
        for kind in (0, 1)
    ),
    case("MatMulBnb4", {"a": f32(2, 17), "b": whole(U8, 26), "m": positive(4)}, 1, ("b", "m"), K=17, N=3,
         block_size=16, quant_type=1),
]  # fmt: skip


def lstm(directions: int, zero: str, batch: int = 1, **extra: Any) -> dict[str, Any]:
    dtype, hidden = np.int8 if zero == "signed" else U8, 5
    per = (directions, 4 * hidden) if zero == "channels" else (directions,)
    center = np.zeros(per, dtype) if zero == "signed" else np.full(per, 128, dtype)
    values = {"X": f32(6, batch, 4), "W": whole(dtype, directions, 4, 4 * hidden)}
    values |= {"R": whole(dtype, directions, hidden, 4 * hidden), "B": f32(directions, 8 * hidden)}
    rest = {"lens": None, "h": None, "c": None, "P": None} | extra
    scales = {"ws": (RNG.random(per) * 0.01 + 0.002).astype(np.float32), "wz": center}
    return values | rest | scales | {"rs": (RNG.random(per) * 0.01 + 0.002).astype(np.float32), "rz": center.copy()}


WEIGHTS_OF_LSTM = ("W", "R", "ws", "wz", "rs", "rz")
RECURRENT: list[Case] = [
    case("DynamicQuantizeLSTM", lstm(1, "unsigned"), 3, WEIGHTS_OF_LSTM, hidden_size=5),
    case("DynamicQuantizeLSTM", lstm(1, "signed"), 3, WEIGHTS_OF_LSTM, hidden_size=5, direction="reverse"),
    case("DynamicQuantizeLSTM", lstm(2, "channels"), 3, WEIGHTS_OF_LSTM, hidden_size=5, direction="bidirectional"),
    case("DynamicQuantizeLSTM", lstm(1, "signed", h=f32(1, 1, 5), c=f32(1, 1, 5), P=f32(1, 15)), 3, WEIGHTS_OF_LSTM,
         hidden_size=5, clip=1.5),
]  # fmt: skip


def projected(zeros: bool = True, columns: bool = False, **extra: Any) -> dict[str, Any]:
    values = {"x": whole(U8, 2, 3, 8), "w": whole(np.int8, 8, 24), "b": f32(24), "xs": np.float32(0.02)}
    values["ws"] = positive(24) / 8 if columns else np.float32(0.004)
    values |= {"mask": None, "xz": U8(120) if zeros else None, "wz": np.int8(3) if zeros and not columns else None}
    return values | extra


def decoder(past: int, **extra: Any) -> dict[str, Any]:
    values = {"q": f32(2, 1, 8), "k": f32(2, 1, 8), "v": f32(2, 1, 8), "mask": None, "bias": None} | extra
    return values | {"pk": f32(2, 2, 9, 4), "pv": f32(2, 2, 9, 4), "past": np.array([past], np.int32)}


MORE_ATTENTION: list[Case] = [
    case("QAttention", projected(), 1, ("w",), num_heads=2),
    case("QAttention", projected(False), 1, ("w",), num_heads=2, unidirectional=1),
    case("QAttention", projected(columns=True), 1, ("w", "ws"), num_heads=2),
    case("QAttention", projected(mask=np.array([3, 2], np.int32)), 1, ("w",), num_heads=2),
    case("QAttention", projected(past=f32(2, 2, 2, 5, 4)), 2, ("w",), num_heads=2, unidirectional=1),
    case("DecoderMaskedMultiHeadAttention", decoder(5), 3, num_heads=2, past_present_share_buffer=1),
    case("DecoderMaskedMultiHeadAttention", decoder(5, mask=np.array([[1] * 6, [1, 0, 1, 1, 1, 1]], np.int32)), 3,
         num_heads=2, scale=0.3, past_present_share_buffer=1),
    case("DecoderMaskedMultiHeadAttention", {"q": f32(2, 1, 8), "k": f32(2, 2, 5, 4), "v": f32(2, 2, 5, 4)},
         num_heads=2),
    *(
        case("MRotaryEmbedding", {"x": f32(2, 3, 24), "p": RNG.integers(0, 8, (3, 2, 3)), "c": f32(8, 6),
                                  "s": f32(8, 6)}, mrope_section=[2, 2, 2], num_heads=2, rotary_embedding_dim=12,
             interleaved=pairs, mrope_layout=layout)
        for pairs, layout in ((0, 0), (1, 0), (0, 1))
    ),
]  # fmt: skip
MORE = [*IMAGE, *VALUE, *RECURRENT, *MORE_ATTENTION]
