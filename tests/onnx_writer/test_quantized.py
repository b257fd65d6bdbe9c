"""Weights of few bits with scales: DequantizeLinear where it says the same, and a chain of operators elsewhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")
pytest.importorskip("onnxruntime", reason="the extra [test]")

import onnx

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.frontends.onnx_writer.writing import onnx_bytes
from ir_plugin.tensors import Array, ElementType
from tests.onnx_writer.test_bodies import run


class Case(NamedTuple):
    """Types and shapes of weights and scales, whether there are zero points, and the oldest opset that takes them."""

    kind: str
    scale_kind: str
    shape: tuple[int, ...]
    scales: tuple[int, ...]
    has_points: bool
    oldest: int


CASES = {
    "one scale": Case("u8", "f32", (6, 8), (1, 1), True, 13),
    "a scalar": Case("i8", "f32", (6, 8), (), True, 13),
    "rows": Case("u8", "f32", (6, 8), (6, 1), True, 13),
    "rows without zero points": Case("i8", "f32", (6, 8), (6, 1), False, 13),
    "columns": Case("i8", "f16", (6, 8), (8,), True, 21),
    "rows of four bits": Case("u4", "f16", (6, 8), (6, 1), True, 21),
    "groups": Case("u4", "f16", (6, 4, 16), (6, 4, 1), True, 21),
    "groups of signed numbers": Case("i4", "f32", (6, 4, 16), (6, 4, 1), False, 21),
    "groups of eight bits": Case("i8", "f32", (6, 4, 16), (6, 4, 1), True, 21),
    "floats of eight bits": Case("f8e4m3", "f16", (6, 8), (6, 1), False, 21),
}


def chain(case: Case, swaps: bool = False) -> ov.Model:
    """Return x · (weights - zero points) · scales, the last axes of the weights joined."""
    kind, scale_kind, shape, scales, has_points, _ = case
    random = np.random.default_rng(3)
    element_type, real = ElementType.from_name(kind), ElementType.from_name(scale_kind)
    assert element_type is not None
    assert real is not None
    low = -7 if element_type.has_sign else 0

    def numbers(size: tuple[int, ...]) -> ov.Node:
        values = random.integers(low, 8, size).astype(element_type.dtype)
        return ops.convert(ops.constant(values, element_type), real.name)

    values = numbers(shape)
    if has_points:
        values = ops.subtract(values, numbers(scales))
    factors = ops.constant(random.uniform(0.01, 0.1, scales).astype(real.dtype), real)
    values = ops.multiply(factors, values) if swaps else ops.multiply(values, factors)
    joined = ops.reshape(values, ops.constant([shape[0], -1]), False)
    x = ops.parameter([2, int(np.prod(shape[1:]))], ov.Type.f32, "x")
    return ov.Model([ops.matmul(x, ops.convert(joined, "f32"), False, True)], [x])


def data_for(case: Case) -> Array:
    """Return two rows of data."""
    return np.sin(np.arange(2 * int(np.prod(case.shape[1:])), dtype=np.float32)).reshape(2, -1)


def kinds_of(content: bytes) -> list[str]:
    """Return the operators of a written model."""
    return [node.op_type for node in onnx.ModelProto.FromString(content).graph.node]


@pytest.mark.parametrize("swaps", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_scaled_weights_are_dequantized(name: str, swaps: bool) -> None:
    case = CASES[name]
    model = chain(case, swaps)
    for opset in (case.oldest, 21, 23, 25):
        content = onnx_bytes(model, opset)
        assert kinds_of(content)[0] == "DequantizeLinear"
        assert not {"Sub", "Mul"}.intersection(kinds_of(content))
        assert len(onnx.ModelProto.FromString(content).graph.initializer) <= 4
    data = data_for(case)
    (theirs,) = run(onnx_bytes(model, 21), {"x": data})
    as_written = ov.compile_model(model, config={"OPTIMIZE": False})(data)[0]
    np.testing.assert_allclose(as_written, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["groups", "columns"])
def test_what_an_opset_lacks_is_a_chain_of_operators(name: str) -> None:
    case = CASES[name]
    model = chain(case)
    content = onnx_bytes(model, 13)
    assert "DequantizeLinear" not in kinds_of(content)
    data = data_for(case)
    (theirs,) = run(content, {"x": data})
    np.testing.assert_allclose(ov.compile_model(model)(data)[0], theirs, rtol=1e-3, atol=1e-4)


def test_weights_of_a_type_that_an_opset_lacks_are_refused() -> None:
    with pytest.raises(ov.UnsupportedError, match="lacks the element type f8e4m3"):
        onnx_bytes(chain(CASES["floats of eight bits"]), 13)


def test_other_products_stay_products() -> None:
    x = ops.parameter([2, 3], ov.Type.f32, "x")
    weights = ops.convert(ops.constant(np.arange(6, dtype=np.int8).reshape(2, 3)), "f32")
    wide = ops.constant(np.ones((4, 2, 1), np.float32))
    apart = ops.subtract(weights, ops.constant(np.float32(0.5)))
    model = ov.Model(
        [ops.multiply(weights, x), ops.multiply(weights, wide), ops.multiply(apart, ops.constant(np.float32(2)))], [x]
    )
    content = onnx_bytes(model)
    assert "DequantizeLinear" not in kinds_of(content)
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    for ours, theirs in zip(ov.compile_model(model)(data).to_dict().values(), run(content, {"x": data}), strict=True):
        np.testing.assert_array_equal(ours, theirs)
