"""Pads of zeros become those of the convolutions that read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset8 as ops
from openvino import opset12

from ir_plugin import Core
from tests.support.passes import convolution, data, model_of, number, run_pass
from tests.support.planned import hold, variants

RNG = np.random.default_rng(5)


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(1, 3, 6, 6)
    return model_of(convolution(ops.pad(x, [0, 0, 1, 1], [0, 0, 1, 1], "constant", number(0))), [x])


def const(*shape: int) -> Any:
    return ops.constant(RNG.standard_normal(shape).astype(np.float32))


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
    made = (MERGED | KEPT | {"another reader": sum_with_reader})[name](x)
    hold(made, [x], tmp_path)
    assert ("Pad" in variants(tmp_path)) == (name not in MERGED)
    engine = Core().compile_model(tmp_path / "m.xml", config={"DISABLED_PASSES": ["pad_fusion"]}).engine
    assert "pad_fusion" in engine.disabled


@pytest.mark.parametrize("name", [*MERGED, *KEPT, "another reader"])
def test_the_graph_has_no_pad_where_it_is_merged(name: str) -> None:
    x = data(2, 4, 9, 8)
    made = (MERGED | KEPT | {"another reader": sum_with_reader})[name](x)
    change = run_pass("pad_fusion", made, [x])
    assert change.is_match == (name in MERGED)
    assert ("Pad" not in change.types()) == (name in MERGED)


def test_a_pad_that_is_a_result_stays() -> None:
    x = data(2, 4, 9, 8)
    wide = around(x)
    assert not run_pass("pad_fusion", [conv(wide), wide], [x]).is_match


def test_pads_and_values_of_the_run_stay() -> None:
    x, begin, value = data(1, 4, 6, 6), ops.parameter([4], np.int64), data()
    inputs: list[Any] = [np.ones((1, 4, 6, 6), np.float32), np.array([0, 0, 1, 1]), np.array(0, np.float32)]
    by_value = conv(ops.pad(x, [0, 0, 1, 1], [0, 0, 1, 1], "constant", value))
    assert not run_pass("pad_fusion", by_value, [x, value], [inputs[0], inputs[2]]).is_match
    wide = ops.pad(x, begin, [0, 0, 1, 1], "constant", number(0))
    by_begin = ops.convolution(wide, const(3, 4, 3, 3), [1, 1], [0, 0], [0, 0], [1, 1])
    assert not run_pass("pad_fusion", by_begin, [x, begin], inputs[:2]).is_match


def test_zeros_that_are_filters_stay() -> None:
    x, weights = data(1, 2, 6, 6), data(3, 2, 1, 1)
    wide = ops.pad(weights, [0, 0, 1, 1], [0, 0, 1, 1], "constant", number(0))
    y = ops.convolution(x, wide, [1, 1], [0, 0], [0, 0], [1, 1])
    assert not run_pass("pad_fusion", y, [x, weights]).is_match


def test_zeros_that_are_data_and_filters_of_one_convolution_stay() -> None:
    x = data(2, 2, 3, 3)
    wide = around(x, begin=(0, 0, 1, 1))
    y = ops.relu(ops.convolution(wide, wide, [1, 1], [1, 1], [1, 1], [1, 1]))
    assert not run_pass("pad_fusion", y, [x]).is_match
