"""Convolutions and products of quantized data and weights become integer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.support.passes import (
    compiled,
    constant,
    data,
    integers,
    model_of,
    number,
    quantized_convolution,
    rewrite,
    run_pass,
)
from tests.support.planned import PROVIDERS
from tests.support.quantized import SCALE, integer_weights, on_levels, rounded

NAME = "low_precision"


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(1, 4, 5, 5)
    return model_of(ops.relu(quantized_convolution(x)), [x])


def convolved(x: Any, weights: Any = None, pads: int = 1) -> Any:
    weights = integer_weights([8, 6, 3, 3]) if weights is None else weights
    return ops.convolution(x, weights, [1, 1], [pads, pads], [pads, pads], [1, 1])


def fake_quantized_weights() -> Any:
    low = np.full((8, 1, 1, 1), -1.27, np.float32)
    return ops.fake_quantize(ops.constant(constant(8, 6, 3, 3).data - np.float32(1.1)), low, -low, low, -low, 255)


LOWERED: dict[str, Callable[[Any], Any]] = {
    "a convolution": lambda x: convolved(rounded(x)),
    "unsigned data": lambda x: convolved(rounded(x, zero=0)),
    "an asymmetric range": lambda x: convolved(rounded(x, zero=37)),
    "fewer levels": lambda x: convolved(rounded(x, zero=64, levels=128)),
    "weights with a zero point": lambda x: convolved(rounded(x), integer_weights([8, 6, 3, 3], zero=120)),
    "weights of FakeQuantize": lambda x: convolved(rounded(x), fake_quantized_weights()),
    "a depthwise convolution": lambda x: ops.group_convolution(
        rounded(x), integer_weights([6, 1, 1, 3, 3]), [1, 1], [1, 1], [1, 1], [1, 1]
    ),
    "a scale for each channel": lambda x: ops.group_convolution(
        rounded(x, scale=np.linspace(0.04, 0.06, 6).reshape(1, 6, 1, 1)),
        integer_weights([6, 1, 1, 3, 3]), [1, 1], [1, 1], [1, 1], [1, 1],
    ),
    "groups": lambda x: ops.group_convolution(
        rounded(x), integer_weights([2, 4, 3, 3, 3]), [2, 2], [0, 0], [0, 0], [1, 1]
    ),
    "through MaxPool": lambda x: convolved(
        ops.max_pool(rounded(x), [2, 2], [1, 1], [0, 0], [0, 0], [2, 2], index_element_type="i64").output(0)
    ),
    "a product": lambda x: ops.matmul(rounded(x), integer_weights([5, 9]), False, True),
    "a product behind Reshape": lambda x: ops.matmul(
        ops.reshape(rounded(x), integers(12, 54), False), integer_weights([4, 54]), False, True
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOWERED)
def test_quantized_layers_become_integer(name: str) -> None:
    x = data(2, 6, 6, 9)
    result = run_pass(NAME, ops.relu(LOWERED[name](x)), [x], [on_levels((2, 6, 6, 9))])
    assert {"QuantizedConvolution", "QuantizedMatMul"} & set(result.types())
    assert "Quantize" in result.types()
    assert "FakeQuantize" not in result.types()


OTHERS: dict[str, Callable[[Any], Any]] = {
    "weights of floats": lambda x: convolved(rounded(x), constant(8, 6, 3, 3)),
    "data of floats": convolved,
    "more than 256 levels": lambda x: convolved(rounded(x, levels=257)),
    "0 between two levels": lambda x: convolved(
        ops.fake_quantize(x, number(-1), number(1.1), number(-1), number(1.1), 256)
    ),
    "a range without 0": lambda x: convolved(ops.fake_quantize(x, number(1), number(2), number(1), number(2), 256)),
    "exchanged limits": lambda x: convolved(
        ops.fake_quantize(x, number(-1.28), number(1.27), number(1.28), number(-1.27), 256)
    ),
    "weights beyond i8": lambda x: convolved(
        rounded(x),
        ops.multiply(ops.convert(ops.constant(np.full((8, 6, 3, 3), 200, np.uint8)), np.float32), number(0.1)),
    ),
    "a zero point beyond i16": lambda x: convolved(
        rounded(x),
        ops.multiply(
            ops.subtract(ops.convert(ops.constant(np.full((8, 6, 3, 3), 100, np.uint8)), np.float32), number(65536)),
            number(0.1),
        ),
    ),
    "a FakeQuantize of weights far from 0": lambda x: convolved(
        rounded(x), ops.fake_quantize(constant(8, 6, 3, 3), number(0), number(1), number(65536), number(65663), 128)
    ),
    "scales of the data's channels": lambda x: convolved(rounded(x, scale=np.linspace(0.04, 0.06, 6).reshape(6, 1, 1))),
    "scales of the weights' inputs": lambda x: convolved(
        rounded(x),
        ops.multiply(ops.convert(ops.constant(np.ones((8, 6, 3, 3), np.int8)), np.float32), constant(6, 1, 1)),
    ),
    "two variable factors": lambda x: ops.matmul(rounded(x), rounded(ops.sin(x)), False, True),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_layers_stay(name: str) -> None:
    x = data(2, 6, 6, 9)
    y = ops.relu(OTHERS[name](x))
    result = run_pass(NAME, y, [x], [on_levels((2, 6, 6, 9))], judge="")
    assert not {"QuantizedConvolution", "QuantizedMatMul"} & set(result.types())


def residual(x: Any) -> Any:
    first = rounded(ops.relu(convolved(rounded(x), integer_weights([6, 6, 3, 3], 3))), 0, scale=0.2)
    second = rounded(convolved(first, integer_weights([6, 6, 3, 3], 4)), scale=0.3)
    return rounded(ops.relu(ops.add(second, first)), 0, scale=0.3)


def test_a_residual_block_stays_in_levels() -> None:
    x = data(1, 6, 8, 8)
    model = model_of(ops.relu(convolved(residual(x))), [x])
    text = rewrite("dead_code", model).after
    assert text.count("QuantizedConvolution(") == 3
    assert text.count("+ Quantize()") == 2
    assert "OnLevels" in text
    assert "Dequantize(" not in text.replace("QuantizeDequantize(", "")


def test_the_key_of_openvino_switches_integers_off() -> None:
    x, inputs = data(1, 6, 8, 8), [on_levels((1, 6, 8, 8))]
    model = model_of(convolved(residual(x)), [x])
    plain = compiled(model, OPTIMIZE=False)(inputs)[0]
    simulated = compiled(model, LP_TRANSFORMS_MODE="NO")(inputs)[0]
    integer = compiled(model)(inputs)[0]
    step = 0.3 * 127 * 0.02 * 54
    assert np.abs(simulated - plain).max() <= np.abs(integer - plain).max() + 1e-4
    assert np.abs(integer - plain).max() < step
    assert SCALE


def gated(x: Any) -> Any:
    """Return a squeeze-and-excitation block between two convolutions."""
    levels = rounded(ops.relu(convolved(rounded(x), integer_weights([6, 6, 3, 3], 3))), 0, scale=0.3)
    mean = rounded(ops.reduce_mean(levels, integers(2, 3), True), 0, scale=0.1)
    gate = ops.sigmoid(ops.convolution(mean, integer_weights([6, 6, 1, 1], 4), [1, 1], [0, 0], [0, 0], [1, 1]))
    return convolved(rounded(ops.multiply(levels, gate), 0, scale=0.2))


def test_a_gated_block_stays_in_levels() -> None:
    x = data(2, 6, 8, 8)
    text = rewrite("dead_code", model_of(gated(x), [x])).after
    assert "MeanOfLevels" in text
    assert text.count("QuantizedConvolution(") == 3
    assert "Dequantize(%" in text
    assert "+ Multiply(" in text


@pytest.mark.parametrize("block", [residual, gated])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_blocks_are_as_near_to_floats_as_those_of_openvino(block: Callable[[Any], Any], provider: str) -> None:
    x, inputs = data(2, 6, 8, 8), [on_levels((2, 6, 8, 8))]
    model = model_of(block(x), [x])
    plain = compiled(model, OPTIMIZE=False)(inputs)[0]
    integer = compiled(model, PROVIDER=provider)(inputs)[0]
    reference = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(inputs)[0]
    ours, theirs = (float(np.sqrt(np.square(array - plain).mean())) for array in (integer, reference))
    assert ours <= 1.5 * theirs + 1e-3 * float(plain.std())


@pytest.mark.parametrize("reader", [ops.relu, lambda x: ops.add(x, x), lambda x: ops.multiply(ops.sin(x), x)])
def test_a_range_of_results_for_each_channel_beside_a_quantized_convolution(reader: Callable[[Any], Any]) -> None:
    """The first channel's scale is not that of the others."""
    x, other = data(1, 6, 6, 9), data(1, 4, 2, 2)
    highs = ops.constant(np.arange(1, 5, dtype=np.float32).reshape(1, 4, 1, 1))
    lows = ops.constant(np.zeros((1, 4, 1, 1), np.float32))
    ranged = reader(ops.fake_quantize(other, number(0), number(2.55), lows, highs, 256))
    inputs = [on_levels((1, 6, 6, 9)), on_levels((1, 4, 2, 2), scale=0.01)]
    change = run_pass(NAME, [convolved(rounded(x)), ranged], [x, other], inputs)
    assert "QuantizedConvolution" in change.types()


