"""What one run leaves to the next, and windows that are far larger than the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ir_plugin import Core, Error
from tests.support.ir import build
from tests.support.sample import param

ONES = np.ones((1, 1, 3, 3), np.uint8)
BINARY = {
    "strides": [1, 1], "dilations": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0], "mode": "xnor-popcount",
    "pad_value": 0.0, "auto_pad": "explicit",
}  # fmt: skip


@pytest.mark.parametrize("optimize", [True, False])
def test_a_run_that_fails_changes_nothing_of_later_runs(optimize: bool) -> None:
    image = np.ones((1, 1, 4, 4), np.int32)
    kernel = param(ONES, "u1")
    ir = build("BinaryConvolution", 1, [param(image), kernel], BINARY, 1, shapes={0: "..."})
    compiled = Core().compile_model(ir.xml, weights=ir.weights, config={"OPTIMIZE": optimize})
    first = compiled([image, ONES])[0]
    with pytest.raises(Error):
        compiled([np.ones((4, 4), np.int32), ONES])
    again = compiled([image, ONES])[0]
    assert (first.dtype, first.tolist()) == (again.dtype, again.tolist())


def pool(kernel: int, stride: int, **more: object) -> dict[str, object]:
    return {
        "strides": [stride] * 2, "pads_begin": [kernel - 1] * 2, "pads_end": [kernel - 1] * 2, "kernel": [kernel] * 2,
        "rounding_type": "floor", "auto_pad": "explicit", **more,
    }  # fmt: skip


PLACES: dict[str, object] = {"dilations": [1, 1], "index_element_type": "i64", "axis": 2}
POOLS: dict[str, tuple[str, int, dict[str, object], int]] = {
    "MaxPool-1": ("MaxPool", 1, pool(1000, 100), 1),
    "MaxPool-8": ("MaxPool", 8, pool(1000, 100, **PLACES), 2),
    "AvgPool-1": ("AvgPool", 1, pool(1000, 100, **{"exclude-pad": True}), 1),
}


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("name", POOLS)
def test_a_window_far_larger_than_the_data_takes_few_steps(name: str, optimize: bool) -> None:
    type, version, attributes, outputs = POOLS[name]
    data = np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)
    ir = build(type, version, [param(data)], attributes, outputs)
    found = Core().compile_model(ir.xml, weights=ir.weights, config={"OPTIMIZE": optimize})([data])
    middle = found[0][0, 0, 5, 5]
    assert middle == (data.max() if type == "MaxPool" else data.mean())
    if outputs == 2:
        assert found[1][0, 0, 5, 5] == 3


@pytest.mark.parametrize("type", ["AdaptiveAvgPool", "AdaptiveMaxPool"])
def test_regions_far_more_than_elements_take_few_steps(type: str) -> None:
    data: Any = np.arange(6, dtype=np.float32).reshape(1, 1, 2, 3)
    counts = np.array([2, 30_000], np.int64)
    attributes = {"index_element_type": "i64"} if type == "AdaptiveMaxPool" else {}
    ir = build(type, 8, [param(data), param(counts)], attributes, 1 + len(attributes))
    found = Core().compile_model(ir.xml, weights=ir.weights)([data, counts])
    assert found[0].shape == (1, 1, 2, 30_000)
    assert found[0][0, 0, :, ::10_000].tolist() == data[0, 0].tolist()
