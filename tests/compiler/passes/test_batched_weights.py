"""Batches of compressed matrices, such as the experts of a mixture, keep their packed bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.compiler.passes.test_weight_decompression import codes, judge, types
from tests.support.passes import compiled, model_of
from tests.support.planned import PROVIDERS, close

EXPERTS, WIDTH, DEPTH = 5, 80, 64
BATCHED = ["BatchedMatMulCompressed"]


def experts(name: str, group: int = 0, zero: bool = True, rows_first: bool = True, count: int = EXPERTS) -> Any:
    """Return weights [E, N, K] as NNCF compresses those of experts, [E, K, N] without `rows_first`."""
    rng = np.random.default_rng(2)
    groups = DEPTH // (group or DEPTH)
    grouped, scales = [WIDTH, groups, DEPTH // groups], [WIDTH, groups, 1]
    if not rows_first:
        grouped, scales = [groups, DEPTH // groups, WIDTH], [groups, 1, WIDTH]
    if not group:
        grouped, scales = ([WIDTH, DEPTH], [WIDTH, 1]) if rows_first else ([DEPTH, WIDTH], [1, WIDTH])
    x = ops.convert(codes(name, [count, *grouped], rng), np.float16)
    if zero:
        x = ops.subtract(x, ops.convert(codes(name, [count, *scales], rng), np.float16))
    x = ops.multiply(x, ops.constant(rng.uniform(0.01, 0.1, [count, *scales]).astype(np.float16)))
    if group:
        x = ops.reshape(x, np.array([count, WIDTH, DEPTH] if rows_first else [count, DEPTH, WIDTH]), False)
    return ops.convert(x, np.float32)


def product(shape: list[int], weights: Any, rows_first: bool = True) -> ov.Model:
    """Return the products of a parameter with weights."""
    x = ops.parameter(shape, np.float32)
    return model_of(ops.matmul(x, weights, False, rows_first), [x])


@pytest.mark.parametrize("name", ["u8", "i8", "u4", "i4"])
@pytest.mark.parametrize("group", [0, 16, 32])
@pytest.mark.parametrize("zero", [True, False])
@pytest.mark.parametrize("rows_first", [True, False])
def test_experts(name: str, group: int, zero: bool, rows_first: bool) -> None:
    for rows in (1, 3, 24):
        model = product([EXPERTS, rows, DEPTH], experts(name, group, zero, rows_first), rows_first)
        assert types(model) == BATCHED
        judge(model)


@pytest.mark.parametrize("shape", [[1, 3, DEPTH], [3, DEPTH], [2, EXPERTS, 3, DEPTH], [2, 1, 3, DEPTH]])
def test_leading_axes_broadcast(shape: list[int]) -> None:
    model = product(shape, experts("u4", 32))
    assert types(model) == BATCHED
    judge(model)


def test_a_batch_of_one_matrix_is_a_matrix() -> None:
    model = product([2, 3, DEPTH], experts("u8", count=1))
    assert types(model) == ["FullyConnectedCompressed"]
    judge(model)


def test_rows_of_unknown_number() -> None:
    x = ops.parameter(ov.PartialShape([EXPERTS, -1, DEPTH]), np.float32)
    model = model_of(ops.matmul(x, experts("i4", 16), False, True), [x])
    reference = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    for provider in PROVIDERS:
        run = compiled(model, PROVIDER=provider)
        for length in (1, 7, 30, 1):
            rows = np.random.default_rng(length).standard_normal((EXPERTS, length, DEPTH)).astype(np.float32)
            close(run([rows])[0], reference([rows])[0], 1e-5, f"{provider}, {length}")


@pytest.mark.parametrize("index", [np.int64(3), np.int64(-1), np.array([2])])
def test_one_expert_by_a_constant_index(index: Any) -> None:
    x = ops.parameter([3, DEPTH], np.float32)
    weights = ops.gather(experts("u4", 32), ops.constant(index), np.int64(0))
    if np.ndim(index):
        weights = ops.reshape(weights, np.array([WIDTH, DEPTH]), False)
    model = model_of(ops.matmul(x, weights, False, True), [x])
    assert types(model) == ["FullyConnectedCompressed"]
    judge(model)


def test_one_expert_by_an_index_of_the_run() -> None:
    x, index = ops.parameter([3, DEPTH], np.float32), ops.parameter([], np.int64)
    model = model_of(ops.matmul(x, ops.gather(experts("u4", 32), index, np.int64(0)), False, True), [x, index])
    assert types(model)[0] == "GatherCompressed"
    inputs = [np.ones((3, DEPTH), np.float32), np.array(3)]
    expected = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(inputs)[0]
    for provider in PROVIDERS:
        close(compiled(model, PROVIDER=provider)(inputs)[0], expected, 1e-5, provider)
