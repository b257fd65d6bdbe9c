"""The compiled depthwise convolution against the evaluation and OpenVINO, for random windows and channels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openvino import opset8 as ops

from tests.support.planned import hold


@settings(max_examples=24, deadline=None)
@given(draws=st.data())
def test_windows(draws: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    def pair(low: int, high: int) -> list[int]:
        return [draws.draw(st.integers(low, high)) for _ in range(2)]

    channels = draws.draw(st.sampled_from([1, 3, 6, 8, 13, 33, 70]))
    kernel, strides, dilations, begin, end = pair(1, 7), pair(1, 2), pair(1, 4), pair(0, 9), pair(0, 9)
    lengths = [
        max(low, dilation * (size - 1) + 1 - before - after)
        for low, dilation, size, before, after in zip(pair(1, 20), dilations, kernel, begin, end, strict=True)
    ]
    x = ops.parameter([2, channels, *lengths], np.float32)
    weights = np.random.default_rng(1).standard_normal((channels, 1, 1, *kernel)).astype(np.float32)
    y = ops.group_convolution(x, ops.constant(weights), strides, begin, end, dilations)
    hold(ops.relu(y), [x], tmp_path_factory.mktemp("depthwise"))


def test_a_single_channel_is_read_whatever_its_stride(tmp_path: Path) -> None:
    x = ops.parameter([2, 1, 8, 17], np.float32)
    weights = np.random.default_rng(1).standard_normal((1, 1, 1, 4, 1)).astype(np.float32)
    y = ops.group_convolution(x, ops.constant(weights), [1, 1], [8, 0], [1, 0], [2, 1])
    hold(ops.relu(y), [x], tmp_path)
