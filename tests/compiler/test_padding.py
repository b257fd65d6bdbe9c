"""Pads in both layouts, and pads that become those of convolutions, against the plain evaluation and OpenVINO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openvino import opset8 as ops
from openvino import opset12

from ir_plugin import Core
from tests.compiler.test_pooling import channels_last
from tests.support.planned import hold, variants

RNG = np.random.default_rng(5)


def const(*shape: int) -> Any:
    return ops.constant(RNG.standard_normal(shape).astype(np.float32))


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


def around(x: Any, value: float = 0, begin: Any = (0, 0, 1, 2), mode: str = "constant") -> Any:
    return ops.pad(x, list(begin), [0, 0, 2, 0], mode, number(value))


def conv(x: Any, auto_pad: str = "explicit", pads: tuple[int, int] = (0, 0)) -> Any:
    return ops.convolution(x, const(4, x.shape[1], 3, 3), [2, 1], list(pads), list(pads), [1, 1], auto_pad)


def two_readers(x: Any) -> Any:
    wide = around(x)
    grouped = ops.group_convolution(wide, const(4, 1, 1, 3, 3), [2, 1], [0, 0], [0, 0], [1, 1])
    return ops.add(ops.relu(conv(wide)), grouped)


MERGED = {
    "alone": lambda x: conv(around(x)),
    "more pads": lambda x: conv(around(x), pads=(2, 1)),
    "valid": lambda x: conv(around(x), "valid"),
    "same": lambda x: conv(around(x), "same_lower"),
    "two readers": two_readers,
}
KEPT = {
    "ones": lambda x: conv(around(x, 1)),
    "channels": lambda x: conv(around(x, begin=(0, 1, 1, 2))),
    "edges": lambda x: conv(around(x, mode="edge")),
    "pooled": lambda x: ops.max_pool(around(x), [1, 1], [1, 1], [0, 0], [0, 0], [3, 3]).output(0),
    "crops": lambda x: conv(opset12.pad(x, [0, 0, -1, 1], [0, 0, 0, 0], "constant", number(0))),
}


def sum_with_reader(x: Any) -> Any:
    wide = around(x)
    return ops.add(ops.reduce_mean(wide, ops.constant([2, 3]), True), conv(wide))


@pytest.mark.parametrize("name", [*MERGED, *KEPT, "another reader"])
def test_zeros_become_pads_of_convolutions(name: str, tmp_path: Path) -> None:
    x = ops.parameter([2, 4, 9, 8], np.float32, name="x")
    result = (MERGED | KEPT | {"another reader": sum_with_reader})[name](x)
    hold(result, [x], tmp_path)
    assert ("Pad" in variants(tmp_path)) == (name not in MERGED)
    engine = Core().compile_model(tmp_path / "m.xml", config={"DISABLED_PASSES": ["pad_fusion"]}).engine
    assert "pad_fusion" in engine.disabled


def test_padded_values_that_are_results_are_kept(tmp_path: Path) -> None:
    x = ops.parameter([1, 4, 9, 8], np.float32, name="x")
    hold(around(x), [x], tmp_path)
    assert variants(tmp_path)["Pad"] == "pads"
