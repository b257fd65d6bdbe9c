"""Convolutions over three axes, against the plain evaluation and OpenVINO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openvino import opset8 as ops

from tests.support.planned import hold, variants

CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "3x3x3": ((1, 4, 5, 6, 7), (6, 4, 3, 3, 3), {"begin": [1, 1, 1], "end": [1, 1, 1]}),
    "stride 2": ((2, 3, 6, 9, 8), (5, 3, 3, 3, 3), {"strides": [2, 2, 2], "begin": [1, 1, 1], "end": [1, 1, 1]}),
    "pads before alone": ((1, 2, 4, 5, 5), (3, 2, 3, 2, 2), {"begin": [2, 0, 1], "end": [0, 1, 0]}),
    "dilated": ((1, 2, 7, 9, 8), (3, 2, 2, 3, 2), {"dilations": [3, 2, 1], "begin": [1, 1, 0], "end": [2, 1, 0]}),
    "same": ((1, 2, 5, 6, 7), (3, 2, 3, 3, 3), {"strides": [2, 1, 2], "auto_pad": "same_upper"}),
    "depth alone": ((2, 4, 6, 5, 5), (6, 4, 3, 1, 1), {"begin": [1, 0, 0], "end": [1, 0, 0]}),
    "lines and pixels alone": ((2, 4, 3, 6, 6), (6, 4, 1, 3, 3), {"begin": [0, 1, 1], "end": [0, 1, 1]}),
    "one element": ((1, 4, 3, 5, 6), (6, 4, 1, 1, 1), {}),
    "every other depth": ((1, 3, 5, 4, 4), (2, 3, 1, 1, 1), {"strides": [2, 1, 1]}),
    "pads beyond the kernel": ((1, 2, 2, 3, 3), (3, 2, 2, 1, 1), {"begin": [3, 0, 0], "end": [4, 0, 0]}),
    "groups": ((1, 6, 4, 6, 5), (3, 4, 2, 3, 3, 3), {"begin": [1, 1, 1], "end": [1, 1, 1]}),
    "winograd": ((1, 48, 3, 14, 14), (48, 48, 3, 3, 3), {"begin": [1, 1, 1], "end": [1, 1, 1]}),
    "several blocks": ((1, 40, 4, 96, 96), (4, 40, 2, 1, 1), {"begin": [0, 0, 0], "end": [1, 0, 0]}),
    "depthwise": ((2, 8, 5, 6, 7), (8, 1, 1, 3, 3, 3), {"begin": [1, 1, 1], "end": [1, 1, 1]}),
    "depthwise, stride": ((1, 9, 6, 9, 8), (9, 1, 1, 3, 3, 3), {"strides": [2, 3, 2], "begin": [1, 0, 1]}),
    "depthwise, few channels": ((2, 3, 5, 6, 7), (3, 1, 1, 2, 3, 1), {"begin": [1, 2, 0], "end": [0, 1, 0]}),
    "depthwise, dilated": ((1, 5, 9, 6, 9), (5, 1, 1, 3, 2, 3), {"dilations": [2, 1, 3], "begin": [1, 1, 1]}),
    "depthwise, lines and pixels alone": ((2, 8, 3, 6, 6), (8, 1, 1, 1, 3, 3), {"begin": [0, 1, 1]}),
    "depthwise, depth alone": ((2, 8, 6, 5, 5), (8, 1, 1, 3, 1, 1), {"begin": [1, 0, 0], "end": [1, 0, 0]}),
    "depthwise, several blocks": ((1, 40, 4, 96, 96), (40, 1, 1, 3, 3, 3), {"auto_pad": "same_upper"}),
}


def convolved(x: Any, shape: tuple[int, ...], fields: dict[str, Any]) -> Any:
    spread = np.prod(shape[-4:]) ** -0.5
    weights = np.random.default_rng(3).normal(0, spread, shape).astype(np.float32)
    ones, zeros = [1, 1, 1], [0, 0, 0]
    operation = ops.group_convolution if len(shape) == 6 else ops.convolution
    return operation(
        x,
        weights,
        fields.get("strides", ones),
        fields.get("begin", zeros),
        fields.get("end", zeros),
        fields.get("dilations", ones),
        auto_pad=fields.get("auto_pad", "explicit"),
    )


@pytest.mark.parametrize("name", CASES)
def test_convolution_over_three_axes(name: str, tmp_path: Path) -> None:
    shape, weights, fields = CASES[name]
    x = ops.parameter(list(shape), np.float32, name="x")
    result = convolved(x, weights, fields)
    bias = np.linspace(-1, 1, result.shape[1], dtype=np.float32).reshape(-1, 1, 1, 1)
    hold(ops.relu(ops.add(result, bias)), [x], tmp_path)
    assert variants(tmp_path)["GroupConvolution" if len(weights) == 6 else "Convolution"].endswith("of slices")


def test_dilated_lines_of_a_depthwise_convolution_are_evaluated(tmp_path: Path) -> None:
    x = ops.parameter([1, 4, 5, 9, 7], np.float32, name="x")
    hold(convolved(x, (4, 1, 1, 3, 3, 3), {"dilations": [1, 2, 1], "begin": [1, 1, 1]}), [x], tmp_path)
    assert "slices" not in variants(tmp_path).get("GroupConvolution", "")


def test_chain_of_volumes(tmp_path: Path) -> None:
    x = ops.parameter([1, 3, 4, 8, 8], np.float32, name="x")
    pads = {"begin": [1, 1, 1], "end": [1, 1, 1]}
    first = ops.relu(convolved(x, (8, 3, 3, 3, 3), pads))
    second = ops.relu(ops.add(convolved(first, (8, 8, 3, 3, 3), pads), first))
    pooled = ops.max_pool(second, [2] * 3, [1] * 3, [0] * 3, [0] * 3, [2] * 3).output(0)
    hold(ops.reduce_mean(pooled, np.array([2, 3, 4]), False), [x], tmp_path)
