"""The work of a difference grows as the layers do, counted in lines of Python."""

from __future__ import annotations

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from tests.support.work import counted_lines


def chain(length: int, change: int = -1) -> ov.Model:
    """Return a chain of layers with a hub that all read."""
    x = y = ops.parameter([2, 2], np.float32, name="x")
    hub = ops.constant(np.ones((2, 2), np.float32), name="hub")
    for k in range(length // 4):
        y = ops.relu(ops.add(y, hub)) if k != change else ops.tanh(ops.add(y, hub))
        y = ops.add(y, ops.multiply(x, np.float32(2)))
    return ov.Model([y], [x], "chain")


def work_of(first: ov.Model, second: ov.Model) -> tuple[ov.Difference, int]:
    """Return a difference, and how many lines of Python found it."""
    with counted_lines() as count:
        difference = ov.diff(first, second)
    return difference, count()


@pytest.mark.parametrize("change", [-1, 100])
def test_work_grows_as_layers_do(change: int) -> None:
    lines = []
    for length in (500, 2000):
        difference, work = work_of(chain(length), chain(length, change))
        assert difference.counts == ({} if change < 0 else {"type": 1})
        lines.append(work)
    assert lines[1] < 5 * lines[0]


def twins(count: int, changed: int) -> ov.Model:
    """Return equal branches, all of them twins, of which each fifth part has one of another type."""
    x = ops.parameter([2], np.float32, name="x")
    types = ["tanh" if changed and k % (count // 5) == 0 else "relu" for k in range(count)]
    return ov.Model([getattr(ops, type)(ops.exp(x)) for type in types], [x], "twins")


@pytest.mark.parametrize(("changed", "most"), [(0, 0), (1, 15)])
def test_work_grows_as_twins_do(changed: int, most: int) -> None:
    lines = []
    for count in (100, 400):
        difference, work = work_of(twins(count, 0), twins(count, changed))
        assert len(difference) <= most
        lines.append(work)
    assert lines[1] < 5 * lines[0]
