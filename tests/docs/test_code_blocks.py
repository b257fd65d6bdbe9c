"""The code of the README and of every page runs: Python blocks, and the commands of shell blocks.

A page's blocks run in order, Python in one namespace, in a folder where `samples` is the repository's. In a `console`
block a command follows `$ `, and the other lines are what it prints, where `…` stands for any text.
A command behind which `|| true` is written ends with status 1.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from ir_plugin.cli.app import app
from ir_plugin.kernels.numba.availability import numba_installed

ROOT = Path(__file__).parents[2]
FILES = ROOT / "docs" / "internals" / "extending.md"
"""The page whose blocks are files of a checkout; `test_extending.py` runs it."""
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page != FILES)]
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
ALLOWED = " || true"


class Block(NamedTuple):
    language: str
    line: int
    text: str


class Command(NamedTuple):
    text: str
    printed: list[str] | None


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text("utf-8")
    for found in FENCE.finditer(text):
        indent, language, body = found.groups()
        line = text.count("\n", 0, found.start()) + 1
        yield Block(language, line, "\n".join(row.removeprefix(indent) for row in body.splitlines()))


def commands_of(block: Block) -> Iterator[Command]:
    if block.language == "sh":
        yield from (Command(line, None) for line in block.text.splitlines())
        return
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *printed = part.splitlines()
        yield Command(command, [line.rstrip() for line in printed])


def python(block: Block, page: Path, names: dict[str, Any]) -> None:
    """Run a block whose lines are numbered as in the page, for the traceback."""
    exec(compile("\n" * block.line + block.text, str(page), "exec"), names)


def shell(command: Command) -> None:
    words = shlex.split(command.text.removesuffix(ALLOWED), comments=True)
    if not words or words[0] not in ("ir-plugin", "python"):
        return
    if words[1] == "warm" and not numba_installed():
        return
    if words[0] == "python":
        run = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, check=False, timeout=60)
        status, output = run.returncode, run.stdout + run.stderr
    else:
        result = CliRunner().invoke(app, words[1:])
        status, output = result.exit_code, result.output
    assert status == int(command.text.endswith(ALLOWED)), (command.text, output)
    if command.printed:
        wanted = re.escape("\n".join(command.printed).rstrip()).replace("…", ".*")
        printed = "\n".join(line.rstrip() for line in output.rstrip().splitlines())
        assert re.fullmatch(wanted, printed, re.DOTALL), f"{command.text} prints\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "samples").symlink_to(ROOT / "samples", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language == "python":
            python(block, page, names)
        elif block.language in ("sh", "console"):
            for command in commands_of(block):
                shell(command)


def test_pages_have_code() -> None:
    assert sum(block.language in ("python", "sh", "console") for page in PAGES for block in blocks(page)) > 20
