"""QuantizeLinear and DequantizeLinear of ONNX become one FakeQuantize."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.support.passes import data, model_of, number, run_pass
from tests.support.quantized import on_levels

NAME = "quantize_dequantize_fusion"


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    levels = ops.fake_quantize(data(1, 8), number(-1), number(1.55), number(0), number(255), 256)
    numbers = ops.convert(ops.convert(levels, np.uint8), np.float32)
    rounded = ops.multiply(ops.subtract(numbers, number(100)), number(0.01))
    return model_of(ops.relu(rounded), [levels.input_value(0).get_node()])


def pair(x: Any, low: float, high: float, type: Any, zero: float | None, levels: int = 256) -> Any:
    offset = 0 if zero is None else zero
    limits = number((low - offset) * 0.05), number((high - offset) * 0.05)
    narrow = ops.convert(ops.fake_quantize(x, *limits, number(low), number(high), levels), type)
    wide = ops.convert(narrow, np.float32)
    return ops.multiply(wide if zero is None else ops.subtract(wide, number(zero)), number(0.05))


FUSED: dict[str, Callable[[Any], Any]] = {
    "u8 with a zero point": lambda x: pair(x, 0, 255, np.uint8, 100),
    "i8": lambda x: pair(x, -128, 127, np.int8, None),
    "fewer levels": lambda x: pair(x, 0, 15, np.uint8, 3, 16),
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    "levels that the type cannot hold": lambda x: pair(x, 0, 255, np.int8, 100),
    "steps between integers": lambda x: pair(x, 0, 255, np.uint8, 100, 128),
    "steps that f32 rounds to below integers": lambda x: pair(x, 0, 37, np.uint8, 3, 38),
}


@pytest.mark.parametrize("name", FUSED)
def test_pairs_are_fused(name: str) -> None:
    x = data(2, 3, 8)
    result = run_pass(NAME, ops.relu(FUSED[name](x)), [x], [on_levels((2, 3, 8))], judge="reference")
    assert result.is_match
    assert "FakeQuantize" in result.types()


@pytest.mark.parametrize("name", OTHERS)
def test_other_conversions_stay(name: str) -> None:
    x = data(2, 3, 8)
    inputs = [np.abs(on_levels((2, 3, 8))) * np.float32(0.1)]
    assert not run_pass(NAME, ops.relu(OTHERS[name](x)), [x], inputs, judge="").is_match


def test_a_subtraction_of_a_value_stays() -> None:
    x = data(2, 3, 8)
    wide = ops.convert(ops.convert(x, np.uint8), np.float32)
    y = ops.multiply(ops.subtract(wide, ops.sin(x)), number(2))
    assert not run_pass(NAME, y, [x], [np.abs(on_levels((2, 3, 8)))]).is_match


@pytest.mark.parametrize("shape", [[1, 8], [-1, 8], [1, -1], [-1, -1]])
@pytest.mark.parametrize("scales", [(3, 1), (1, 1, 1), (8,), (1, 8), (2, 1, 8)])
@pytest.mark.parametrize("part", ["scale", "zero point"])
def test_operands_that_broadcast_beyond_the_levels_stay(part: str, scales: tuple[int, ...], shape: list[int]) -> None:
    x, factors = ops.parameter(shape, np.float32), np.linspace(0.5, 2, int(np.prod(scales)), dtype=np.float32)
    varied = ops.constant(factors.reshape(scales))
    levels = ops.convert(ops.fake_quantize(x, number(-1), number(1.55), number(0), number(255), 256), np.uint8)
    zero = ops.constant(np.rint(factors * 100).reshape(scales)) if part == "zero point" else number(100)
    numbers = ops.subtract(ops.convert(levels, np.float32), zero)
    y = ops.relu(ops.multiply(numbers, varied if part == "scale" else number(0.01)))
    change = run_pass(NAME, y, [x], [on_levels((1, 8))], judge="reference")
    assert change.is_match == (scales in ((8,), (1, 8)))