@pytest.mark.parametrize("levels", [(1, 54), (54,), (1, 1)])
def test_weights_whose_scales_broadcast_beyond_their_levels(levels: tuple[int, ...]) -> None:
    x = data(2, 54)
    codes = ops.constant((np.arange(np.prod(levels)) % 9 - 4).astype(np.int8).reshape(levels))
    scales = ops.constant(np.linspace(0.01, 0.5, 4 * 54, dtype=np.float32).reshape(4, 54)[:, : levels[-1]])
    weights = ops.multiply(ops.convert(codes, np.float32), scales)
    whole = weights if levels[-1] == 54 else ops.multiply(weights, ops.constant(np.ones((1, 54), np.float32)))
    run_pass(NAME, ops.relu(ops.matmul(x, whole, False, True)), [x], judge="reference")
    run_pass(NAME, ops.relu(ops.matmul(rounded(x), whole, False, True)), [x], [on_levels((2, 54))], judge="reference")


def test_weights_whose_limits_have_more_axes_than_their_levels() -> None:
    x, levels = data(2, 6, 6, 9), np.random.default_rng(5).integers(-127, 128, (8, 6, 3, 3)).astype(np.float32)
    high = np.linspace(0.5, 2, 8, dtype=np.float32)
    limits = [ops.constant((side * high).reshape(1, 8, 1, 1, 1)) for side in (-1, 1)]
    weights = ops.fake_quantize(ops.constant(levels), number(-127), number(127), *limits, 255)
    assert run_pass(NAME, convolved(rounded(x), weights), [x], [on_levels((2, 6, 6, 9))]).is_match


def test_a_range_for_each_of_no_channels_beside_a_quantized_convolution() -> None:
    x, other = data(1, 6, 6, 9), data(1, 0, 2, 2)
    lows, highs = (ops.constant(np.full((1, 0, 1, 1), value, np.float32)) for value in (0, 2))
    ranged = ops.relu(ops.fake_quantize(other, number(0), number(2), lows, highs, 256))
    run_pass(NAME, [convolved(rounded(x)), ranged], [x, other], [on_levels((1, 6, 6, 9)), np.ones((1, 0, 2, 2), "f")])
