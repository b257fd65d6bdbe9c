"""Each promise of the page on security names a test that exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
ROWS = [line for line in PAGE.split("\n") if line.startswith("| ") and not line.endswith("| test |")]


@pytest.mark.parametrize("row", ROWS)
def test_a_promise_is_held_by_a_test_that_exists(row: str) -> None:
    named = re.search(r"\| (tests/[\w/]+\.py)::(\w+) \|$", row)
    assert named is not None
    functions = ast.parse((ROOT / named[1]).read_text("utf-8")).body
    assert named[2] in [each.name for each in functions if isinstance(each, ast.FunctionDef)]


def test_the_page_makes_promises() -> None:
    assert len(ROWS) > 20
