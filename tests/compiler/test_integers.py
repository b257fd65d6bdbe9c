"""Integer kernels of both providers, against exact sums and each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openvino import opset13 as ops

from ir_plugin.kernels.numpy.convolution import Geometry
from ir_plugin.kernels.numpy.quantization import Grid, QuantizedEpilogue, SumsEpilogue, merged
from tests.support.passes import compiled, data, model_of
from tests.support.planned import PROVIDERS, hold, variants
from tests.support.quantized import integer_weights, on_levels, rounded

Array = np.ndarray[Any, Any]


@st.composite
def layers(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a convolution: groups, channels, sizes, strides, dilations, pads, the zero point, and what follows."""
    groups = draw(st.sampled_from([1, 1, 2, 3, 17, 40]))
    depthwise = draw(st.booleans()) and groups > 1
    inputs, outputs = (1, 1) if depthwise else (draw(st.integers(1, 9)), draw(st.integers(1, 40 if groups < 4 else 3)))
    kernel = [draw(st.integers(1, 4)), draw(st.integers(1, 3))]
    dilations = [draw(st.integers(1, 2)) for _ in range(2)]
    spatial = [draw(st.integers(7, 12)) for _ in range(2)]
    return {
        "filters": [groups, outputs, inputs, *kernel] if groups > 1 else [outputs, inputs, *kernel],
        "shape": [draw(st.integers(1, 2)), groups * inputs, *spatial],
        "strides": [draw(st.integers(1, 3)) for _ in range(2)],
        "dilations": dilations,
        "pads": [draw(st.integers(0, 2)) for _ in range(2)],
        "zero": draw(st.sampled_from([0, 128, 255, 31])),
        "next": draw(st.sampled_from(["f32", "relu", "u8", "i8", "hswish"])),
        "seed": draw(st.integers(0, 99)),
    }


def graph(layer: dict[str, Any]) -> tuple[ov.Model, Array]:
    x = data(*layer["shape"])
    grouped = len(layer["filters"]) == 5
    weights = integer_weights(layer["filters"], layer["seed"])
    convolve = ops.group_convolution if grouped else ops.convolution
    pads = layer["pads"]
    y = convolve(rounded(x, layer["zero"]), weights, layer["strides"], pads, pads, layer["dilations"])
    bias = np.random.default_rng(3).standard_normal((1, y.shape[1], 1, 1)).astype(np.float32)
    y = ops.add(y, ops.constant(bias))
    following = {
        "f32": y,
        "relu": ops.relu(y),
        "u8": rounded(ops.relu(y), 0),
        "i8": rounded(y),
        "hswish": ops.hswish(y),
    }
    y = following[layer["next"]]
    if layer["next"] in ("u8", "i8", "hswish"):
        y = rounded(y, 128) if layer["next"] == "hswish" else y
        channels = y.shape[1]
        y = ops.convolution(y, integer_weights([3, channels, 1, 1], 9), [1, 1], [0, 0], [0, 0], [1, 1])
    return model_of(y, [x]), on_levels(layer["shape"], layer["seed"])


@settings(max_examples=40, deadline=None)
@given(layers())
def test_providers_agree_bit_for_bit(layer: dict[str, Any]) -> None:
    model, inputs = graph(layer)
    results = [
        compiled(model, PROVIDER=provider, INFERENCE_NUM_THREADS=threads)([inputs])[0]
        for provider in PROVIDERS
        for threads in (1, 2)
    ]
    if layer["next"] == "hswish":  # the activation's last digit may move a level
        differing = [np.mean(result != results[0]) for result in results]
        assert max(differing) <= 0.2
    else:
        for result in results[1:]:
            np.testing.assert_array_equal(result, results[0])


@settings(max_examples=25, deadline=None)
@given(layers().filter(lambda layer: layer["next"] in ("f32", "relu")))
def test_sums_are_those_of_the_plain_evaluation(layer: dict[str, Any]) -> None:
    model, inputs = graph(layer)
    plain = compiled(model, OPTIMIZE=False)([inputs])[0]
    for provider in PROVIDERS:
        result = compiled(model, PROVIDER=provider)([inputs])[0]
        np.testing.assert_allclose(result, plain, rtol=1e-4, atol=1e-5 * max(float(np.abs(plain).max()), 1))


@pytest.mark.parametrize("width", [5, 16, 33, 64, 100, 200])
@pytest.mark.parametrize("rows", [1, 7, 60])
def test_products(rows: int, width: int, tmp_path: Path) -> None:
    x = data(rows, 70)
    y = ops.matmul(rounded(ops.clamp(x, -0.02, 0.02), scale=3e-4), integer_weights([width, 70]), False, True)
    hold(
        ops.add(y, ops.constant(np.linspace(-1, 1, width, dtype=np.float32))), [x], tmp_path, openvino=False, rtol=2e-3
    )
    assert variants(tmp_path, PROVIDERS[-1])["QuantizedMatMul"].startswith("int8")


def test_sums_too_long_for_f32_are_exact() -> None:
    depth = 3000
    x = data(4, depth)
    weights = ops.multiply(
        ops.convert(ops.constant(np.full((6, depth), 127, np.int8)), np.float32), np.float32(1 / 127)
    )
    y = ops.matmul(rounded(x, 0, scale=1.0), weights, False, True)
    inputs = np.full((4, depth), 255, np.float32)
    inputs[0, 0] = 254
    for provider in PROVIDERS:
        result = compiled(model_of(y, [x]), PROVIDER=provider)([inputs])[0]
        np.testing.assert_allclose(result[1], 255.0 * depth, rtol=1e-6)
        np.testing.assert_allclose(result[0], 255.0 * depth - 1, rtol=1e-6)


def test_saturating_pairs_do_not_saturate() -> None:
    x = data(2, 64)
    weights = ops.multiply(ops.convert(ops.constant(np.full((32, 64), -128, np.int8)), np.float32), np.float32(1))
    y = ops.matmul(rounded(x, 0, scale=1.0), weights, False, True)
    for provider in PROVIDERS:
        result = compiled(model_of(y, [x]), PROVIDER=provider)([np.full((2, 64), 255, np.float32)])[0]
        np.testing.assert_array_equal(result, np.float32(-128 * 255 * 64))


def test_a_rounding_is_merged_into_scale_and_offset() -> None:
    grid = Grid(np.full(1, 4, np.float32), np.full(1, 10, np.float32), 0, 255)
    epilogue = SumsEpilogue(np.full(2, 0.5), np.ones(2), (0, 6), rest=QuantizedEpilogue(output=grid))
    result = merged(epilogue)
    assert result.direct
    assert (result.scale[0], result.offset[0]) == (2, 14)
    assert [np.asarray(limit).tolist() for limit in result.limits] == [[10], [34]]


def test_limits_of_columns_that_are_rounded_differently() -> None:
    grid = Grid(np.array([4, -4], np.float32), np.array([10, 200], np.float32), 0, 255)
    result = merged(SumsEpilogue(np.ones(2), np.ones(2), (0, np.inf), rest=QuantizedEpilogue(output=grid)))
    assert result.direct
    assert [np.asarray(limit).tolist() for limit in result.limits] == [[10, 0], [255, 200]]


def test_a_geometry_of_one_pixel_is_pointwise() -> None:
    assert Geometry((1, 1, 1, 4), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0), (1, 1), 1, 8).is_pointwise
