"""Pointwise convolutions of planes with few outputs, against the plain evaluation and OpenVINO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openvino import opset13 as ops

from ir_plugin.kernels import policy
from tests.support.planned import PROVIDERS, hold, variants

RNG = np.random.default_rng(7)
MOST = policy.PLANAR_CONVOLUTION_MAX_OUTPUTS


@pytest.fixture(autouse=True)
def any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose the kernel for small data too."""
    monkeypatch.setattr(policy, "PLANAR_CONVOLUTION_MIN_ELEMENTS", 0)


def const(*shape: int) -> Any:
    return ops.constant(RNG.standard_normal(shape).astype(np.float32))


def pointwise(x: Any, outputs: int, stride: int = 1, pad: int = 0) -> Any:
    axes = len(x.shape) - 2
    weights = const(outputs, x.shape[1], *[1] * axes)
    return ops.convolution(x, weights, [stride] * axes, [pad] * axes, [pad] * axes, [1] * axes)


@pytest.mark.parametrize("outputs", [1, 3, MOST])
@pytest.mark.parametrize("lengths", [(7,), (4, 33)])
def test_planes(lengths: tuple[int, ...], outputs: int, tmp_path: Path) -> None:
    x = ops.parameter([2, 16, *lengths], np.float32, name="x")
    hold(pointwise(x, outputs), [x], tmp_path)
    assert all(variants(tmp_path, provider)["Convolution"] == "planes" for provider in PROVIDERS)


def test_the_epilogue_follows(tmp_path: Path) -> None:
    x = ops.parameter([2, 8, 5, 6], np.float32, name="x")
    y = ops.relu(ops.add(pointwise(x, 3), const(1, 3, 1, 1)))
    other = ops.parameter([2, 3, 5, 6], np.float32, name="other")
    hold(ops.multiply(ops.tanh(ops.add(y, other)), const(1, 1, 1, 6)), [x, other], tmp_path)
    assert variants(tmp_path)["Convolution"] == "planes"


@pytest.mark.parametrize("axis", [1, 2, 3])
def test_planes_are_parts_of_a_concat(axis: int, tmp_path: Path) -> None:
    x = ops.parameter([2, 8, 5, 6], np.float32, name="x")
    hold(ops.concat([pointwise(x, 2), ops.relu(pointwise(x, 2))], axis), [x], tmp_path)


@pytest.mark.parametrize("fields", [{"outputs": MOST + 1}, {"outputs": 2, "stride": 2}, {"outputs": 2, "pad": 1}])
def test_other_convolutions_have_other_kernels(fields: dict[str, int], tmp_path: Path) -> None:
    x = ops.parameter([1, 8, 6, 6], np.float32, name="x")
    hold(pointwise(x, **fields), [x], tmp_path)
    assert variants(tmp_path)["Convolution"] != "planes"
