"""Small models for servers."""

from __future__ import annotations

from typing import Any

import numpy as np

import ir_plugin as ov
from ir_plugin import opset13 as op


def linear(name: str = "m") -> ov.Model:
    """A product with weights, whose rows do not depend on each other."""
    x = op.parameter([-1, 4], np.float32, name="x")
    weights = op.constant(np.arange(12, dtype=np.float32).reshape(4, 3) / 7)
    result = op.result(op.softmax(op.matmul(x, weights, False, False), axis=1), name="y")
    return ov.Model([result], [x], name)


def across_rows() -> ov.Model:
    """A softmax along the first dimension, whose rows depend on each other."""
    x = op.parameter([-1, 4], np.float32, name="x")
    return ov.Model([op.result(op.softmax(x, axis=0), name="y")], [x], "m")


def gather() -> ov.Model:
    """A selection whose index may be out of range."""
    x = op.parameter([-1], np.int64, name="x")
    table = op.constant(np.arange(5, dtype=np.float32))
    reshaped = op.reshape(table, op.convert(op.abs(x), "i64"), special_zero=False)
    return ov.Model([op.result(reshaped, name="y")], [x], "m")


def identity(element_type: Any) -> ov.Model:
    """A model that returns its input."""
    x = op.parameter([-1, 2], element_type, name="x")
    return ov.Model([op.result(x, name="y")], [x], "m")


def two_inputs() -> ov.Model:
    """A sum and a difference."""
    a = op.parameter([-1, 2], np.float32, name="a")
    b = op.parameter([-1, 2], np.float32, name="b")
    return ov.Model([op.result(op.add(a, b), name="sum"), op.result(op.subtract(a, b), name="rest")], [a, b], "m")


def one_row_poisons_all() -> ov.Model:
    """x + 0 * the sum over the batch: finite rows hide that a NaN reaches all."""
    x = op.parameter([-1, 4], np.float32, name="x")
    total = op.reduce_sum(x, op.constant(np.array([0])), keep_dims=True)
    nothing = op.multiply(total, op.constant(np.float32(0)))
    return ov.Model([op.result(op.add(x, nothing), name="y")], [x], "m")


def one_large_row_reaches_all() -> ov.Model:
    """x + relu(the largest of the batch - 50): rows of small values do not show it."""
    x = op.parameter([-1, 4], np.float32, name="x")
    largest = op.reduce_max(x, op.constant(np.array([0])), keep_dims=True)
    excess = op.relu(op.subtract(largest, op.constant(np.float32(50))))
    return ov.Model([op.result(op.add(x, excess), name="y")], [x], "m")


def a_little_of_the_largest_row() -> ov.Model:
    """x + 2e-4 * the largest of the batch: less than a tolerance, and still another client's number."""
    x = op.parameter([-1, 4], np.float32, name="x")
    largest = op.reduce_max(x, op.constant(np.array([0])), keep_dims=True)
    return ov.Model([op.result(op.add(x, op.multiply(largest, op.constant(np.float32(2e-4)))), name="y")], [x], "m")


def depends_on_the_number_of_rows() -> ov.Model:
    """A quotient by the number of rows."""
    x = op.parameter([-1, 4], np.float32, name="x")
    rows = op.gather(op.shape_of(x), op.constant(np.array([0])), op.constant(np.array(0)))
    return ov.Model([op.result(op.divide(x, op.convert(rows, "f32")), name="y")], [x], "m")


def a_constant_for_each_row() -> ov.Model:
    """A sum with different numbers for the first three rows."""
    x = op.parameter([-1, 4], np.float32, name="x")
    return ov.Model([op.result(op.add(x, op.constant(np.ones((3, 1), np.float32))), name="y")], [x], "m")


def rows_in_the_other_axis() -> ov.Model:
    """A softmax along the rows of a transposed matrix."""
    x = op.parameter([-1, 4], np.float32, name="x")
    turned = op.transpose(x, op.constant(np.array([1, 0])))
    back = op.transpose(op.softmax(turned, axis=1), op.constant(np.array([1, 0])))
    return ov.Model([op.result(back, name="y")], [x], "m")


def rows_in_pairs() -> ov.Model:
    """A sum of neighbours after a reshape that joins two rows."""
    x = op.parameter([-1, 4], np.float32, name="x")
    pairs = op.reduce_sum(op.reshape(x, op.constant(np.array([-1, 8])), False), op.constant(np.array([1])), True)
    return ov.Model([op.result(pairs, name="y")], [x], "m")


def two_matrices() -> ov.Model:
    """A product of two inputs, of which each row of one meets each row of the other."""
    a = op.parameter([-1, 2], np.float32, name="a")
    b = op.parameter([-1, 2], np.float32, name="b")
    return ov.Model([op.result(op.matmul(a, b, False, True), name="y")], [a, b], "m")


def attention() -> ov.Model:
    """Embedded tokens with attention of two heads and a pooled classifier, whose rows are sentences."""
    rng = np.random.default_rng(0)
    x = op.parameter([-1, 5], np.int64, name="x")
    table = op.constant(rng.standard_normal((11, 8), dtype=np.float32))
    tokens = op.gather(table, x, op.constant(np.array(0)))
    heads = [
        op.transpose(op.reshape(part, op.constant(np.array([0, 0, 2, 4])), True), op.constant(np.array([0, 2, 1, 3])))
        for part in (op.matmul(tokens, op.constant(rng.random((8, 8), np.float32)), False, False) for _ in range(3))
    ]
    scores = op.softmax(op.matmul(heads[0], heads[1], False, True), axis=3)
    mixed = op.transpose(op.matmul(scores, heads[2], False, False), op.constant(np.array([0, 2, 1, 3])))
    joined = op.add(op.reshape(mixed, op.constant(np.array([-1, 5, 8])), False), tokens)
    normal = op.mvn(joined, op.constant(np.array([-1])), True, 1e-5, "INSIDE_SQRT")
    first = op.squeeze(op.gather(normal, op.constant(np.array([0])), op.constant(np.array(1))), op.constant([1]))
    return ov.Model([op.result(op.softmax(first, axis=1), name="y")], [x], "m")


def images() -> ov.Model:
    """A convolution, a pooling whose indices are not read, a mean, and a concatenation with the largest."""
    rng = np.random.default_rng(0)
    x = op.parameter([-1, 3, 8, 8], np.float32, name="x")
    weights = op.constant(rng.random((4, 3, 3, 3), np.float32))
    filtered = op.relu(op.convolution(x, weights, [1, 1], [1, 1], [1, 1], [1, 1]))
    pooled = op.max_pool(filtered, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2]).output(0)
    axes = op.constant(np.array([2, 3]))
    both = op.concat([op.reduce_mean(pooled, axes, False), op.reduce_max(pooled, axes, False)], 1)
    return ov.Model([op.result(op.unsqueeze(both, op.constant(np.array([1]))), name="y")], [x], "m")


def repeated() -> ov.Model:
    """A loop of as many iterations as the input says."""
    x = op.parameter([1], np.int64, name="x")
    total = op.parameter([4], np.float32)
    following = op.sin(total)
    loop = op.loop(x, op.constant(True))
    loop.set_function(ov.Model([op.constant(True), following], [total], "body"))
    loop.set_special_body_ports([-1, 0])
    loop.set_merged_input(total, op.constant(np.ones(4, np.float32)).output(0), following.output(0))
    return ov.Model([op.result(loop.get_iter_value(following.output(0), -1), name="y")], [x], "m")
