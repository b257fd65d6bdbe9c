"""Scripts, run with OpenVINO and with ir_plugin: they print the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.same_script import printed_by_both

SCRIPTS = ("script.py", "script_of_values.py")


@pytest.fixture(scope="module", params=SCRIPTS)
def printed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return printed_by_both(Path(__file__).with_name(request.param), tmp_path_factory)


def test_prints_the_same(printed: dict[str, list[str]]) -> None:
    differing = [
        (theirs, ours)
        for theirs, ours in zip(printed["openvino"], printed["ir_plugin"], strict=False)
        if theirs != ours
    ]
    assert differing == []
    assert len(printed["openvino"]) == len(printed["ir_plugin"]) > 100
