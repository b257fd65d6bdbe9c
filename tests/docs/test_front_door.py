"""What a newcomer meets first agrees with the package: version, hints about missing packages, files in the root."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import ir_plugin

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

ROOT = Path(__file__).parents[2]
KNOWN = {
    ".ci", ".github", ".gitignore", ".pre-commit-hooks.yaml", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md",
    "LICENSE", "Makefile", "README.md", "SECURITY.md", "action.yml", "benchmarks", "contrib", "dev.py", "docs",
    "ir_plugin", "mkdocs.yml", "pyproject.toml", "requirements", "samples", "schemas", "tests",
}  # fmt: skip


def test_citation_and_changelog_have_the_version_and_a_date() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    date = re.search(r"^date-released: (\d{4}-\d\d-\d\d)$", citation, re.MULTILINE)
    assert f"\nversion: {ir_plugin.__version__}\n" in citation
    assert date is not None
    assert f"\n## {ir_plugin.__version__}, {date[1]}\n" in changelog


def test_hints_about_missing_packages_work_from_a_clone() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    packages = {re.split(r"[<>=\[;]", entry)[0] for entries in extras.values() for entry in entries}
    hints = []
    for path in (ROOT / "ir_plugin").rglob("*.py"):
        hints += re.findall(r"pip install ([^(\n]*?)[\"({]", path.read_text("utf-8"))
    assert len(hints) > 4
    for hint in hints:
        names = {re.split(r"[<>=\[;\\]", word.strip("'\"`"))[0].lower() for word in hint.split()}
        assert names <= packages | {""}, hint


def test_the_root_has_no_file_that_a_run_left() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=False, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no clone")
    assert {name.partition("/")[0] for name in listed.stdout.splitlines()} <= KNOWN
