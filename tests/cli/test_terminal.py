"""What a terminal shows: progress that goes away, tables that fit, help of every command."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ir_plugin.cli.app import app
from tests.support.changed import DIGITS

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals")

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
VERBS = app.list_commands(click.Context(app))


def in_terminal(*arguments: object, columns: int = 80) -> str:
    """Return what a terminal of so many columns gets, with its control sequences."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ |= {"COLUMNS": str(columns), "LINES": "50", "TERM": "xterm"}
        code = "from ir_plugin.cli import main; main()"
        os.execv(sys.executable, [sys.executable, "-c", code, *map(str, arguments)])
    found = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        found += part
    os.close(terminal)
    assert os.waitpid(process, 0)[1] == 0, found.decode()
    return found.decode()


def plain(text: str) -> str:
    return ESCAPES.sub("", text).replace("\r", "")


def test_long_work_shows_itself_and_goes_away() -> None:
    shown = in_terminal("benchmark", DIGITS, "-niter", 3)
    for text in ("compiling", "measuring", "\x1b[2K"):
        assert text in shown
    quiet = in_terminal("benchmark", DIGITS, "-niter", 3, "--quiet")
    assert "compiling" not in quiet
    assert "measuring" not in quiet


@pytest.mark.parametrize("verb", [["dump", DIGITS], ["profile", DIGITS, "-n", 1], ["info", DIGITS, "--layers"]])
def test_tables_fit_a_narrow_terminal(verb: list[object]) -> None:
    for line in plain(in_terminal(*verb)).splitlines():
        if "━" not in line:
            assert len(line) <= 80, line


def test_what_is_no_terminal_gets_no_progress(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["graph", str(DIGITS), "--run", "-i", "images=1x1x8x8", "--out", str(tmp_path / "x.html")]
    )
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "━" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("verb", VERBS)
def test_help(verb: str) -> None:
    result = CliRunner().invoke(app, [verb, "--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    assert "--quiet" in result.output
    assert "--json" in result.output
    assert all(len(line) <= 80 for line in result.output.splitlines())


def test_the_list_of_commands_is_not_cut() -> None:
    result = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"})
    assert len(VERBS) >= 10
    assert "..." not in result.output.partition("Commands:")[2]
