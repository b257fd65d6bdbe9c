"""Mutated IRs: whatever a file holds, only our errors leave the public API.

`python3 dev.py fuzz` runs this with 10,000 cases, in parts that may run at the same time; `HYPOTHESIS_PROFILE=fuzz`
does the same.
"""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.bases import all_bases
from tests.fuzz.entries import feed
from tests.fuzz.mutate import garbled, mutated

CASES = settings().max_examples
PARTS = 10 if CASES >= 1000 else 1


@pytest.mark.parametrize("part", range(PARTS))
@settings(max_examples=CASES // PARTS)
@given(st.integers(0, 2**32), st.integers(0, 10**6))
def test_a_mutated_ir_raises_nothing_but_our_errors(part: int, seed: int, choice: int) -> None:
    del part
    bases = all_bases()
    _, xml, weights = bases[choice % len(bases)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        feed(mutated(xml, seed), garbled(weights, seed) if seed % 5 == 0 else weights)


@settings(max_examples=CASES // 4)
@given(st.integers(0, 2**32), st.integers(0, 10**6))
def test_garbled_bytes_raise_nothing_but_our_errors(seed: int, choice: int) -> None:
    bases = all_bases()
    _, xml, weights = bases[choice % len(bases)]
    feed(garbled(xml, seed), weights)


@settings(max_examples=CASES // 4)
@given(st.binary(max_size=200))
def test_any_bytes_raise_nothing_but_our_errors(data: bytes) -> None:
    feed(data, data)
    feed(b'<net version="11">' + data, None)


@settings(max_examples=CASES // 4)
@given(st.binary(max_size=100))
def test_any_weights_raise_nothing_but_our_errors(data: bytes) -> None:
    feed(all_bases()[0][1], data)
