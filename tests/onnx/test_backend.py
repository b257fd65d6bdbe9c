"""ONNX's own backend tests run by `ir_plugin.onnx_backend`: `pytest tests/onnx -k test_gather_`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from tests.onnx.cases import assert_like, cases, unlike

CASES = cases()
UNLIKE = unlike()
DRAWN = {name for name, reason in UNLIKE.items() if name.startswith("test_bernoulli") and "random numbers" in reason}


@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.filterwarnings("ignore")
def test_onnx(name: str, request: pytest.FixtureRequest) -> None:
    if name in UNLIKE and name not in DRAWN:
        request.applymarker(pytest.mark.xfail(reason=UNLIKE[name], strict=True))
    run(name, assert_drawn if name in DRAWN else assert_like)


def assert_drawn(ours: Any, expected: Any, _rtol: float, _atol: float) -> None:
    """Hold the type and shape of numbers that chance may make equal to ONNX's, and that they are drawn from 0 and 1."""
    assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
    assert set(np.unique(ours)) <= {0, 1}


def run(name: str, hold: Callable[[Any, Any, float, float], None] = assert_like) -> None:
    from ir_plugin import onnx_backend

    case = CASES[name]
    prepared = onnx_backend.prepare(case.model(), "CPU")
    for inputs, expected in case.data():
        outputs = prepared.run(inputs)
        assert len(outputs) == len(expected)
        for ours, reference in zip(outputs, expected, strict=True):
            hold(ours, reference, case.test.rtol, case.test.atol)


def test_every_case_of_the_table_exists() -> None:
    assert sorted(set(UNLIKE) - set(CASES)) == []
