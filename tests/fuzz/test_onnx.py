"""Mutated ONNX models: whatever a file holds, only our errors leave the public API, in time and without growth.

`python3 dev.py fuzz` runs this with 10,000 cases, as the other tests of this folder.
"""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("onnx", reason="the extra [onnx]")

from tests.fuzz.entries import feed
from tests.fuzz.onnx_mutate import mutated
from tests.fuzz.onnx_sources import sources
from tests.support.memory import reset_peak, status

CASES = settings().max_examples
PARTS = 10 if CASES >= 1000 else 1
GROWTH = 1 << 30
"""Bytes of memory beyond what the process had."""


@pytest.mark.parametrize("part", range(PARTS))
@settings(max_examples=CASES // PARTS)
@given(st.integers(0, 2**32), st.integers(0, 10**6))
def test_a_mutated_onnx_model_raises_nothing_but_our_errors(part: int, seed: int, choice: int) -> None:
    del part
    known = sources()
    data = mutated(known[choice % len(known)][1], seed)
    reset_peak()
    before = status("VmRSS")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        feed(data, None)
    assert status("VmHWM") - before < GROWTH
