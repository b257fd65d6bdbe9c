"""NumPy's epilogues of HSwish with a number behind it, and Swish, give what the operations give one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from ir_plugin.kernels.numpy.epilogue import EpilogueStage, by_rows
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.activation.unary import HSwish
from ir_plugin.operations.arithmetic.binary import Multiply
from ir_plugin.tensors import Array

X = np.concatenate([np.linspace(-20, 20, 4001), [-1e4, -90, -0.0, 0, 1e4, 3e38]]).astype(np.float32)[:, None]
HSWISH, SWISH = EpilogueStage(HSwish()), EpilogueStage(Swish())


def _times(number: float) -> EpilogueStage:
    return EpilogueStage(Multiply(auto_broadcast="numpy"), np.full((1, 1), number, np.float32))


def _hswish(x: Array) -> Array:
    return np.asarray(x * np.clip(x + 3, 0, 6) / 6)


@pytest.mark.parametrize("number", [1.5, -0.25, 0.0])
@pytest.mark.parametrize("before", [[], [HSWISH], [_times(0.5)]])
def test_hswish_and_a_number(before: list[EpilogueStage], number: float) -> None:
    """A number is multiplied once, wherever the HSwish stands, and the stages behind it are applied."""
    block, expected = X.copy(), X.astype(float)
    rows = by_rows([*before, HSWISH, _times(number), _times(2)], 1)
    assert rows is not None
    with np.errstate(all="ignore"):
        rows(block, 0, [])
    for stage in before:
        expected = _hswish(expected) if stage is HSWISH else expected * 0.5
    expected = _hswish(expected) * number * 2
    normal = np.abs(expected) < 1e38
    np.testing.assert_allclose(block[normal], expected[normal], rtol=1e-5, atol=2e-6)


def test_swish() -> None:
    """Swish is exact to the rounding of f32 above zero, and to two such roundings of its value below."""
    block, exact = X.copy(), X.astype(float) / (1 + np.exp(-np.maximum(X.astype(float), -700)))
    rows = by_rows([SWISH], 1)
    assert rows is not None
    with np.errstate(over="ignore"):
        rows(block, 0, [])
    above = X > 0
    np.testing.assert_allclose(block[above], exact[above], rtol=1.3e-7)
    np.testing.assert_allclose(block[~above], exact[~above], rtol=2.5e-7, atol=4e-37)
