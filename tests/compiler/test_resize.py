"""Interpolations in both layouts and all modes, against the plain evaluation and OpenVINO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openvino import opset1, opset11
from openvino import opset8 as ops

from tests.compiler.test_pooling import channels_last
from tests.support.planned import PROVIDERS, hold, variants

TRANSFORMATIONS = ["half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"]
SHAPES: dict[str, tuple[tuple[int, ...], tuple[int, int]]] = {
    "twice": ((1, 9, 7, 6), (14, 12)),
    "uneven": ((2, 3, 7, 10), (12, 7)),
    "one": ((1, 3, 5, 4), (1, 9)),
    "long rows": ((1, 64, 20, 18), (40, 36)),
    "long lines": ((1, 2, 70, 300), (35, 310)),
    "long lines of rows": ((1, 24, 4, 80), (5, 200)),
}


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
@pytest.mark.parametrize("mode", ["linear_onnx", "cubic", "linear"])
def test_weighted_modes(mode: str, transformation: str, last: bool, tmp_path: Path) -> None:
    for name in ("twice", "uneven", "one"):
        check(name, mode, transformation, last, tmp_path)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("mode", ["linear_onnx", "cubic"])
@pytest.mark.parametrize("name", ["long rows", "long lines", "long lines of rows"])
def test_long_axes(name: str, mode: str, last: bool, tmp_path: Path) -> None:
    check(name, mode, "half_pixel", last, tmp_path)


def check(name: str, mode: str, transformation: str, last: bool, path: Path, **fields: Any) -> None:
    """Compare one interpolation of the spatial axes with the plain evaluation and OpenVINO."""
    shape, sizes = SHAPES[name]
    x = ops.parameter(list(shape), np.float32, name="x")
    data = channels_last(x) if last else x
    result = opset11.interpolate(
        data, constant(sizes), mode, "sizes",
        coordinate_transformation_mode=transformation, axes=constant((2, 3)), **fields,
    )  # fmt: skip
    hold(result, [x], path, openvino=not fields.get("antialias"))
    for provider in PROVIDERS:
        kernel = variants(path, provider)["Interpolate"]
        assert kernel == ("rows" if mode == "nearest" else "sums" if provider == "numpy" else "sums, numba")


def constant(values: Any) -> Any:
    return ops.constant(np.array(values, np.int64))


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"])
@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_nearest(transformation: str, rounding: str, tmp_path: Path) -> None:
    check("uneven", "nearest", transformation, rounding == "floor", tmp_path, nearest_mode=rounding)


@pytest.mark.parametrize("mode", ["linear", "bilinear_pillow", "bicubic_pillow"])
def test_antialiased(mode: str, tmp_path: Path) -> None:
    check("long lines", mode, "half_pixel", last=True, path=tmp_path, antialias=True)


def test_scales_of_all_dimensions(tmp_path: Path) -> None:
    x = ops.parameter([1, 3, 5, 6, 4], np.float32, name="x")
    scales = ops.constant(np.array([1, 1, 1.5, 0.5, 2], np.float32))
    hold(opset11.interpolate(x, scales, "linear_onnx", "scales"), [x], tmp_path)
    assert variants(tmp_path)["Interpolate"] == "sums"


@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_first_definition(mode: str, tmp_path: Path) -> None:
    x = ops.parameter([1, 3, 5, 6], np.float32, name="x")
    result = opset1.interpolate(x, constant([9, 4]), {"axes": [2, 3], "mode": mode, "align_corners": False})
    hold(result, [x], tmp_path)
    assert "Interpolate" in variants(tmp_path)


def test_channels_are_resized_by_the_evaluation(tmp_path: Path) -> None:
    x = ops.parameter([1, 4, 5, 6], np.float32, name="x")
    result = opset11.interpolate(channels_last(x), constant([8]), "linear_onnx", "sizes", axes=constant([1]))
    hold(result, [x], tmp_path, openvino=False)


def test_pads_are_left_to_the_evaluation(tmp_path: Path) -> None:
    x = ops.parameter([1, 2, 5, 6], np.float32, name="x")
    result = opset11.interpolate(
        x, constant([9, 9]), "linear_onnx", "sizes", [0, 0, 1, 0], [0, 0, 0, 1], axes=constant([2, 3])
    )
    hold(result, [x], tmp_path)
    assert "Interpolate" not in variants(tmp_path)
