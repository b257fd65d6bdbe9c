"""Whatever follows a convolution or a product, its kernel is a compiled job; results are OpenVINO's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.compiler.plan import make_plan
from ir_plugin.kernels.numba.availability import numba_installed

PRECISE = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0}


def constant(*shape: int, seed: int = 1) -> Any:
    return ops.constant(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


PRODUCTS = ("Convolution", "MatMul", "FullyConnectedCompressed")
FOLLOWERS: dict[str, Callable[[Any, Any], Any]] = {
    "abs": lambda x, _: ops.absolute(x),
    "negative": lambda x, _: ops.negative(x),
    "negative after a bias": lambda x, _: ops.negative(ops.relu(ops.negative(ops.add(x, ops.constant(np.float32(2)))))),
    "gelu by tanh": lambda x, _: ops.gelu(x, "tanh"),
    "elu, then a factor": lambda x, _: ops.multiply(ops.elu(x, 0.7), ops.constant(np.float32(1.5))),
    "exp of a part": lambda x, _: ops.relu(ops.exp(ops.minimum(x, ops.constant(np.float32(1))))),
    "two residuals": lambda x, y: ops.relu(ops.add(ops.add(x, y), ops.sin(y))),
    "two residuals behind sqrt": lambda x, y: ops.subtract(ops.multiply(ops.sqrt(ops.relu(x)), y), ops.tanh(y)),
}


def convolved(follow: Callable[[Any, Any], Any]) -> openvino.Model:
    x, y = ops.parameter([2, 16, 14, 14], name="x"), ops.parameter([2, 24, 14, 14], name="y")
    sums = ops.convolution(x, constant(24, 16, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1])
    return openvino.Model([follow(sums, y)], [x, y])


def multiplied(follow: Callable[[Any, Any], Any]) -> openvino.Model:
    x, y = ops.parameter([40, 48], name="x"), ops.parameter([40, 64], name="y")
    return openvino.Model([follow(ops.matmul(x, constant(48, 64), False, False), y)], [x, y])


def decompressed(rows: int) -> Callable[[Callable[[Any, Any], Any]], openvino.Model]:
    """Return a function that makes a product of some rows with weights of u8, and what follows it."""

    def make(follow: Callable[[Any, Any], Any]) -> openvino.Model:
        x, y = ops.parameter([rows, 96], name="x"), ops.parameter([rows, 64], name="y")
        codes = np.random.default_rng(5).integers(0, 256, (64, 96), np.uint8)
        levels = ops.subtract(ops.convert(ops.constant(codes), np.float32), ops.constant(np.float32(127)))
        scales = ops.constant(np.random.default_rng(6).random((64, 1), np.float32) / 64)
        return openvino.Model([follow(ops.matmul(x, ops.multiply(levels, scales), False, True), y)], [x, y])

    return make


@pytest.mark.parametrize("make", [convolved, multiplied, *map(decompressed, (1, 3, 40))])
@pytest.mark.parametrize("name", FOLLOWERS)
def test_the_kernel_is_compiled(make: Callable[..., openvino.Model], name: str, tmp_path: Any) -> None:
    model = make(FOLLOWERS[name])
    openvino.save_model(model, tmp_path / "m.xml", compress_to_fp16=False)
    rng = np.random.default_rng(3)
    arrays = [rng.standard_normal(list(port.shape)).astype(np.float32) for port in model.inputs]
    expected = np.asarray(openvino.compile_model(model, "CPU", PRECISE)(arrays)[0])
    compiled = Core().compile_model(tmp_path / "m.xml")
    actual = np.asarray(compiled(arrays)[0])
    assert np.abs(actual - expected).max() <= 1e-5 * np.abs(expected).max()
    plan = make_plan(compiled.model, {}, 2**30)
    kinds = [step.variant for step in plan.steps if step.op.type in PRODUCTS]
    assert ["numba" in kind for kind in kinds] == [numba_installed()], kinds
