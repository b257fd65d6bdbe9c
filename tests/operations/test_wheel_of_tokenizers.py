"""Every operation on texts against OpenVINO's wheel of tokenizers, on drawn texts that are the same in every run."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from tests.support.skips import NO_TEXT
from tests.support.text_cases import Case
from tests.support.text_model_cases import pattern_cases, plain_cases
from tests.support.wheel import are_equal, by_us, drawn, wheel_answers

DRAWN = 6
"""How many inputs of each layer are drawn, from other seeds than those of the samples."""
SEED = 100_000


def _compare(cases: list[Case]) -> None:
    runs = [(case, drawn(case, DRAWN, SEED)) for case in cases]
    different = [
        f"{case.type} {dict(case.attributes)}: input {SEED + number} gives {ours}, the wheel {theirs}"
        for (case, inputs), answers in zip(runs, wheel_answers(sys.executable, runs), strict=True)
        for number, (ours, theirs) in enumerate(zip(by_us(case, inputs), answers, strict=True))
        if not isinstance(theirs, str) and not are_equal(ours, theirs)
    ]
    assert not different, "\n".join(different[:5])


def test_operations_without_patterns_equal_the_wheel() -> None:
    _compare(plain_cases()[::2])


@pytest.mark.skipif(importlib.util.find_spec("regex") is None, reason=NO_TEXT)
def test_operations_with_patterns_equal_the_wheel() -> None:
    layers = list(pattern_cases())
    fragile = [case for case in layers if case.type == "SpecialTokensSplit"]
    _compare([case for case in layers if case not in fragile][::2])
    for case in fragile:
        _compare([case])
