"""Samples of ScatterElementsUpdate-12 and ScatterElementsUpdate-3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param

RANDOM = np.random.default_rng(3)
TRUNCATED = "the CPU plugin rounds a mean towards zero, the page towards negative infinity"
CUT = "the CPU plugin cuts i64 to i32"


def updated(reduction: str, use_init_val: bool = True) -> Callable[..., Array]:
    """Return a naive computation with Python's numbers."""
    functions: Mapping[str, Callable[[list[Any]], Any]] = {
        "none": lambda values: values[-1],
        "sum": sum,
        "prod": np.prod,
        "min": min,
        "max": max,
        "mean": lambda values: sum(values) // len(values) if isinstance(values[0], int) else sum(values) / len(values),
    }

    def compute(data: Array, indices: Array, updates: Array, axis: Array) -> Array:
        groups: dict[tuple[int, ...], list[Any]] = {}
        at = int(axis.reshape(-1)[0]) % data.ndim
        for position in np.ndindex(indices.shape):
            target = list(position)
            target[at] = int(indices[position]) % data.shape[at]
            start = [data[tuple(target)].item()] if use_init_val else []
            groups.setdefault(tuple(target), start).append(updates[position].item())
        result: Array = data.copy()
        for where, values in groups.items():
            result[where] = functions[reduction](values)
        return result

    return compute


def reductions(data: In, indices: In, updates: In, axis: int) -> list[Sample]:
    """Return a sample of each reduction, with and without the values of data."""
    return [
        Sample(
            "ScatterElementsUpdate",
            12,
            [data, indices, updates, const(axis)],
            {"reduction": reduction, "use_init_val": keep},
            oracle=updated(reduction, keep),
            openvino=TRUNCATED if reduction == "mean" and data.type.is_integer else "",
            rtol=1e-3 if data.type.bits == 16 else 1e-5,
        )
        for reduction in ("sum", "prod", "min", "max", "mean")
        for keep in (True, False)
    ]


FOUR, SIX = param([2, 3, 4, 6], "f32"), param([10, 20, 30, 40, 70, 60], "f32")
PLANE = np.zeros((3, 4), np.int32)
UPDATES = param([[11, 12], [13, 14]], "i32")
TWICE = param([[1, 1], [0, 3]])

BOTH = [
    sample
    for version in (3, 12)
    for sample in [
        Sample(
            "ScatterElementsUpdate",
            version,
            [param(PLANE), param([[1, 2], [0, 3]]), UPDATES, const([1])],
            expected=[[0, 11, 12, 0], [13, 0, 0, 14], [0, 0, 0, 0]],
            shapes=[["?,4", "2,?", "?,2"], ["1..3,4", "?,2", "2,1..7"]],
        ),
        Sample(
            "ScatterElementsUpdate",
            version,
            [
                param(RANDOM.normal(size=(2, 3, 4)).astype(np.float32)),
                param(RANDOM.permuted(np.tile(np.arange(3), (2, 1)), axis=1)[..., None], "i32"),
                param(RANDOM.normal(size=(2, 3, 1)).astype(np.float32)),
                const(1),
            ],
            oracle=updated("none"),
        ),
        Sample(
            "ScatterElementsUpdate",
            version,
            [param([1, 2, 3], "f16"), param([2, 0], "i32"), param([7, 8], "f16"), param(-1)],
            expected=[8, 2, 7],
        ),
        Sample(
            "ScatterElementsUpdate",
            version,
            [param([1, 2, 3], "bf16"), param([1], "i32"), param([7], "bf16"), const(0)],
            expected=[1, 7, 3],
        ),
        Sample(
            "ScatterElementsUpdate",
            version,
            [param([1, 2, 3], "u8"), const([1, 1, 1, 1]), param([7, 8, 9, 250], "u8"), const(0)],
            expected=[1, 250, 3],
        ),
        Sample(
            "ScatterElementsUpdate",
            version,
            [param([2**62 + 1, 5]), param([1], "i32"), param([2**62 + 3]), const(0)],
            expected=[2**62 + 1, 2**62 + 3],
            openvino=CUT,
        ),
        Sample(
            "ScatterElementsUpdate",
            version,
            [
                param(np.zeros((2, 3), np.float32)),
                param(np.zeros((0, 3), np.int64)),
                param(np.zeros((0, 3), np.float32)),
                const(0),
            ],
            expected=np.zeros((2, 3)),
        ),
        Sample(
            "ScatterElementsUpdate",
            version,
            [param(["a", "b"], "string"), param([1]), param(["é"], "string"), const(0)],
            expected=["a", "é"],
            openvino="the CPU plugin does not run strings",
        ),
    ]
]

