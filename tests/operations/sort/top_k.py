"""Samples of TopK-11, TopK-3 and TopK-1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

RANDOM = np.random.default_rng(0)
CUBE = RANDOM.permutation(60).astype(np.float32).reshape(3, 4, 5)
TIES = RANDOM.integers(0, 4, (3, 40)).astype(np.float32)
NANS = np.array([1, np.nan, 3, -np.inf, np.nan, np.inf, 0, -0.0], np.float32)
FROM_PAGE = [5, 3, 1, 2, 5, 5]


def attributes(axis: int = -1, mode: str = "max", sort: str = "value", **more: object) -> dict[str, object]:
    return {"axis": axis, "mode": mode, "sort": sort, **more}


def by_sorting(largest: bool, count: int) -> Callable[..., list[Array]]:
    def oracle(data: Array, _: Array) -> list[Array]:
        order = [sorted(range(len(row)), key=lambda i: (-row[i] if largest else row[i], i))[:count] for row in data]
        return [np.take_along_axis(data, np.array(order), 1), np.array(order)]

    return oracle


SAMPLES = [
    Sample("TopK", 3, [param(CUBE, "f16"), const(1)], attributes(2, "min"), outputs=2),
    Sample("TopK", 1, [param(CUBE), const(3, "i8")], attributes(-1, index_element_type="i64"), outputs=2),
    Sample(
        "TopK",
        11,
        [param(FROM_PAGE, "f32"), const(4)],
        attributes(0, "min", "index", stable=True),
        outputs=2,
        expected=[[5, 3, 1, 2], [0, 1, 2, 3]],
    ),
    Sample("TopK", 11, [param(CUBE), const(3)], attributes(1), outputs=2, shapes=[["?,1..9,2"], ["2,3..,?"]]),
    Sample(
        "TopK",
        11,
        [param(CUBE), param(3, "i32")],
        attributes(-3, "min"),
        outputs=2,
        shapes=[["?,1..9,2", ""], ["2..4,2,?", "..."]],
    ),
    Sample("TopK", 11, [param(CUBE), const(1)], attributes(2, index_element_type="i64"), outputs=2),
    Sample("TopK", 11, [param(CUBE, "f16"), const(5)], attributes(2, sort="index"), outputs=2),
    Sample("TopK", 11, [param(CUBE, "bf16"), const(2)], attributes(0, "min"), outputs=2),
    Sample(
        "TopK",
        11,
        [param(TIES), const(7)],
        attributes(stable=True),
        outputs=2,
        oracle=by_sorting(True, 7),
        openvino="the CPU does not keep the order of equal elements even with stable",
    ),
    Sample(
        "TopK",
        11,
        [param(TIES), const(40)],
        attributes(mode="min", stable=True),
        outputs=2,
        oracle=by_sorting(False, 40),
        openvino="the CPU does not keep the order of equal elements even with stable",
    ),
    Sample(
        "TopK",
        11,
        [param(NANS), const(4)],
        attributes(),
        outputs=2,
        expected=[[np.nan, np.nan, np.inf, 3], [1, 4, 5, 2]],
        openvino="the CPU orders nothing where there is a NaN",
    ),
    Sample(
        "TopK",
        11,
        [param(NANS), const(7)],
        attributes(mode="min"),
        outputs=2,
        expected=[[-np.inf, 0, 0, 1, 3, np.inf, np.nan], [3, 6, 7, 0, 2, 5, 1]],
        openvino="the CPU orders nothing where there is a NaN",
    ),
    Sample(
        "TopK",
        11,
        [param([1, 2**40, 2**40 + 1, -5, 2**62 + 1, 2**62]), const(4)],
        attributes(),
        outputs=2,
        expected=[[2**62 + 1, 2**62, 2**40 + 1, 2**40], [4, 5, 2, 1]],
        openvino="the CPU cuts i64 to 32 bits",
    ),
    Sample("TopK", 3, [param([200, 3, 255, 0], "u8"), const(3, "i8")], attributes(0), outputs=2),
    Sample(
        "TopK",
        3,
        [param([[200, -3, 255, 0]], "i32"), const(2, "u8")],
        attributes(1, "min", index_element_type="i64"),
        outputs=2,
    ),
    Sample("TopK", 3, [param(CUBE, "f64"), const(2)], attributes(1, "max", "index"), outputs=2),
    Sample("TopK", 1, [param(CUBE), const(4, "i32")], attributes(1, "min", "index"), outputs=2),
    Sample("TopK", 1, [param(CUBE[0]), const(2)], attributes(0), outputs=2, shapes=[["2..7,?"]]),
    Sample("TopK", 1, [param(CUBE, "i64"), const(5)], attributes(-1, "min"), outputs=2),
    Sample(
        "TopK",
        11,
        [param(np.zeros((2, 0, 3), np.float32)), const(0)],
        attributes(1),
        outputs=2,
        expected=[np.zeros((2, 0, 3)), np.zeros((2, 0, 3))],
        openvino="the CPU wants k >= 1",
    ),
]

ERRORS = [
    ErrorSample("TopK", 11, [param(np.zeros((0, 2))), param(1)], attributes(0), code="IR701", says="k is 1", outputs=2),
    ErrorSample("TopK", 11, ["f32[2,3]", const(2)], attributes(2), part="axis", says="[-2, 1]", outputs=2),
    ErrorSample("TopK", 11, ["f32[2,3]", const(4)], attributes(1), part="k", says="k is 4", outputs=2),
    ErrorSample("TopK", 3, ["f32[2,3]", const(-1)], attributes(1), part="k", says="-1", outputs=2),
    ErrorSample("TopK", 3, ["f32[2,3]", const(1.0)], attributes(1), part="k", says="f32", outputs=2),
    ErrorSample("TopK", 1, ["f32[2,3]", const([1])], attributes(1), part="k", says="[1]", outputs=2),
    ErrorSample("TopK", 1, ["f32[2,3]", const(1, "u8")], attributes(1), part="k", says="u8", outputs=2),
    ErrorSample("TopK", 11, [param(CUBE), param(9)], attributes(1), says="k is 9", outputs=2, code="IR701"),
    ErrorSample("TopK", 11, ["string[3]", const(1)], attributes(0), part="data", says="string", outputs=2),
]
