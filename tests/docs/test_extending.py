"""The page on extending the library is followed in a copy of the repository, and its commands succeed there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.docs.test_code_blocks import Command, blocks, commands_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "internals" / "extending.md"
COPIED = ("ir_plugin", "schemas", "samples", "tests", "docs")
HEAD = re.compile(r"(?:# |<!-- |--- )([\w./-]+)(?: -->)?\n")


def test_following_the_page_adds_what_it_says(tmp_path: Path) -> None:
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    commands = 0
    for block in blocks(PAGE):
        if block.language in ("sh", "console"):
            for command in commands_of(block):
                run(command, tmp_path)
                commands += 1
            continue
        head = HEAD.match(block.text)
        assert head is not None, f"line {block.line} has no path"
        path, text = tmp_path / head[1], block.text[head.end() :] + "\n"
        path.write_text(patched(path.read_text("utf-8"), text) if block.language == "diff" else text, "utf-8")
    assert commands > 5


FILES = {"An operation": 3, "A pass": 2, "A compiled kernel": 3, "A verb": 2}
"""Files that a section of the page adds or changes: the thing itself, where it is listed, and its tests."""


def test_an_addition_touches_few_files() -> None:
    files: dict[str, set[str]] = {}
    titles = [(line.removeprefix("## "), number) for number, line in numbered_titles()]
    for block in blocks(PAGE):
        head = HEAD.match(block.text)
        if head is not None:
            title = max((title for title in titles if title[1] < block.line), key=lambda title: title[1])[0]
            files.setdefault(title, set()).add(head[1])
    assert {title: len(paths) for title, paths in files.items()} == FILES


def numbered_titles() -> list[tuple[int, str]]:
    """Return the headings of sections with their line numbers."""
    lines = PAGE.read_text("utf-8").splitlines()
    return [(number, line) for number, line in enumerate(lines, 1) if line.startswith("## ")]


def patched(source: str, change: str) -> str:
    """Return a text in which the lines of a diff, which are there once, are replaced."""
    lines = change.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] != "+")
    after = "".join(line[1:] for line in lines if line[0] != "-")
    assert source.count(before) == 1, f"{source.count(before)} times in the file:\n{before}"
    return source.replace(before, after)


def run(command: Command, folder: Path) -> None:
    """Run a command in the folder, and compare what it prints with the page; `…` stands for any text."""
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHON": sys.executable}
    environment.pop("COLUMNS", None)
    text = re.sub(r"^python ", '"$PYTHON" ', re.sub(r"^ir-plugin ", "python -m ir_plugin ", command.text))
    done = subprocess.run(
        text, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, (command.text, done.stdout, done.stderr)
    if command.printed:
        pattern = re.escape("\n".join(command.printed)).replace("…", ".*")
        assert re.fullmatch(pattern, done.stdout.rstrip(), re.DOTALL), done.stdout
