"""Cases of attention of com.microsoft."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.onnx.microsoft_values import Case, case, f32

MASKS: dict[str, Any] = {
    "ends": np.array([3, 2], np.int32),
    "bounds": np.array([3, 2, 1, 0], np.int32),
    "columns": np.array([[1, 1, 1], [1, 1, 0]], np.int32),
    "rows": np.array([[[1, 0, 0], [1, 1, 0], [1, 1, 1]]] * 2, np.int32),
}
PROJECTION = {"x": f32(2, 3, 8), "w": f32(8, 24), "b": f32(24)}
ATTENTION: list[Case] = [
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
        case(
            "MultiHeadAttention",
            {"q": f32(2, 3, 8), "k": f32(2, 3, 8), "v": f32(2, 3, 8), "b": None, "mask": mask},
            num_heads=2,
        )
        for mask in (MASKS["columns"], MASKS["rows"])
    ),
    case(
        "MultiHeadAttention",
        {
            "q": f32(2, 3, 8),
            "k": f32(2, 3, 8),
            "v": f32(2, 3, 8),
            "b": None,
            "mask": None,
            "bias": f32(1, 2, 3, 7),
            "pk": f32(2, 2, 4, 4),
            "pv": f32(2, 2, 4, 4),
        },
        3,
        num_heads=2,
        unidirectional=1,
    ),
]


def grouped(length: int, past: int, ends: list[int], packed: bool = False, **extra: Any) -> dict[str, Any]:
    """Return inputs of GroupQueryAttention with 4 heads that share 2, each of 16 channels."""
    batch = len(ends)
    values = {"q": f32(batch, length, 128 if packed else 64)}
    values |= {"k": None if packed else f32(batch, length, 32), "v": None if packed else f32(batch, length, 32)}
    values |= {"pk": f32(batch, 2, past, 16), "pv": f32(batch, 2, past, 16)}
    values |= {"ends": np.array(ends, np.int32), "total": np.array([max(ends) + 1], np.int32)}
    return values | extra


GROUPED: list[Case] = [
    case("GroupQueryAttention", grouped(3, 0, [2, 2]), 3, num_heads=4, kv_num_heads=2),
    case("GroupQueryAttention", grouped(3, 0, [2, 2], packed=True), 3, num_heads=4, kv_num_heads=2, scale=0.2),
    case("GroupQueryAttention", grouped(1, 5, [5, 5]), 3, num_heads=4, kv_num_heads=2),
    case("GroupQueryAttention", grouped(1, 5, [5, 5]), 3, num_heads=4, kv_num_heads=2, softcap=0.7),
    case("GroupQueryAttention", grouped(1, 5, [5, 5]), 3, num_heads=4, kv_num_heads=2, smooth_softmax=1),
    case("GroupQueryAttention", grouped(1, 7, [7, 7]), 3, num_heads=4, kv_num_heads=2, local_window_size=3),
    case("GroupQueryAttention", grouped(4, 0, [3, 3]), 3, num_heads=4, kv_num_heads=2, local_window_size=2),
    case("GroupQueryAttention", grouped(3, 5, [7]), 3, num_heads=4, kv_num_heads=2),
    *(
        case(
            "GroupQueryAttention",
            grouped(length, past, ends, c=f32(12, 8), s=f32(12, 8)),
            3,
            num_heads=4,
            kv_num_heads=2,
            do_rotary=1,
            rotary_interleaved=mode,
        )
        for mode in (0, 1)
        for length, past, ends in ((3, 0, [2, 2]), (1, 5, [5, 5]))
    ),
    case(
        "GroupQueryAttention",
        grouped(1, 5, [5, 5], c=None, s=None, p=None, bias=f32(2, 4, 1, 6)),
        3,
        num_heads=4,
        kv_num_heads=2,
    ),
    case(
        "GroupQueryAttention",
        grouped(1, 5, [5, 5], c=None, s=None, p=None, bias=None, sink=f32(4)),
        3,
        num_heads=4,
        kv_num_heads=2,
    ),
]


def tokens(predicts: bool, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    source = rng.integers(0, 3, 8)
    begin = int(rng.integers(0, 8))
    values = {"src": source, "cur": rng.integers(0, 3, 4), "begin": np.int64(begin)}
    return values | ({"pred": np.append(source[begin:], 1) ^ (rng.random(9 - begin) < 0.3)} if predicts else {})


DETECTOR: list[Case] = [
    case("BifurcationDetector", tokens(bool(seed % 2), seed), 2, min_ngram_size=least, max_ngram_size=least + seed % 4)
    for seed in range(16)
    for least in (1, 2)
]
DETECTOR.append(case("BifurcationDetector", tokens(True, 3), 2, max_ngram_size=2**40))
