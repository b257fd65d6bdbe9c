"""One script, run with OpenVINO and with ir_plugin: it prints the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.same_script import printed_by_both

SCRIPT = Path(__file__).with_name("script.py")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return printed_by_both(SCRIPT, tmp_path_factory)


def test_prints_the_same(printed: dict[str, list[str]]) -> None:
    differing = [
        (theirs, ours)
        for theirs, ours in zip(printed["openvino"], printed["ir_plugin"], strict=False)
        if theirs != ours
    ]
    assert differing == []
    assert len(printed["openvino"]) == len(printed["ir_plugin"]) > 200
