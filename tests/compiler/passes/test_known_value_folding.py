"""Values that follow from shapes become constants."""

from __future__ import annotations

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.support.passes import data, integers, model_of, run_pass, unknown_shape

NAME = "known_value_folding"


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x, y = data(2, 3, 4), data(6, 4)
    return model_of(ops.reshape(y, ops.shape_of(x), False), [x, y])


def test_the_users_of_a_shape_are_folded() -> None:
    x, y = data(2, 3, 4), data(6, 4)
    count = ops.gather(ops.shape_of(x), integers(0), ops.constant(np.int64(0)))
    target = ops.concat([count, integers(-1)], 0)
    change = run_pass(NAME, ops.reshape(y, target, False), [x, y])
    assert change.types() == ["Reshape"]
    assert "i64 [2, -1]" in change.after


@pytest.mark.parametrize(("count", "is_match"), [(2**12, True), (2**12 + 1, False)])
def test_large_tensors_are_left_to_constant_folding(count: int, is_match: bool) -> None:
    x = data(2, 3)
    wide = ops.broadcast(ops.constant(np.float32(2)), integers(count))
    change = run_pass(NAME, ops.add(wide, ops.reduce_sum(x, integers(0, 1), False)), [x])
    assert (f"constant f32[{count}]" in change.after) == is_match


def test_values_of_data_are_not_known() -> None:
    x = data(2, 3)
    assert not run_pass(NAME, ops.floor(x), [x]).is_match


def test_shapes_of_the_run_are_not_known() -> None:
    x = data(2, 3)
    assert not run_pass(NAME, ops.shape_of(unknown_shape(x)), [x]).is_match
