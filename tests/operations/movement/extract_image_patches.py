"""Samples of ExtractImagePatches-3."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

HUNDRED = np.arange(1, 101, dtype=np.float32).reshape(1, 1, 10, 10)


def patches(sizes: str, strides: str, rates: str, auto_pad: str) -> Mapping[str, object]:
    """Return attributes."""
    return {"sizes": sizes, "strides": strides, "rates": rates, "auto_pad": auto_pad}


FIRST = np.array([1, 2, 3, 11, 12, 13, 21, 22, 23]).reshape(1, 9, 1, 1) + np.array([[0, 5], [50, 55]])
FOURTH = np.array([1, 3, 5, 21, 23, 25, 41, 43, 45]).reshape(1, 9, 1, 1) + np.array([[0, 5], [50, 55]])
THIRD = np.array(
    [
        [[0, 0], [0, 89]],
        [[0, 0], [81, 90]],
        [[0, 0], [82, 0]],
        [[0, 0], [83, 0]],
        [[0, 9], [0, 99]],
        [[1, 10], [91, 100]],
        [[2, 0], [92, 0]],
        [[3, 0], [93, 0]],
        [[0, 19], [0, 0]],
        [[11, 20], [0, 0]],
        [[12, 0], [0, 0]],
        [[13, 0], [0, 0]],
        [[0, 29], [0, 0]],
        [[21, 30], [0, 0]],
        [[22, 0], [0, 0]],
        [[23, 0], [0, 0]],
    ]
)
TWO = np.arange(1, 51, dtype=np.float32).reshape(1, 2, 5, 5)

SAMPLES = [
    # the page's examples
    Sample(
        "ExtractImagePatches",
        3,
        [param(HUNDRED)],
        patches("3,3", "5,5", "1,1", "valid"),
        expected=FIRST,
        shapes=[["?,1,?,8..12"], ["1..3,2..,10,10"], ["1,1,..5,2.."]],
    ),
    Sample(
        "ExtractImagePatches",
        3,
        [param(HUNDRED)],
        patches("4,4", "8,8", "1,1", "valid"),
        expected=HUNDRED[..., :4, :4].reshape(1, 16, 1, 1),
    ),
    Sample(
        "ExtractImagePatches",
        3,
        [param(HUNDRED)],
        patches("4,4", "9,9", "1,1", "same_upper"),
        expected=THIRD[None],
        shapes=[["?,1,?,8..12"], ["1,1,..5,2.."]],
    ),
    Sample("ExtractImagePatches", 3, [param(HUNDRED)], patches("3,3", "5,5", "2,2", "valid"), expected=FOURTH),
    Sample(
        "ExtractImagePatches",
        3,
        [param(TWO)],
        patches("2,2", "3,3", "1,1", "valid"),
        expected=np.array([1, 26, 2, 27, 6, 31, 7, 32]).reshape(1, 8, 1, 1) + np.array([[0, 3], [15, 18]]),
    ),
    # the rest
    Sample(
        "ExtractImagePatches",
        3,
        [param(np.arange(2 * 3 * 7 * 9, dtype=np.float32).reshape(2, 3, 7, 9))],
        patches("2,3", "2,1", "3,2", "same_lower"),
    ),
    Sample(
        "ExtractImagePatches",
        3,
        [param(np.arange(2 * 3 * 7 * 9, dtype=np.float32).reshape(2, 3, 7, 9))],
        patches("4,2", "1,3", "1,2", "same_upper"),
    ),
    Sample("ExtractImagePatches", 3, [param(TWO, "f16")], patches("2,1", "1,2", "1,1", "valid")),
    Sample("ExtractImagePatches", 3, [param(TWO, "bf16")], patches("1,1", "1,1", "1,1", "valid"), expected=TWO),
    Sample("ExtractImagePatches", 3, [param(TWO, "i32")], patches("3,3", "2,2", "1,1", "same_lower")),
    Sample(
        "ExtractImagePatches", 3, [param(TWO)], patches("6,2", "1,1", "1,1", "valid"), expected=np.zeros((1, 24, 0, 4))
    ),
]

ERRORS = [
    ErrorSample(
        "ExtractImagePatches", 3, ["f32[1,10,10]"], patches("3,3", "5,5", "1,1", "valid"), part="data", says="rank"
    ),
    ErrorSample("ExtractImagePatches", 3, ["f32[1,1,10,10]"], patches("3", "5,5", "1,1", "valid"), part="sizes"),
    ErrorSample("ExtractImagePatches", 3, ["f32[1,1,10,10]"], patches("3,3", "0,5", "1,1", "valid"), part="strides"),
    ErrorSample("ExtractImagePatches", 3, ["f32[1,1,10,10]"], patches("3,3", "5,5", "1,0", "valid"), part="rates"),
    ErrorSample("ExtractImagePatches", 3, ["f32[1,1,10,10]"], patches("3,3", "5,5", "", "valid"), part="rates"),
]
