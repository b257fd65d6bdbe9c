"""Means, sums and norms over neighbouring axes, in both layouts, against the plain evaluation and OpenVINO."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from openvino import opset8 as ops

from tests.compiler.test_pooling import channels_last
from tests.support.planned import hold, variants

MADE = {"ReduceMean": ops.reduce_mean, "ReduceSum": ops.reduce_sum, "ReduceL2": ops.reduce_l2}
PLAIN = [("ReduceL2", [2]), ("ReduceL2", [1, 2])]
"""Norms along lines that are no rows in memory are left to the evaluation."""


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize(
    ("axes", "keep"),
    [([-1], True), ([2, 3], False), ([2, 3], True), ([1], False), ([1], True), ([2], True), ([1, 2], False)],
)
def test_rows_columns_and_channels(kind: str, axes: list[int], keep: bool, tmp_path: Path) -> None:
    x = ops.parameter([2, 5, 6, 7], np.float32, name="x")
    for source in (ops.abs(x), channels_last(x)):
        hold(MADE[kind](source, ops.constant(axes), keep), [x], tmp_path)
        kernels = variants(tmp_path)
        is_plain = (kind, axes) in PLAIN or (kind == "ReduceL2" and axes == [1] and "Abs" in kernels)
        is_plain = is_plain or (kind == "ReduceL2" and axes == [2, 3] and "Abs" not in kernels)
        assert (kind in kernels) is not is_plain
