"""NaN and infinities in feature maps reach the samples of bins and windows that read them, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino
import openvino.opset1 as op1
import openvino.opset2 as op2
import openvino.opset9 as op9
import openvino.opset13 as ops
import pytest

import ir_plugin
from tests.support.planned import PROVIDERS

CONFIGS: list[dict[str, Any]] = [{"OPTIMIZE": False}, *({"PROVIDER": provider} for provider in PROVIDERS)]
RNG = np.random.default_rng(0)


def held(inputs: list[Any], output: Any, arrays: list[Any], path: Path) -> None:
    """Hold where results are NaN or infinite against OpenVINO's, for each configuration."""
    openvino.save_model(openvino.Model([output], inputs), path, compress_to_fp16=False)
    theirs = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(arrays)[0]
    for config in CONFIGS:
        ours = ir_plugin.Core().compile_model(path, config=config)(arrays)[0]
        np.testing.assert_array_equal(np.isfinite(ours), np.isfinite(theirs), err_msg=str(config))
        np.testing.assert_allclose(ours[np.isfinite(ours)], theirs[np.isfinite(theirs)], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("share", [1.0, 0.37])
def test_roi_align(value: float, share: float, tmp_path: Path) -> None:
    data = RNG.standard_normal((1, 2, 8, 8)).astype(np.float32)
    data[0, 0, 0, 7] = data[0, 0, 4, 4] = value
    rois = np.array([[0, 0, 4, 4], [2, 2, 6, 6], [1, 0, 7 * share, 6]], np.float32)
    x, boxes = (ops.parameter(list(array.shape), np.float32) for array in (data, rois))
    images = ops.constant(np.zeros(3, np.int32))
    output = op9.roi_align(x, boxes, images, 2, 2, 2, 1.0, "avg", "asymmetric")
    held([x, boxes], output, [data, rois], tmp_path / "m.xml")


@pytest.mark.parametrize("corner", [0, 4])
def test_deformable_convolution(corner: int, tmp_path: Path) -> None:
    data = RNG.standard_normal((1, 4, 5, 5)).astype(np.float32)
    data[0, 0, 0, corner] = np.nan
    offsets = (RNG.standard_normal((1, 18, 5, 5)) * 1.7).astype(np.float32)
    kernel = RNG.standard_normal((4, 2, 3, 3)).astype(np.float32)
    inputs = [ops.parameter(list(array.shape), np.float32) for array in (data, offsets, kernel)]
    output = op1.deformable_convolution(*inputs, [1, 1], [1, 1], [1, 1], [1, 1], group=2)
    held(inputs, output, [data, offsets, kernel], tmp_path / "m.xml")


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("mode", ["average", "bilinear"])
def test_psroi_pooling(mode: str, value: float, tmp_path: Path) -> None:
    data = RNG.standard_normal((1, 8, 12, 12)).astype(np.float32)
    data[0, :, 5, 5] = value
    rois = np.array([[0, 0, 0, 4, 4], [0, 3, 3, 8, 8], [0, 1, 2, 11, 9]], np.float32)
    x, boxes = (ops.parameter(list(array.shape), np.float32) for array in (data, rois))
    bins = 2 if mode == "bilinear" else 1
    sizes = {"output_dim": 2, "group_size": 2, "spatial_scale": 1.0 / 12 if mode == "bilinear" else 1.0}
    output = op1.psroi_pooling(x, boxes, **sizes, spatial_bins_x=bins, spatial_bins_y=bins, mode=mode)
    held([x, boxes], output, [data, rois], tmp_path / "m.xml")


@pytest.mark.parametrize(
    ("method", "value"),
    [("max", np.inf), ("max", -np.inf), ("bilinear", np.nan), ("bilinear", np.inf), ("bilinear", -np.inf)],
)
def test_roi_pooling(method: str, value: float, tmp_path: Path) -> None:
    """OpenVINO's maximum of a bin with NaN depends on where the NaN lies."""
    data = RNG.standard_normal((1, 2, 12, 12)).astype(np.float32)
    data[0, :, 5, 5] = value
    scale = 1.0 if method == "max" else 1.0 / 12
    rois = np.array([[0, 0, 0, 4, 4], [0, 3, 3, 8, 8], [0, 1, 2, 11, 9]], np.float32)
    rois[:, 1:] *= 1 if method == "max" else scale
    x, boxes = (ops.parameter(list(array.shape), np.float32) for array in (data, rois))
    output = op2.roi_pooling(x, boxes, [3, 3], 1.0, method)
    held([x, boxes], output, [data, rois], tmp_path / "m.xml")
