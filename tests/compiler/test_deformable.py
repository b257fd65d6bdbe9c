"""The compiled DeformableConvolution against the evaluation and OpenVINO, for random shapes and attributes."""

from __future__ import annotations

import numpy as np
import openvino as ov
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openvino import opset8 as ops

from ir_plugin import Core
from ir_plugin.tensors import Array
from tests.support.planned import PROVIDERS, close

RUN = {"INFERENCE_PRECISION_HINT": "f32"}


@st.composite
def layers(draw: st.DrawFn) -> tuple[ov.Model, list[Array]]:
    """Draw a model of open lengths, and inputs for it."""
    integers = st.integers
    group, deformable_group = draw(st.sampled_from([(1, 1), (2, 1), (1, 2), (2, 2), (2, 4), (4, 2)]))
    channels, outputs = 4 * draw(integers(1, 5)), 4 * draw(integers(1, 3))
    kernel = (draw(integers(1, 3)), draw(integers(1, 3)))
    strides, dilations, pads = ([draw(integers(low, 2)) for _ in range(2)] for low in (1, 1, 0))
    lengths = [draw(integers(6, 40)) for _ in range(2)]
    spatial = [
        (length + 2 * pad - dilation * (size - 1) - 1) // stride + 1
        for length, pad, dilation, size, stride in zip(lengths, pads, dilations, kernel, strides, strict=True)
    ]
    rng = np.random.default_rng(draw(integers(0, 99)))
    elements = deformable_group * kernel[0] * kernel[1]
    shapes = [(2, channels, *lengths), (2, elements * 2, *spatial), (2, elements, *spatial)]
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in shapes[: draw(integers(2, 3))]]
    arrays[1] *= 2
    weights = rng.standard_normal((outputs, channels // group, *kernel)).astype(np.float32)
    parameters = [ops.parameter([-1, array.shape[1], -1, -1], np.float32) for array in arrays]
    layer = ops.deformable_convolution(
        *parameters[:2], ops.constant(weights), strides, pads, pads, dilations,
        mask=parameters[2] if len(parameters) > 2 else None,
        group=group, deformable_group=deformable_group, bilinear_interpolation_pad=draw(st.booleans()),
    )  # fmt: skip
    return ov.Model([ops.result(ops.relu(layer))], parameters, "layer"), arrays


@settings(max_examples=12, deadline=None)
@given(layer=layers(), threads=st.integers(1, 2), is_open=st.booleans())
def test_the_numbers_are_those_of_the_evaluation_and_of_openvino(
    layer: tuple[ov.Model, list[Array]], threads: int, is_open: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    model, inputs = layer
    if not is_open:
        model.reshape(dict(enumerate(ov.PartialShape(list(array.shape)) for array in inputs)))
    path = tmp_path_factory.mktemp("deformable") / "m.xml"
    ov.serialize(model, path)
    plain = Core().compile_model(path, config={"OPTIMIZE": False})(inputs)[0]
    close(plain, ov.Core().compile_model(model, "CPU", RUN)(inputs)[0], 1e-4, "OpenVINO")
    for provider in PROVIDERS:
        config = {"PROVIDER": provider, "INFERENCE_NUM_THREADS": threads}
        close(Core().compile_model(path, config=config)(inputs)[0], plain, 1e-5, provider)
