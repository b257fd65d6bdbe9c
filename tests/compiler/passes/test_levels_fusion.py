"""Epilogues of integer operations read levels."""

from __future__ import annotations

import openvino as ov
from openvino import opset13 as ops

from tests.compiler.passes.test_low_precision import convolved
from tests.support.passes import data, model_of, quantized_convolution, run_pass
from tests.support.quantized import integer_weights, on_levels, rounded

NAME = "levels_fusion"


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(1, 4, 5, 5)
    convolution = quantized_convolution(x)
    return model_of(ops.add(convolution, convolution.input_value(0)), [x])


def test_a_sum_with_levels_reads_bytes() -> None:
    x = data(1, 6, 8, 8)
    first = rounded(ops.relu(x), 0)
    y = ops.add(convolved(first, integer_weights([6, 6, 3, 3])), first)
    result = run_pass(NAME, ops.relu(y), [x], [on_levels((1, 6, 8, 8))])
    assert "OnLevels" in result.after


def test_two_operands_stay_numbers() -> None:
    x, y = data(1, 6, 8, 8), data(1, 6, 8, 8)
    first, second = rounded(ops.relu(x), 0), rounded(ops.relu(y), 0, scale=0.1)
    sums = ops.add(ops.add(convolved(first, integer_weights([6, 6, 3, 3])), first), second)
    inputs = [on_levels((1, 6, 8, 8)), on_levels((1, 6, 8, 8), 2, 0.1)]
    result = run_pass(NAME, ops.relu(ops.add(sums, ops.sin(second))), [x, y], inputs)
    assert "OnLevels" not in result.after


def test_levels_of_another_shape_stay_numbers() -> None:
    x, y = data(1, 6, 8, 8), data(1, 6, 1, 1)
    gate = rounded(ops.relu(y), 0)
    product = ops.multiply(convolved(rounded(x), integer_weights([6, 6, 3, 3])), gate)
    inputs = [on_levels((1, 6, 8, 8)), on_levels((1, 6, 1, 1), 2)]
    result = run_pass(NAME, ops.add(product, ops.sin(gate)), [x, y], inputs)
    assert "OnLevels" not in result.after
