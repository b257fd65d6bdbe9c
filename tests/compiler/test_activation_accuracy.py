"""Activations as stages of epilogues keep the digits of tiny results: errors are relative, against f64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ir_plugin.kernels.numpy.epilogue import EpilogueStage, Rows, by_rows
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.activation.unary import Sigmoid
from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array
from tests.support.skips import COMPILED

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

SMALLEST = 4e-37
"""From here down exp(-x) overflows, and a result may be zero."""

DATA = np.linspace(-100, 100, 20001, dtype=np.float32)


def _compiled_rows(stages: list[EpilogueStage], width: int) -> Rows | None:
    pytest.importorskip("numba", reason=COMPILED)
    from ir_plugin.kernels.numba.epilogue import compiled_rows

    return compiled_rows(stages, width)


def _sigmoid(x: Array) -> Array:
    result: Array = 1 / (1 + np.exp(-x))
    return result


@pytest.mark.parametrize("rows", [by_rows, _compiled_rows])
@pytest.mark.parametrize(("operation", "factor"), [(Swish(), DATA.astype("f8")), (Sigmoid(), np.float64(1))])
def test_relative_error(rows: Callable[..., Rows | None], operation: Operation, factor: Array) -> None:
    block = DATA[None].copy()
    apply = rows([EpilogueStage(operation)], DATA.size)
    assert apply is not None
    apply(block, 0, [])
    expected = _sigmoid(DATA.astype("f8")) * factor
    error = np.abs(block[0] - expected) - SMALLEST
    assert np.all(error <= 4 * np.finfo("f4").eps * np.abs(expected))


@pytest.mark.parametrize("rows", [by_rows, _compiled_rows])
def test_special_numbers_of_swish(rows: Callable[..., Rows | None]) -> None:
    block = np.array([[np.nan, np.inf, 0.0, -0.0, 1e-40, -1e-40]], np.float32)
    expected = block.astype("f8") * _sigmoid(block.astype("f8"))
    apply = rows([EpilogueStage(Swish())], block.size)
    assert apply is not None
    apply(block, 0, [])
    np.testing.assert_allclose(block, expected, atol=2e-38)
    np.testing.assert_array_equal(np.signbit(block[0, 2:4]), [False, True])
