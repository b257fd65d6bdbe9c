"""Samples of all operations, written as ONNX: accepted by onnx's checker, and computed by its runtimes as by us."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")
pytest.importorskip("onnxruntime", reason="the extra [test]")

from tests.onnx_writer.cases import REFERENCE_FAULTS, SAMPLES, outcome_of, outcomes
from tests.onnx_writer.report import PAGE, text

SAMPLES_WITH_OPEN_LENGTHS = 3
"""How many samples of a definition are written a second time, with open lengths."""


@pytest.mark.filterwarnings("ignore")
def test_written_samples_are_valid_and_have_our_results() -> None:
    faults = {
        name: outcome
        for name, outcome in outcomes().items()
        if outcome.kind in ("invalid", "wrong") and name not in REFERENCE_FAULTS
    }
    assert not faults, "\n".join(f"{name}: {outcome.kind}: {outcome.reason}" for name, outcome in faults.items())
    assert {outcomes()[name].kind for name in REFERENCE_FAULTS} <= {"wrong"}, "take these out of REFERENCE_FAULTS"


@pytest.mark.filterwarnings("ignore")
def test_samples_with_open_lengths_are_refused_or_have_our_results() -> None:
    taken: Counter[tuple[str, int | str]] = Counter()
    faults = []
    for name, sample in SAMPLES.items():
        taken[sample.type, sample.version] += 1
        if taken[sample.type, sample.version] > SAMPLES_WITH_OPEN_LENGTHS or name in REFERENCE_FAULTS:
            continue
        outcome = outcome_of(sample, is_open=True)
        if outcome.kind in ("invalid", "wrong"):
            faults.append(f"{name}: {outcome.kind}: {outcome.reason}")
    assert not faults, "\n".join(faults)


@pytest.mark.filterwarnings("ignore")
def test_the_page_of_written_operations_is_current() -> None:
    assert PAGE.read_text("utf-8") == text(), "run python -m tests.onnx_writer.report"
