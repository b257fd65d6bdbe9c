"""Pads in both layouts, against the plain evaluation and OpenVINO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openvino import opset8 as ops
from openvino import opset12

from tests.compiler.test_pooling import channels_last
from tests.support.planned import hold, variants


def number(value: float) -> Any:
    return ops.constant(np.float32(value))


PADS = {
    "around": ([0, 0, 1, 2], [0, 0, 3, 1]),
    "as far as the data": ([0, 0, 4, 3], [0, 0, 4, 3]),
    "channels": ([0, 1, 0, 0], [0, 2, 1, 0]),
    "samples": ([1, 0, 0, 0], [1, 0, 0, 2]),
    "none": ([0, 0, 0, 0], [0, 0, 0, 0]),
}


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric"])
@pytest.mark.parametrize("name", PADS)
def test_modes(name: str, mode: str, last: bool, tmp_path: Path) -> None:
    x = ops.parameter([2, 4, 5, 4], np.float32, name="x")
    begin, end = PADS[name]
    result = ops.pad(channels_last(x) if last else x, begin, end, mode, number(0.5))
    hold(result, [x], tmp_path)
    assert variants(tmp_path)["Pad"] == "pads"


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("pads", [([0, -1, 2, -1], [0, 0, -1, 1]), ([0, 0, -3, 0], [0, 0, -2, 4])])
def test_cropping(pads: tuple[list[int], list[int]], last: bool, tmp_path: Path) -> None:
    x = ops.parameter([1, 3, 6, 5], np.float32, name="x")
    result = opset12.pad(channels_last(x) if last else x, *pads, "constant", number(-1))
    hold(result, [x], tmp_path)
    assert variants(tmp_path)["Pad"] == "pads"


@pytest.mark.parametrize("mode", ["edge", "reflect"])
def test_cropping_in_other_modes_is_left_to_the_evaluation(mode: str, tmp_path: Path) -> None:
    x = ops.parameter([1, 3, 6, 5], np.float32, name="x")
    hold(opset12.pad(x, [0, 0, -1, 1], [0, 0, 2, -1], mode), [x], tmp_path, openvino=False)
    assert "Pad" not in variants(tmp_path)


def test_pads_of_whole_numbers(tmp_path: Path) -> None:
    x = ops.parameter([2, 3], np.int64, name="x")
    hold(ops.pad(x, [1, 0], [0, 2], "constant", ops.constant(np.int64(7))), [x], tmp_path)
    assert variants(tmp_path)["Pad"] == "pads"


def test_padded_values_that_are_results_are_kept(tmp_path: Path) -> None:
    x = ops.parameter([1, 4, 9, 8], np.float32, name="x")
    hold(ops.pad(x, [0, 0, 1, 2], [0, 0, 2, 0], "constant", number(0)), [x], tmp_path)
    assert variants(tmp_path)["Pad"] == "pads"
