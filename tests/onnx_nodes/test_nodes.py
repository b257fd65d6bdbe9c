"""Every ONNX node test that OpenVINO converts and its CPU passes, run by us from the IR."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.onnx_nodes.convert import cases, try_case

DEPARTURES = {
    "test_div_int32_trunc": "converted with m_pythondiv, which means floor division; OpenVINO's CPU truncates"
}
"""Cases that OpenVINO's CPU passes because it departs from the specification of the IR it was given."""


@cache
def by_name() -> dict[str, Any]:
    return {str(case.name): case for case in cases()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", by_name())
def test_gives_onnx_result(name: str, tmp_path: Path) -> None:
    outcome = try_case(by_name()[name], tmp_path, asks_always=False)
    if name in DEPARTURES:
        assert outcome.ours
    elif outcome.openvino == "passes":
        assert outcome.ours == ""
