"""`--no-validate`: verbs take a model that OpenVINO reads although `check` finds errors in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from ir_plugin.cli.app import app
from tests.support.changed import DIGITS

CALLS = [
    ["run"], ["dump"], ["info"], ["profile", "-n", "1"], ["benchmark", "-niter", "1"],
    ["benchmark", "-niter", "1", "-b", "2"], ["compare", "--with", str(DIGITS)],
]  # fmt: skip


@pytest.fixture
def misdeclared(tmp_path: Path) -> Path:
    """Return a model whose declared shapes contradict the inferred ones."""
    text = DIGITS.read_text("utf-8")
    declared = "<dim>24</dim>"
    assert declared in text
    position = text.rindex(declared)
    (tmp_path / "m.xml").write_text(text[:position] + "<dim>25</dim>" + text[position + len(declared) :], "utf-8")
    shutil.copy(DIGITS.with_suffix(".bin"), tmp_path / "m.bin")
    return tmp_path / "m.xml"


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_declared_shapes_may_be_wrong(words: list[str], misdeclared: Path) -> None:
    verb, *more = words
    refused = CliRunner().invoke(app, [verb, str(misdeclared), *more])
    assert refused.exit_code == 1, refused.output
    taken = CliRunner().invoke(app, [verb, str(misdeclared), *more, "--no-validate"], catch_exceptions=False)
    assert taken.exit_code == 0, taken.output
