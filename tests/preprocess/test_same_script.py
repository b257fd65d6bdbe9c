"""Scripts of preprocessing, run with OpenVINO and with ir_plugin: they print the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.same_script import printed_by_both

SCRIPT = Path(__file__).with_name("script.py")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return printed_by_both(SCRIPT, tmp_path_factory)


def test_prints_the_same(printed: dict[str, list[str]]) -> None:
    pairs = zip(printed["openvino"], printed["ir_plugin"], strict=False)
    assert [pair for pair in pairs if pair[0] != pair[1]] == []
    assert len(printed["openvino"]) == len(printed["ir_plugin"]) > 200