SAMPLES = [
    *BOTH,
    # the page's examples
    Sample("ScatterElementsUpdate", 3, [FOUR, param([-1, 0]), param([1.0, 2.0]), const(0)], expected=[2.0, 3, 4, 1]),
    Sample(
        "ScatterElementsUpdate",
        12,
        [FOUR, param([1, 0, 0, -2, -1, 2]), SIX, const([0])],
        {"reduction": "sum"},
        expected=[52, 13, 104, 76],
    ),
    Sample(
        "ScatterElementsUpdate",
        12,
        [FOUR, param([1, 0, 0, 2, 3, 2]), SIX, const([0])],
        {"reduction": "sum", "use_init_val": False},
        expected=[50, 10, 100, 70],
    ),
    Sample(
        "ScatterElementsUpdate",
        12,
        [param(PLANE + 1), TWICE, UPDATES, const([1])],
        {"reduction": "sum"},
        expected=[[1, 24, 1, 1], [14, 1, 1, 15], [1, 1, 1, 1]],
    ),
    Sample(
        "ScatterElementsUpdate",
        12,
        [param(PLANE + 2), TWICE, UPDATES, const([1])],
        {"reduction": "prod"},
        expected=[[2, 264, 2, 2], [26, 2, 2, 28], [2, 2, 2, 2]],
    ),
    # every reduction
    *reductions(
        param(RANDOM.normal(size=(3, 4)).astype(np.float32)),
        param(RANDOM.integers(-3, 3, (5, 2))),
        param(RANDOM.normal(size=(5, 2)).astype(np.float32)),
        0,
    ),
    *reductions(
        param(RANDOM.integers(-9, 9, (2, 5)), "i32"),
        param(RANDOM.integers(0, 5, (2, 7)), "i32"),
        param(RANDOM.integers(-9, 9, (2, 7)), "i32"),
        -1,
    ),
    *reductions(param([1, 2, 3, 4], "f16"), param([0, 0, -1, 2]), param([5, -6, 7, 0.5], "f16"), 0),
    Sample(
        "ScatterElementsUpdate",
        12,
        [param([-3, 4, 1], "i8"), param([0, 1, 1]), param([-4, -5, -1], "i8"), const(0)],
        {"reduction": "mean"},
        expected=[-4, -1, 1],
        openvino=TRUNCATED,
    ),
    Sample(
        "ScatterElementsUpdate",
        12,
        [param([2**62, -(2**62) - 1]), param([0, 0, 1]), param([2**62 + 2, 2**62 + 1, -(2**62)]), const(0)],
        {"reduction": "mean"},
        expected=[2**62 + 1, -(2**62) - 1],
        openvino=CUT,
    ),
    Sample(
        "ScatterElementsUpdate",
        12,
        [param([2**64 - 1, 5], "u64"), param([0, 1]), param([2**64 - 3, 8], "u64"), const(0)],
        {"reduction": "mean"},
        expected=np.array([2**64 - 2, 6], np.uint64),
    ),
    Sample(
        "ScatterElementsUpdate",
        12,
        [param([250, 3], "u8"), param([0, 1]), param([10, 100], "u8"), const(0)],
        {"reduction": "sum"},
        expected=[4, 103],
    ),
    Sample(
        "ScatterElementsUpdate",
        12,
        [param([True, False, False], "boolean"), param([0, 1, 2]), param([False, True, False], "boolean"), const(0)],
        {"reduction": "sum"},
        expected=[True, True, False],
    ),
    Sample(
        "ScatterElementsUpdate",
        12,
        [param([True, False, True], "boolean"), param([0, 1, 2]), param([False, True, True], "boolean"), const(0)],
        {"reduction": "prod"},
        expected=[False, False, True],
    ),
    Sample(
        "ScatterElementsUpdate",
        12,
        [FOUR, param([1, 1, 1]), param([7, 8, 9], "f32"), const(0)],
        {"reduction": "none", "use_init_val": False},
        expected=[2, 9, 4, 6],
    ),
]

SHAPES = ["f32[2,3]", "i64[2,3]", "f32[2,3]"]

ERRORS = [
    *(
        error
        for version in (3, 12)
        for error in [
            ErrorSample("ScatterElementsUpdate", version, [*SHAPES, const(2)], part="axis", says="[-2, 1]"),
            ErrorSample(
                "ScatterElementsUpdate",
                version,
                ["f32[2,3]", "i64[2]", "f32[2]", const(0)],
                part="indices",
                says="rank",
            ),
            ErrorSample(
                "ScatterElementsUpdate",
                version,
                ["f32[2,3]", "i64[2,3]", "f32[2,2]", const(0)],
                part="updates",
                says="[2,2]",
            ),
            ErrorSample(
                "ScatterElementsUpdate",
                version,
                ["f32[2,3]", "i64[2,4]", "f32[2,4]", const(0)],
                part="indices",
                says="dimension 1",
            ),
            ErrorSample(
                "ScatterElementsUpdate",
                version,
                ["f32[2,3]", "i64[2,3]", "i32[2,3]", const(0)],
                part="updates",
                says="i32",
            ),
            ErrorSample(
                "ScatterElementsUpdate",
                version,
                ["f32[2,3]", "f32[2,3]", "f32[2,3]", const(0)],
                part="indices",
                says="f32",
            ),
            ErrorSample(
                "ScatterElementsUpdate",
                version,
                [FOUR, param([0, 4]), param([1.0, 2.0]), const(0)],
                code="IR701",
                says="indices[1] is 4",
            ),
        ]
    ),
    ErrorSample(
        "ScatterElementsUpdate", 3, [FOUR, param([0, -5]), param([1.0, 2.0]), const(0)], code="IR701", says="[-4, 3]"
    ),
    ErrorSample(
        "ScatterElementsUpdate", 12, [FOUR, param([0, -5]), param([1.0, 2.0]), const(0)], code="IR701", says="[-4, 3]"
    ),
    ErrorSample(
        "ScatterElementsUpdate",
        12,
        ["boolean[2]", "i64[2]", "boolean[2]", const(0)],
        {"reduction": "mean"},
        part="reduction",
        says="mean",
    ),
    ErrorSample(
        "ScatterElementsUpdate",
        12,
        ["string[2]", "i64[2]", "string[2]", const(0)],
        {"reduction": "sum"},
        part="reduction",
        says="string",
    ),
]
