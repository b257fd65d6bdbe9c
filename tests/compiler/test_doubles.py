"""Plans of f64: no compiled kernel of f32 reads their arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops

LARGE = (2, 3, 40, 40)


def _row(value: ov.Output, x: ov.Output, _column: ov.Output) -> ov.Node:
    return ops.add(value, x)


def _activation(value: ov.Output, x: ov.Output, column: ov.Output) -> ov.Node:
    """Return a chain that ends in operations behind an operand that broadcasts in another way."""
    return ops.sigmoid(ops.multiply(ops.add(value, x), column))


def _long(value: ov.Output, x: ov.Output, column: ov.Output) -> ov.Node:
    chain = ops.multiply(ops.sigmoid(ops.add(value, x)), x)
    return ops.sigmoid(ops.multiply(ops.sigmoid(ops.add(chain, x)), column))


def _broadcast(x: ov.Output, column: ov.Output) -> ov.Node:
    return ops.multiply(column, x)


def _product(x: ov.Output, _column: ov.Output) -> ov.Node:
    return ops.matmul(x, ops.tanh(x), False, False)


def _weighted(x: ov.Output, _column: ov.Output) -> ov.Node:
    length = x.get_shape()[-1]
    weights = np.random.default_rng(1).uniform(-1, 1, (length, length))
    return ops.matmul(x, ops.constant(weights), False, False)


def _convolved(x: ov.Output, _column: ov.Output) -> ov.Node:
    channels = x.get_shape()[1]
    filters = ops.constant(np.random.default_rng(1).uniform(-1, 1, (channels, channels, 3, 3)))
    return ops.convolution(x, filters, [1, 1], [1, 1], [1, 1], [1, 1])


def _normalized(x: ov.Output, _column: ov.Output) -> ov.Node:
    return ops.mvn(x, [3], True, 1e-5, "inside_sqrt")


@pytest.mark.parametrize("shape", [(1, 2, 4, 4), LARGE], ids=str)
@pytest.mark.parametrize("epilogue", [_row, _activation, _long])
@pytest.mark.parametrize("first", [_broadcast, _product, _weighted, _convolved, _normalized])
def test_beside_compiled_kernels(
    first: Callable[..., ov.Node], epilogue: Callable[..., ov.Node], shape: tuple[int, ...]
) -> None:
    x = ops.parameter(list(shape), "f64", name="x")
    column = ops.parameter([1, shape[1], shape[2], 1], "f64", name="column")
    single = ops.parameter([8, 64], "f32", name="single")
    filled = epilogue(first(x.output(0), column.output(0)), x.output(0), column.output(0))
    compiled = ops.matmul(single, ops.constant(np.ones((64, 64), np.float32)), False, False)
    model = ov.Model([ops.result(filled), ops.result(compiled)], [x, column, single], "doubles")
    generator = np.random.default_rng(0)
    feeds = [generator.uniform(-1, 1, tuple(port.shape)).astype(port.element_type.to_dtype()) for port in model.inputs]
    planned, plain = (
        ov.Core().compile_model(model, "CPU", {"OPTIMIZE": optimize})(feeds)[0] for optimize in (True, False)
    )
    np.testing.assert_allclose(planned, plain, rtol=1e-9)
