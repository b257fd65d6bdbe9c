"""NaN and infinity in data reach the elements that the evaluation gives them to, and no others, in every plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.kernels.numpy.finite import are_finite
from tests.fuzz.operation_cases import Case
from tests.fuzz.operation_engines import CONFIGS, agree, by_cpu, by_us, feeds, read
from tests.support.sample import Sample, const, param

RANDOM = np.random.default_rng(13)


def data(number: float, channels: int, length: int) -> Any:
    array = RANDOM.standard_normal((2, channels, length, length)).astype(np.float32)
    array[0, 3, length // 2, length // 2] = number
    return param(array)


def weights(*shape: int) -> Any:
    return const(RANDOM.standard_normal(shape).astype(np.float32))


def windows(stride: int) -> dict[str, Any]:
    pads = {"pads_begin": [1, 1], "pads_end": [1, 1]}
    return {"strides": [stride, stride], "dilations": [1, 1], "auto_pad": "explicit", **pads}


def transposed(number: float, kernel: int, stride: int) -> Sample:
    operands = [data(number, 8, 12), weights(8, 6, kernel, kernel)]
    return Sample("ConvolutionBackpropData", 1, operands, windows(stride) | {"output_padding": [0, 0]})


def grouped(number: float, kernel: int, stride: int) -> Sample:
    operands = [data(number, 8, 12), weights(4, 2, 3, kernel, kernel)]
    return Sample("GroupConvolutionBackpropData", 1, operands, windows(stride) | {"output_padding": [0, 0]})


def resized(number: float, mode: str, size: list[int]) -> Sample:
    operands = [data(number, 8, 12), const(size), const([1.0, 1.0]), const([2, 3])]
    return Sample("Interpolate", 4, operands, {"mode": mode, "shape_calculation_mode": "sizes"})


def winograd(number: float, channels: int, length: int) -> Sample:
    return Sample("Convolution", 1, [data(number, channels, length), weights(64, channels, 3, 3)], windows(1))


def by_groups(number: float, groups: int, outputs: int, kernel: int) -> Sample:
    operands = [data(number, 32, 12), weights(groups, outputs, 32 // groups, kernel, kernel)]
    return Sample("GroupConvolution", 1, operands, windows(1))


SAMPLES: dict[str, tuple[Any, ...]] = {
    **{f"{make.__name__} {k} {s}": (make, k, s) for make in (transposed, grouped) for k, s in ((3, 2), (4, 2), (5, 3))},
    **{f"{mode} {size}": (resized, mode, size) for mode in ("linear_onnx", "cubic") for size in ([24, 24], [6, 7])},
    **{f"groups {g} of {n}, {k}": (by_groups, g, n, k) for g, n, k in ((8, 4, 3), (16, 2, 1), (2, 16, 3))},
    "winograd": (winograd, 64, 28),
}


@pytest.mark.parametrize("number", [np.nan, np.inf])
@pytest.mark.parametrize("name", SAMPLES)
def test_plans_give_them_to_the_same_elements(name: str, number: float) -> None:
    make, *arguments = SAMPLES[name]
    case = Case(make(number, *arguments), {}, "")
    ir = case.build()
    plain = by_us(case, ir, "plain")
    assert agree(by_cpu(read(ir), feeds(case, ir)), plain)
    for config in CONFIGS:
        assert agree(by_us(case, ir, config), plain), config


def test_finiteness_is_seen_in_any_layout() -> None:
    array = np.ones((2, 3, 4, 5), np.float32)
    for view in (array, array.transpose(0, 3, 1, 2), array[:, ::2], np.full((3, 3), 1e30, np.float32)):
        assert are_finite(view)
    for number in (np.nan, np.inf, -np.inf):
        array[1, 2, 3, 4] = number
        assert not are_finite(array)
        assert not are_finite(array.transpose(0, 3, 1, 2))


@pytest.mark.parametrize("number", [0.5, np.nan, np.inf])
def test_winograd_of_a_slice_between_convolutions(number: float, tmp_path: Path) -> None:
    """The slices lie in the memory of the first convolution, and the sums add what lies in it too."""
    x = ops.parameter([1, 16, 24, 24], np.float32)
    halves = ops.split(ops.relu(convolved(x, 128)), ops.constant(np.int64(1)), 2)
    y = ops.add(ops.swish(convolved(halves.output(1), 64)), halves.output(0))
    model = ov.Model([ops.concat([halves.output(1), y], 1)], [x], "slices")
    ov.serialize(model, tmp_path / "slices.xml")
    array = RANDOM.standard_normal((1, 16, 24, 24)).astype(np.float32)
    array[0, 3, 12, 12] = number
    expected = Core().compile_model(tmp_path / "slices.xml", config={"OPTIMIZE": False})([array])[0]
    compiled = Core().compile_model(tmp_path / "slices.xml")
    for _ in range(2):
        np.testing.assert_allclose(compiled([array])[0], expected, rtol=1e-4, atol=1e-4)


def convolved(data: Any, channels: int) -> Any:
    shape = (channels, data.get_shape()[1], 3, 3)
    kernel = ops.constant(RANDOM.standard_normal(shape).astype(np.float32) / 10)
    return ops.convolution(data, kernel, [1, 1], [1, 1], [1, 1], [1, 1])
