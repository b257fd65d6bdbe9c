"""Samples of all operations, written as ONNX: accepted by onnx's checker, and computed by its runtimes as by us."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")
pytest.importorskip("onnxruntime", reason="the extra [test]")

from tests.onnx_writer.cases import REFERENCE_FAULTS, outcomes
from tests.onnx_writer.report import PAGE, text


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
def test_the_page_of_written_operations_is_current() -> None:
    assert PAGE.read_text("utf-8") == text(), "run python -m tests.onnx_writer.report"
