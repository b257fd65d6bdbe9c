"""Pages that are generated are up to date, and commands that are printed exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from ir_plugin.cli.app import app
from ir_plugin.cli.ops import page, table
from ir_plugin.operations.registry import Registry

ROOT = Path(__file__).parents[2]


def test_the_page_of_operations_is_what_the_command_prints() -> None:
    assert (ROOT / "docs" / "operations.md").read_text("utf-8") == page(table(Registry()))


def test_every_command_of_the_readme_succeeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^ {4}ir-plugin (.*)$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert lines
    for line in lines:
        arguments = [word.replace("samples/", f"{ROOT}/samples/") for word in shlex.split(line)]
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, (line, result.output)
