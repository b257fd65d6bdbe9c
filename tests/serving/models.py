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
