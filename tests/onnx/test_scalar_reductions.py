"""Reductions of a scalar whose axes are an input, held against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from tests.onnx.judged import judge, of_text

OPERATORS = ["L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"]


@pytest.mark.parametrize("keep", [0, 1])
@pytest.mark.parametrize("noop", [0, 1])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("operator", OPERATORS)
def test_axes_of_a_scalar_are_ignored(operator: str, axis: int, noop: int, keep: int) -> None:
    attributes = f"keepdims = {keep}, noop_with_empty_axes = {noop}"
    text = f"agraph (float x, int64[N] axes) => (float y) {{ y = Reduce{operator} <{attributes}> (x, axes) }}"
    judge(of_text(text, opset=18), {"x": np.array(3, np.float32), "axes": np.array([axis])})
