"""Normalization of groups of channels on memory with channels last, with what follows fused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from tests.support.planned import PROVIDERS, close, hold, variants

op12: Any = ov.opset12


def vector(*values: float) -> Any:
    return ops.constant(np.array(values, np.float32))


def normalized(x: Any, channels: int, groups: int) -> Any:
    rng = np.random.default_rng(channels)
    scale, bias = (ops.constant(rng.standard_normal(channels).astype(np.float32)) for _ in range(2))
    return op12.group_normalization(x, scale, bias, groups, 1e-5)


def convolved(x: Any, channels: int) -> Any:
    weights = np.random.default_rng(4).standard_normal((channels, 3, 1, 1)).astype(np.float32)
    return ops.convolution(x, ops.constant(weights), [1, 1], [0, 0], [0, 0], [1, 1])


@pytest.mark.parametrize(("channels", "groups"), [(4, 1), (6, 3), (32, 8), (40, 40), (33, 11)])
@pytest.mark.parametrize("batch", [1, 3])
def test_groups_equal_the_evaluation_and_openvino(channels: int, groups: int, batch: int, tmp_path: Path) -> None:
    x = ops.parameter([batch, 3, 19, 21], np.float32)
    y = ops.swish(normalized(convolved(x, channels), channels, groups))
    hold(ops.add(y, convolved(x, channels)), [x], tmp_path, rtol=2e-5)
    if "numba" in PROVIDERS:
        import ir_plugin.kernels.numba.group_normalization  # noqa: F401 - it can be compiled
    for provider in PROVIDERS:
        assert "groups" in variants(tmp_path, "auto" if provider == "numba" else provider)["GroupNormalization"]


@pytest.mark.parametrize("shape", [(2, 8), (2, 8, 30), (1, 8, 3, 4, 5), (1, 8, 90, 100)])
def test_other_ranks_and_layouts(shape: tuple[int, ...], tmp_path: Path) -> None:
    x = ops.parameter(list(shape), np.float32)
    hold(normalized(ops.add(x, vector(30)), 8, 4), [x], tmp_path, rtol=3e-5)


def test_numbers_that_are_not_finite_stay_in_their_groups(tmp_path: Path) -> None:
    x = ops.parameter([2, 6, 5, 7], np.float32)
    ov.serialize(ov.Model([ops.result(normalized(x, 6, 3))], [x], "m"), tmp_path / "m.xml")
    data = np.random.default_rng(1).standard_normal((2, 6, 5, 7)).astype(np.float32)
    data[0, 2, 1, 1], data[1, 5, 0, 0] = np.nan, np.inf
    expected = Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": False})([data])[0]
    for provider in PROVIDERS:
        actual = Core().compile_model(tmp_path / "m.xml", config={"PROVIDER": provider})([data])[0]
        close(actual, expected, 1e-5, provider)
