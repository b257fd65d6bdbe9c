"""What random graphs of open lengths once told: empty arrays, shapes that do not fit, normalization of version 2."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino.opset2 as op2
import pytest
from openvino import opset13 as ops

from ir_plugin import Error
from tests.support.passes import compiled, model_of
from tests.support.planned import PROVIDERS


def integers(*values: int) -> Any:
    return ops.constant(np.array(values, np.int64))


ROWS = np.ones((2, 4), np.float32)
"""The rows of a product with weights, for which plans leave other lengths open."""


def opened(y: Any, parameters: list[Any], provider: str) -> Any:
    """Return a function of arrays that computes y beside a product with weights."""
    rows = ops.parameter([-1, 4], np.float32)
    product = ops.matmul(rows, ops.constant(np.ones((4, 3), np.float32)), False, False)
    model = compiled(model_of([y, product], [*parameters, rows]), PROVIDER=provider)
    return lambda *arrays: model([*arrays, ROWS])[0]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_product_over_no_columns_is_zero(provider: str) -> None:
    x = ops.parameter([-1, -1], np.float32)
    model = opened(ops.matmul(x, x, False, True), [x], provider)
    for rows in (2, 3, 40):
        for columns in (0, 2, 0):
            data = np.ones((rows, columns), np.float32)
            for _ in range(50):
                np.full((rows, rows), 7, np.float32)  # what new memory holds
            np.testing.assert_array_equal(model(data), data @ data.T)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_empty_arrays_are_joined(provider: str) -> None:
    x = ops.parameter([-1, 3, 4], np.float32)
    halves = ops.split(ops.softmax(x, 2), ops.constant(np.int64(2)), 2).outputs()
    joined = ops.concat([ops.multiply(halves[1], np.float32(-1)), halves[0]], 2)
    model = opened(ops.softmax(joined, 1), [x], provider)
    for rows in (0, 2, 0, 3):
        assert model(np.ones((rows, 3, 4), np.float32)).shape == (rows, 3, 4)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_scores_of_more_boxes_than_there_are_are_refused(provider: str) -> None:
    scores, end = ops.parameter([1, 1, -1], np.float32), ops.parameter([1], np.int64)
    some = ops.slice(scores, integers(0), end, integers(1), integers(2))
    boxes = ops.constant(np.array([[[0, 0, 1, 1], [0, 2, 1, 3]]], np.float32))
    chosen = ops.non_max_suppression(boxes, some, *(ops.constant(number) for number in (np.int64(0), np.float32(0.5))))
    model = opened(chosen.output(0), [scores, end], provider)
    assert model(np.ones((1, 1, 5), np.float32), np.array([2])).shape == (0, 3)
    with pytest.raises(Error, match="boxes"):
        model(np.ones((1, 1, 5), np.float32), np.array([4]))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_normalization_of_version_2_with_open_lengths_is_followed_by_others(provider: str) -> None:
    x = ops.parameter([-1, -1, 6], np.float32)
    normalized = op2.mvn(x, normalize_variance=True, eps=1e-9)
    model = opened(ops.multiply(normalized, np.float32(3)), [x], provider)
    for rows in (2, 3, 4, 5, 6, 7):
        data = np.random.default_rng(rows).standard_normal((2, rows, 6)).astype(np.float32)
        expected = 3 * (data - data.mean((2,), keepdims=True)) / np.sqrt(data.var((2,), keepdims=True) + 1e-9)
        np.testing.assert_allclose(model(data), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_named_dimension_that_is_not_1_stays(provider: str) -> None:
    x, axis = ops.parameter([-1, -1, -1], np.float32), ops.parameter([1], np.int64)

    def doubled(y: Any) -> Any:
        return ops.add(
            ops.select(ops.greater(y, np.float32(0)), y, np.float32(0)), ops.reduce_max(y, integers(1), True)
        )

    squeezed = opened(doubled(op2.squeeze(x, integers(1))), [x], provider)
    of_an_axis = opened(doubled(op2.squeeze(x, axis)), [x, axis], provider)
    for length in (3, 1, 5, 1, 3, 4):
        data = np.ones((1, length, 2), np.float32)
        expected = (1, 2) if length == 1 else (1, length, 2)
        assert squeezed(data).shape == of_an_axis(data, np.array([1])).shape == expected


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("heads", [(1, 4), (4, 1), (1, 1)])
@pytest.mark.parametrize("rows", [1, 5, 40])
def test_keys_and_values_may_have_other_heads(heads: tuple[int, int], rows: int, provider: str) -> None:
    count = 4
    shapes = [(2, count, rows, 8), (2, heads[0], -1, 8), (1, heads[1], -1, 7)]
    inputs = [ops.parameter(list(shape), np.float32) for shape in shapes]
    model = opened(ops.scaled_dot_product_attention(*inputs), inputs, provider)
    rng = np.random.default_rng(3)
    for keys in (6, 9, 6, 30):
        shapes = [(2, count, rows, 8), (2, heads[0], keys, 8), (1, heads[1], keys, 7)]
        query, key, value = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
        scores = np.exp(query @ key.swapaxes(-1, -2) / np.sqrt(np.float32(8)))
        expected = scores / scores.sum(-1, keepdims=True) @ value
        np.testing.assert_allclose(model(query, key, value), expected, rtol=1e-4, atol=1e-5)
