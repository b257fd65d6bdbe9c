"""NumPy's convolution of several pixels at a time against the evaluation and OpenVINO, for random windows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openvino import opset8 as ops

from ir_plugin import Core
from ir_plugin.compiler.selection.banded_cost import banded_pixels
from ir_plugin.kernels import policy
from ir_plugin.kernels.numpy.banded_convolution import wide_geometry
from ir_plugin.kernels.numpy.convolution import Geometry
from tests.support.planned import hold, variants


def convolution(data: Any, *shape: int, strides: tuple[int, int] = (1, 1), pads: tuple[int, int] = (0, 0)) -> Any:
    weights = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    return ops.convolution(data, ops.constant(weights), strides, pads, pads, (1, 1))


def test_wide_kernels_take_several_pixels(tmp_path: Path) -> None:
    x = ops.parameter([1, 8, 24, 64], np.float32)
    hold(ops.relu(convolution(x, 8, 8, 3, 31, pads=(1, 15))), [x], tmp_path)
    assert variants(tmp_path)["Convolution"].startswith("banded")


@settings(max_examples=24, deadline=None)
@given(draws=st.data())
def test_windows(draws: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    def pair(low: int, high: int) -> list[int]:
        return [draws.draw(st.integers(low, high)) for _ in range(2)]

    channels, outputs = draws.draw(st.sampled_from([1, 3, 8])), draws.draw(st.sampled_from([1, 2, 8]))
    kernel, strides, dilations, begin, end = pair(1, 9), pair(1, 3), pair(1, 3), pair(0, 9), pair(0, 9)
    lengths = [
        max(low, dilation * (size - 1) + 1 - before - after)
        for low, dilation, size, before, after in zip(pair(1, 30), dilations, kernel, begin, end, strict=True)
    ]
    reaches = [dilation * (size - 1) for dilation, size in zip(dilations, kernel, strict=True)]
    every_window_reads_data = all(max(pads) <= reach for *pads, reach in zip(begin, end, reaches, strict=True))
    x = ops.parameter([2, channels, *lengths], np.float32)
    weights = np.random.default_rng(1).standard_normal((outputs, channels, *kernel)).astype(np.float32)
    y = ops.convolution(x, ops.constant(weights), strides, begin, end, dilations)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(policy, "BANDED_CONVOLUTION_MAX_TIME_RATIO", 1e9)
        bias = ops.constant(np.linspace(-1, 1, outputs, dtype=np.float32).reshape(1, outputs, 1, 1))
        folder = tmp_path_factory.mktemp("banded")
        # OpenVINO's CPU may crash where a window reads pads alone
        hold(ops.relu(ops.add(y, bias)), [x], folder, openvino=every_window_reads_data)


def test_a_number_that_is_not_finite_changes_its_windows_only(tmp_path: Path) -> None:
    x = ops.parameter([1, 8, 24, 64], np.float32)
    ov.save_model(ov.Model([convolution(x, 8, 8, 3, 31, pads=(1, 15))], [x]), tmp_path / "m.xml", False)
    data = np.random.default_rng(0).standard_normal((1, 8, 24, 64)).astype(np.float32)
    data[0, 3, 10, 30] = np.inf
    compiled = Core().compile_model(tmp_path / "m.xml", config={"PROVIDER": "numpy"})
    plain = Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": False})
    np.testing.assert_allclose(compiled([data])[0], plain([data])[0], rtol=1e-4, atol=1e-4)


def test_the_pixels_divide_the_width_and_read_what_one_does() -> None:
    geometry = Geometry((1, 24, 96, 3), (5, 31), (1, 2), (1, 1), (2, 15), (2, 14), (24, 48), 1, 4)
    pixels = banded_pixels(geometry)
    wide = wide_geometry(geometry, pixels)
    assert pixels > 1
    assert wide.output[1] * pixels == geometry.output[1]
    assert (wide.output[1] - 1) * wide.strides[1] + wide.kernel[1] == 47 * 2 + 31
