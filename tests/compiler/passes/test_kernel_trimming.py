"""Kernels lose the outer rows and columns that read only pads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin.operations.convolution.convolution import Convolution
from tests.support.passes import compiled, constant, data, model_of, run_pass
from tests.support.planned import hold

RNG = np.random.default_rng(7)


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(1, 3, 6, 6)
    return model_of(ops.convolution(x, constant(4, 3, 3, 3), [1, 1], [8, 8], [8, 8], [8, 8]), [x])


def const(*shape: int) -> Any:
    return ops.constant(RNG.standard_normal(shape).astype(np.float32))


def conv(
    x: Any, pads: tuple[int, int] = (8, 8), dilations: tuple[int, int] = (8, 8), auto_pad: str = "explicit"
) -> Any:
    return ops.convolution(x, const(4, 4, 3, 3), [1, 1], list(pads), list(pads), list(dilations), auto_pad)


def grouped(x: Any) -> Any:
    return ops.group_convolution(x, const(4, 1, 1, 3, 3), [2, 1], [9, 8], [9, 8], [9, 8])


TRIMMED: dict[str, tuple[Callable[[Any], Any], tuple[int, int], tuple[int, int]]] = {
    "by dilation": (conv, (1, 1), (0, 0)),
    "same": (lambda x: conv(x, (0, 0), (8, 7), "same_upper"), (1, 1), (0, 0)),
    "one axis": (lambda x: conv(x, (8, 3), (8, 3)), (1, 3), (0, 3)),
    "more pads": (lambda x: conv(x, (9, 9), (10, 10)), (3, 3), (9, 9)),
    "by depth": (grouped, (1, 1), (0, 0)),
}
"""Outputs by name, with the kernel and the pads that remain."""
KEPT: dict[str, Callable[[Any], Any]] = {
    "meets the data": lambda x: conv(x, (5, 5), (5, 5)),
    "no pads": lambda x: conv(x, (0, 0), (1, 1)),
    "kernel of the run": lambda x: ops.convolution(x, ops.relu(x), [1, 1], [6, 6], [6, 6], [1, 1]),
}


@pytest.mark.parametrize("name", [*TRIMMED, *KEPT])
def test_the_numbers_are_those_of_openvino(name: str, tmp_path: Path) -> None:
    x = ops.parameter([4, 4, 6, 6], np.float32, name="x")
    hold(TRIMMED[name][0](x) if name in TRIMMED else KEPT[name](x), [x], tmp_path)


@pytest.mark.parametrize("name", TRIMMED)
def test_rows_and_columns_that_read_pads_are_trimmed(name: str) -> None:
    build, kernel, pads = TRIMMED[name]
    x = data(4, 4, 6, 6)
    network = compiled(model_of(build(x), [x]))
    network([np.ones((4, 4, 6, 6), np.float32)])
    (plan,) = network._engine._plans.values()
    (op,) = [step.op for step in plan.steps if step.op.type in ("Convolution", "GroupConvolution")]
    filters = op.inputs[1]
    assert isinstance(op.operation, Convolution)
    assert filters is not None
    assert filters.constant is not None
    assert (filters.constant.shape[-2:], op.operation.pads_begin) == (kernel, pads)


@pytest.mark.parametrize("name", KEPT)
def test_other_kernels_stay(name: str) -> None:
    x = data(4, 4, 6, 6)
    assert not run_pass("kernel_trimming", KEPT[name](x), [x]).is_match


def test_lengths_of_the_run_stay() -> None:
    x, shape = data(1, 4, 6, 6), ops.parameter([4], np.int64)
    y = conv(ops.reshape(x, shape, False))
    inputs = [np.ones((1, 4, 6, 6), np.float32), np.array([1, 4, 6, 6])]
    assert not run_pass("kernel_trimming", y, [x, shape], inputs).is_match
