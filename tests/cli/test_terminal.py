"""What a terminal shows: progress that goes away, tables that fit, help of every command."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ir_plugin.cli.app import app
from tests.support.changed import DIGITS

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals")

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
FINDINGS = Path(__file__).parents[1] / "findings"
VERBS = app.list_commands(click.Context(app))


def in_terminal(*arguments: object, columns: int = 80) -> str:
    """Return what a terminal of so many columns gets, with its control sequences."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ |= {"COLUMNS": str(columns), "LINES": "50", "TERM": "xterm"}
        code = "from ir_plugin.cli import main; main()"
        os.execv(sys.executable, [sys.executable, "-c", code, *map(str, arguments)])
    output = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        output += part
    os.close(terminal)
    assert os.waitpid(process, 0)[1] == 0, output.decode()
    return output.decode()


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


def output_of(*arguments: object, **environment: str) -> list[str]:
    """Return the lines that a pipe gets."""
    env = {**{key: value for key, value in os.environ.items() if key != "COLUMNS"}, **environment}
    command = [sys.executable, "-m", "ir_plugin", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True, timeout=120)
    return done.stdout.splitlines()


def test_what_is_left_out_of_a_narrow_terminal_is_said() -> None:
    shown = in_terminal("profile", DIGITS, "-n", 1, "--config", "PROVIDER=numpy", columns=60)
    lines = plain(shown).splitlines()
    assert "… no room for GFLOP/s, fused into it; --json has them" in lines
    assert all(len(line) <= 60 for line in lines if line.startswith(("layer", "conv", "pool", "…")))


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_columns_hold_for_a_pipe(columns: int) -> None:
    for verb in (["profile", DIGITS, "-n", 1], ["info", DIGITS, "--layers"], ["run", DIGITS], ["ops", "gather"]):
        lines = output_of(*verb, COLUMNS=str(columns))
        table = [line for line in lines if line.startswith(("layer", "conv", "output", "prob", "Gather"))]
        assert table
        assert all(len(line) <= columns for line in table)


def test_a_pipe_gets_everything() -> None:
    lines = output_of("profile", DIGITS, "-n", 1)
    assert lines[0].endswith("  fused into it")
    assert any(line.startswith("conv1 ") and line.endswith("  conv1/add, conv1/relu") for line in lines)
    assert not any(line.startswith("…") or line != line.rstrip() for line in lines)


def test_the_slowest_layer_is_first() -> None:
    lines = output_of("profile", DIGITS, "-n", 3, "--plain")
    steps = lines[1 : lines.index("")]
    milliseconds = [float(re.findall(r" (\d+\.\d{3}) ", step)[0]) for step in steps]
    assert len(milliseconds) > 10
    assert milliseconds == sorted(milliseconds, reverse=True)


def test_long_names_are_shortened_in_the_middle(tmp_path: Path) -> None:
    name = "__module.vision_model.encoder.layers.11.self_attn.out_proj/aten::linear/Convolution"
    (tmp_path / "m.xml").write_text(DIGITS.read_text().replace('name="conv1"', f'name="{name}"'))
    shutil.copy(DIGITS.with_suffix(".bin"), tmp_path / "m.bin")
    for verb, *more in (["profile", "-n", 1], ["dump"], ["info", "--layers"]):
        lines = output_of(verb, tmp_path / "m.xml", *more, COLUMNS="80")
        (row,) = [line for line in lines if line.startswith("__module")]
        assert re.match(r"__mod\S*…\S*lution  ", row)
        assert any(name in line for line in output_of(verb, tmp_path / "m.xml", *more))


def test_progress_is_one_line_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JPY_PARENT_PID", "1")
    shown = in_terminal("benchmark", DIGITS, "-t", 1)
    assert "\x1b[" not in shown
    assert len([line for line in shown.split("\n") if "measuring" in line]) == 1
    assert re.search(r"\rmeasuring: \d+, \d+\.\d s *\r\n", shown)


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


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", DIGITS, "--config", "FROBNICATE=2"],
        ["run", DIGITS, "-i", "frobnicated_input=1x2x3"],
        ["check", "--format", "frob", DIGITS],
        ["benchmark", DIGITS, "-m", "another/model/of/which/the/path/is/rather/long.xml", "-niter", "1"],
        ["run", FINDINGS / "IR302.xml"],
    ],
)
def test_errors_fit_the_terminal(arguments: list[object]) -> None:
    width = 60
    command = [sys.executable, "-m", "ir_plugin", *map(str, arguments)]
    texts = [
        subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | extra).stderr
        for extra in ({"COLUMNS": str(width)}, {"COLUMNS": "1000"})
    ]
    lines = texts[0].splitlines()
    assert all(len(line) <= width or " " not in line.strip().removeprefix("--> ") for line in lines), texts[0]
    assert len(lines) > len(texts[1].splitlines())
    assert {*" ".join(lines).split()} >= {*texts[1].splitlines()[0].split()}
