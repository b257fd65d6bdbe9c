"""BatchNormInference with constant statistics becomes Multiply and Add."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset1
from openvino import opset13 as ops

from tests.support.passes import constant, data, model_of, run_pass

NAME = "batch_norm_decomposition"


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(1, 4, 6, 6)
    variance = ops.constant(np.ones(4, np.float32))
    return model_of(ops.batch_norm_inference(x, constant(4), constant(4), constant(4), variance, 1e-3), [x])


def normalized(x: Any, channels: int, variance: Any = None) -> Any:
    spread = constant(channels) if variance is None else variance
    return ops.batch_norm_inference(x, constant(channels), constant(channels), constant(channels), spread, 1e-3)


@pytest.mark.parametrize("shape", [(2, 4), (2, 4, 5), (2, 4, 5, 6), (1, 4, 3, 2, 2)])
def test_constant_statistics_become_a_scale_and_an_offset(shape: tuple[int, ...]) -> None:
    x = data(*shape)
    assert run_pass(NAME, normalized(x, 4), [x]).types() == ["Multiply", "Add"]


def test_the_first_version_has_its_inputs_in_another_order() -> None:
    x = data(2, 4, 5)
    y = opset1.batch_norm_inference(x, constant(4), constant(4), constant(4), constant(4), 1e-2)
    assert run_pass(NAME, y, [x]).types() == ["Multiply", "Add"]


def test_statistics_of_the_run_stay() -> None:
    x, variance = data(2, 4, 5), data(4)
    inputs = [np.ones((2, 4, 5), np.float32), np.array([1, 2, 3, 4], np.float32)]
    assert not run_pass(NAME, normalized(x, 4, variance), [x, variance], inputs).is_match
