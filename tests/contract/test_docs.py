"""Pages that are generated are up to date, and commands that are printed exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from ir_plugin.cli.app import app
from ir_plugin.cli.ops import differences_page, page, table
from ir_plugin.kernels.numba.availability import numba_installed
from ir_plugin.operations.differences import KINDS, differences
from ir_plugin.operations.registry import Registry

ROOT = Path(__file__).parents[2]


def test_the_page_of_operations_is_what_the_command_prints() -> None:
    assert (ROOT / "docs" / "operations.md").read_text("utf-8") == page(table(Registry()))


def test_the_page_of_differences_is_what_the_command_prints() -> None:
    assert (ROOT / "docs" / "differences.md").read_text("utf-8") == differences_page(Registry())


def test_every_difference_is_stated_in_one_line_with_an_example() -> None:
    found = differences(Registry().all())
    assert {item.kind for item in found} == set(KINDS)
    assert [item for item in found if not item.text.endswith(".") or not item.example.endswith(".")] == []
    assert [item for item in found if "OpenVINO" in item.text or len(item.text) > 240] == []
    assert len(set(found)) == len(found)


def test_every_command_of_the_readme_succeeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^ {4}ir-plugin (.*)$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert lines
    for line in lines:
        arguments = [word.replace("samples/", f"{ROOT}/samples/") for word in shlex.split(line)]
        if arguments[0] == "warm" and not numba_installed():
            continue
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == int(arguments[0] == "diff"), (line, result.output)
