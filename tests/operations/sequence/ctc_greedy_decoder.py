"""Samples of CTCGreedyDecoder-1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.support.sample import ErrorSample, In, Sample, param


def scores(sequences: Sequence[Sequence[int]], classes: int, type: str = "f32") -> In:
    """Return data [T, N, C] whose best path is given for each sequence."""
    classes_by_step = np.array(sequences).T
    noise = np.random.default_rng(classes).random((*classes_by_step.shape, classes))
    return param(noise + 2 * (classes_by_step[..., None] == np.arange(classes)), type)


def mask(lengths: Sequence[int], time: int, type: str = "f32") -> In:
    return param((np.arange(time)[:, None] < np.array(lengths)).astype(np.float32), type)


PATHS = [[0, 0, 3, 0, 1, 1], [3, 2, 2, 2, 3, 2], [1, 1, 1, 1, 1, 1]]
MERGED = [[0, 0, 1, -1, -1, -1], [2, 2, -1, -1, -1, -1], [1, -1, -1, -1, -1, -1]]
PLAIN = [[0, 0, 0, 1, 1, -1], [2, 2, 2, 2, -1, -1], [1, 1, 1, 1, 1, 1]]
KEPT = {"ctc_merge_repeated": False}


def column(rows: Sequence[Sequence[int]]) -> object:
    return np.array(rows, np.float32)[:, :, None, None]


SAMPLES = [
    Sample("CTCGreedyDecoder", 1, [scores(PATHS, 4), mask([6, 6, 6], 6)], expected=column(MERGED)),
    Sample("CTCGreedyDecoder", 1, [scores(PATHS, 4), mask([6, 6, 6], 6)], KEPT, expected=column(PLAIN)),
    Sample("CTCGreedyDecoder", 1, [scores(PATHS, 4), mask([5, 3, 1], 6)], {"ctc_merge_repeated": True}),
    Sample("CTCGreedyDecoder", 1, [scores(PATHS, 4), mask([5, 3, 0], 6)], KEPT),
    Sample("CTCGreedyDecoder", 1, [scores(PATHS, 6), mask([6, 6, 6], 6)]),
    Sample("CTCGreedyDecoder", 1, [scores(PATHS, 4, "f16"), mask([6, 2, 6], 6, "f16")]),
    Sample(
        "CTCGreedyDecoder", 1, [scores(PATHS, 4), mask([6, 6, 6], 6)], name="merged",
        shapes=[("?,3,4", "6,?"), ("1..5,?,4", "3..8,2"), ("...", "6,3")],
    ),
    Sample("CTCGreedyDecoder", 1, [scores(PATHS, 4), mask([5, 3, 1], 6, "f16")]),
    *(
        Sample(
            "CTCGreedyDecoder", 1, [scores(PATHS, 4, type), mask([6, 6, 6], 6, mask_type)], expected=column(MERGED),
            openvino="the CPU reads integers and does not run them",
        )
        for type, mask_type in (("i32", "f32"), ("f32", "i32"), ("i8", "boolean"), ("i64", "i64"))
    ),
    Sample("CTCGreedyDecoder", 1, [param(np.random.default_rng(0).random((9, 5, 8)), "f32"), mask([9, 7, 1, 3, 9], 9)]),
]  # fmt: skip

ERRORS = [
    ErrorSample("CTCGreedyDecoder", 1, ["f32[20,8,128]", "f32[20,7]"], {}, "sequence_mask", "[20,7]"),
    ErrorSample("CTCGreedyDecoder", 1, ["f32[20,8]", "f32[20,8]"], {}, "data", "the rank must be 3"),
    ErrorSample("CTCGreedyDecoder", 1, ["f32[20,8,4]", "f32[20]"], {}, "sequence_mask", "the rank must be 2"),
    ErrorSample("CTCGreedyDecoder", 1, ["string[20,8,4]", "f32[20,8]"], {}, "data", "string"),
]
