"""The compiled ROIAlign against the evaluation and OpenVINO, for random boxes and attributes."""

from __future__ import annotations

import numpy as np
import openvino as ov
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openvino import opset9 as ops

from ir_plugin import Core
from tests.support.planned import PROVIDERS, close

RUN = {"INFERENCE_PRECISION_HINT": "f32"}


@settings(max_examples=15, deadline=None)
@given(draws=st.data(), channels=st.integers(1, 20), count=st.integers(0, 40), last=st.booleans())
def test_boxes(
    draws: st.DataObject, channels: int, count: int, last: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    mode, ratio = draws.draw(st.sampled_from(["avg", "max"])), draws.draw(st.integers(0, 3))
    aligned = draws.draw(st.sampled_from(["asymmetric", "half_pixel", "half_pixel_for_nn"]))
    rng = np.random.default_rng(draws.draw(st.integers(0, 99)))
    data = rng.standard_normal((2, channels, 13, 17)).astype(np.float32)
    corners = rng.uniform(-4, 30, (count, 2))
    boxes = np.concatenate([corners, corners + rng.uniform(0, 20, (count, 2))], axis=1).astype(np.float32)
    inputs = [data, boxes, rng.integers(0, 2, count).astype(np.int32)]
    x, rois, images = (
        ops.parameter(shape, array.dtype)
        for shape, array in zip(([2, channels, 13, 17], [-1, 4], [-1]), inputs, strict=True)
    )
    source = (
        ops.relu(ops.convolution(x, ops.constant(_identity(channels)), [1, 1], [0, 0], [0, 0], [1, 1])) if last else x
    )
    layer = ops.roi_align(source, rois, images, 3, 2, ratio, 0.5, mode, aligned)
    model = ov.Model([ops.result(layer)], [x, rois, images], "layer")
    path = tmp_path_factory.mktemp("rois") / "m.xml"
    ov.serialize(model, path)
    plain = Core().compile_model(path, config={"OPTIMIZE": False})(inputs)[0]
    if count:
        close(plain, ov.Core().compile_model(model, "CPU", RUN)(inputs)[0], 1e-4, "OpenVINO")
    for provider in PROVIDERS:
        compiled = Core().compile_model(path, config={"PROVIDER": provider})
        close(compiled(inputs)[0], plain, 2e-5, provider)


def _identity(channels: int) -> np.ndarray:
    return np.eye(channels, dtype=np.float32)[..., None, None]
