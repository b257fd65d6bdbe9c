"""IRs of ONNX's cases in OpenVINO: a sample of what `python -m tests.onnx.converted` holds for all of them."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")
pytest.importorskip("openvino", reason="the oracle openvino")

from tests.onnx.cases import cases, unlike
from tests.onnx.converted import OWN, outcomes, reasons

COUNT = 120


@pytest.mark.filterwarnings("ignore")
def test_openvino_runs_what_is_converted() -> None:
    known = [name for name in sorted(cases()) if name not in unlike() and name not in reasons()]
    sample = [*random.Random(1).sample(known, COUNT), "test_dft_irfft", "test_dft_rfft"]
    assert {name: reason for name, reason in outcomes(sample) if reason} == {}


def test_reasons_are_of_cases_and_decided() -> None:
    assert sorted(set(reasons()) - set(cases())) == []
    assert [name for name, reason in reasons().items() if not reason.startswith(("decided: ", OWN))] == []
