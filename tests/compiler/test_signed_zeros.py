"""Compiled elementwise kernels give zeros the signs that OpenVINO gives them, as 1 / Relu(-0) is +inf."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino
import openvino.opset13 as ops
import pytest

import ir_plugin

ZEROS = np.array([[0.0, -0.0, 1, -1, np.inf, -np.inf, 2, -3] * 8] * 4, np.float32)
REVERSED = np.ascontiguousarray(ZEROS[:, ::-1])
UNARY = {
    "Relu": ops.relu, "Abs": ops.absolute, "Negative": ops.negative, "Sqrt": ops.sqrt, "HSwish": ops.hswish,
    "1 / Relu": lambda x: ops.divide(np.float32(1), ops.relu(x)),
}  # fmt: skip
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum"]


def signs(inputs: list[Any], output: Any, path: Path, *arrays: Any) -> list[Any]:
    """Return where the results of both libraries have a sign."""
    openvino.save_model(openvino.Model([output], inputs), path, compress_to_fp16=False)
    arrays = arrays or (ZEROS, REVERSED)[: len(inputs)]
    theirs = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return [np.signbit(compiled(arrays)[0]).tolist() for compiled in (ir_plugin.Core().compile_model(path), theirs)]


@pytest.mark.parametrize("name", UNARY)
def test_of_one_operand(name: str, tmp_path: Path) -> None:
    x = ops.parameter(list(ZEROS.shape), np.float32)
    ours, theirs = signs([x], UNARY[name](x), tmp_path / "m.xml")
    assert ours == theirs


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("first", ["Relu", "Abs"])
def test_of_two_operands(name: str, first: str, tmp_path: Path) -> None:
    x, y = (ops.parameter(list(ZEROS.shape), np.float32) for _ in range(2))
    ours, theirs = signs([x, y], getattr(ops, name)(UNARY[first](x), y), tmp_path / "m.xml")
    assert ours == theirs


@pytest.mark.parametrize("channels", [2, 8, 64])
@pytest.mark.parametrize("name", ["depthwise", "convolution", "pointwise", "matmul"])
def test_of_sums_behind_relu(name: str, channels: int, tmp_path: Path) -> None:
    x = ops.parameter([4, channels] if name == "matmul" else [1, channels, 6, 6], np.float32)
    size = 1 if name == "pointwise" else 3
    if name == "matmul":
        y = ops.matmul(x, ops.constant(-np.ones((channels, channels), np.float32)), False, True)
    elif name == "depthwise":
        weights = ops.constant(-np.ones((channels, 1, 1, size, size), np.float32))
        y = ops.group_convolution(x, weights, [1, 1], [0, 0], [0, 0], [1, 1])
    else:
        weights = ops.constant(-np.ones((channels, channels, size, size), np.float32))
        y = ops.convolution(x, weights, [1, 1], [0, 0], [0, 0], [1, 1])
    bias = np.full([1, channels] if name == "matmul" else [1, channels, 1, 1], -0.0, np.float32)
    ours, theirs = signs([x], ops.relu(ops.add(y, ops.constant(bias))), tmp_path / "m.xml", np.zeros(x.shape, "f4"))
    assert ours == theirs
