"""Poolings in both layouts, against the plain evaluation and OpenVINO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openvino import opset8 as ops
from openvino import opset14

from tests.support.planned import hold, variants

CASES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "3x3 stride 2": ((1, 4, 13, 12), {"kernel": [3, 3], "strides": [2, 2], "begin": [1, 1], "end": [1, 1]}),
    "2x2": ((2, 3, 8, 10), {"kernel": [2, 2], "strides": [2, 2]}),
    "uneven": ((1, 3, 9, 11), {"kernel": [3, 2], "strides": [1, 3], "begin": [2, 0], "end": [0, 1]}),
    "rounded up": ((1, 2, 9, 10), {"kernel": [2, 3], "strides": [2, 3], "end": [1, 1], "rounding": "ceil"}),
    "same": ((1, 2, 9, 8), {"kernel": [3, 3], "strides": [2, 2], "auto_pad": "same_upper"}),
    "one line": ((1, 3, 4, 6), {"kernel": [1, 3], "strides": [1, 1], "begin": [0, 1], "end": [0, 1]}),
    "kernel as large as pads": ((1, 2, 3, 3), {"kernel": [5, 5], "strides": [1, 1], "begin": [2, 2], "end": [2, 2]}),
    "one axis": ((2, 3, 17), {"kernel": [4], "strides": [3], "begin": [1], "end": [2]}),
    "three axes": (
        (2, 3, 6, 7, 8), {"kernel": [3, 2, 3], "strides": [2, 1, 2], "begin": [1, 0, 1], "end": [1, 1, 1]}
    ),
    "in blocks": ((2, 40, 61, 70), {"kernel": [3, 3], "strides": [2, 2], "begin": [1, 1], "end": [1, 1]}),
    "shared": ((1, 64, 190, 190), {"kernel": [3, 3], "strides": [1, 1], "begin": [1, 1], "end": [1, 1]}),
}  # fmt: skip


def pooled(x: Any, kind: str, fields: dict[str, Any]) -> Any:
    zeros = [0] * len(fields["kernel"])
    begin, end = fields.get("begin", zeros), fields.get("end", zeros)
    more = {"rounding_type": fields.get("rounding", "floor"), "auto_pad": fields.get("auto_pad", "explicit")}
    if kind == "max":
        dilations = [1] * len(zeros)
        return ops.max_pool(x, fields["strides"], dilations, begin, end, fields["kernel"], **more).output(0)
    return ops.avg_pool(x, fields["strides"], begin, end, fields["kernel"], kind == "mean", **more)


LAYOUTS = [(name, last) for name in CASES for last in (False, True) if (name, last) != ("three axes", True)]
"""No convolution over three axes writes channels last."""


@pytest.mark.parametrize("kind", ["max", "mean", "mean with pads"])
@pytest.mark.parametrize(("name", "last"), LAYOUTS)
def test_pooling(name: str, last: bool, kind: str, tmp_path: Path) -> None:
    shape, fields = CASES[name]
    x = ops.parameter(list(shape), np.float32, name="x")
    result = pooled(channels_last(x) if last else x, kind, fields)
    hold(result, [x], tmp_path, openvino=not (name == "rounded up" and kind == "mean with pads"))
    assert variants(tmp_path)["MaxPool" if kind == "max" else "AvgPool"] == "separable"


def channels_last(x: Any) -> Any:
    """Return a depthwise convolution of one element, which writes channels last."""
    axes = len(x.shape) - 2
    weights = np.linspace(0.5, 2, x.shape[1], dtype=np.float32).reshape(-1, *(1,) * (axes + 2))
    zeros, ones = [0] * axes, [1] * axes
    return ops.group_convolution(x, ops.constant(weights), ones, zeros, zeros, ones)


@pytest.mark.parametrize("last", [False, True])
def test_dilated(last: bool, tmp_path: Path) -> None:
    x = ops.parameter([1, 3, 12, 11], np.float32, name="x")
    data = channels_last(x) if last else x
    result = opset14.max_pool(data, [1, 2], [2, 3], [1, 2], [2, 1], [3, 2], "ceil_torch").output(0)
    hold(result, [x], tmp_path)


@pytest.mark.parametrize("last", [False, True])
def test_a_maximum_passes_over_what_is_no_number(last: bool, tmp_path: Path) -> None:
    x = ops.parameter([1, 3, 6, 6], np.float32, name="x")
    logarithms = ops.log(channels_last(x) if last else x)
    hold(pooled(logarithms, "max", CASES["3x3 stride 2"][1]), [x], tmp_path)
    hold(pooled(ops.log(logarithms), "max", CASES["3x3 stride 2"][1]), [x], tmp_path)


@pytest.mark.parametrize("last", [False, True])
def test_a_maximum_of_pads_is_the_lowest_finite_number(last: bool, tmp_path: Path) -> None:
    x = ops.parameter([1, 4, 5, 6], np.float32, name="x")
    fields = {"kernel": [2, 2], "strides": [3, 3], "begin": [0, 0], "end": [3, 3]}
    hold(pooled(channels_last(x) if last else x, "max", fields), [x], tmp_path)


def test_indices_are_left_to_the_evaluation(tmp_path: Path) -> None:
    x = ops.parameter([1, 3, 6, 6], np.float32, name="x")
    indices = ops.max_pool(x, [1, 1], [1, 1], [0, 0], [0, 0], [3, 3]).output(1)
    hold(indices, [x], tmp_path)
    assert "MaxPool" not in variants(tmp_path)
