"""The page of passes names each of them, and shows what it does."""

from __future__ import annotations

import re

import pytest

from ir_plugin.compiler.passes import PASSES, summary
from tests.docs.passes import CONFIGURATIONS, EXAMPLES, PAGE, text
from tests.support.passes import rewrite


def test_the_page_of_passes_is_current() -> None:
    assert PAGE.read_text("utf-8") == text(), "run python -m tests.docs.passes"


def test_the_page_has_every_key_of_the_configuration_in_order() -> None:
    page = PAGE.read_text("utf-8")
    assert re.findall(r"^\| \[`(\w+)`\]", page, re.MULTILINE) == list(PASSES)
    assert re.findall(r"^## `(\w+)`", page, re.MULTILINE) == list(PASSES)


@pytest.mark.parametrize("name", PASSES)
def test_every_pass_changes_its_example(name: str) -> None:
    assert rewrite(name, EXAMPLES[name](), (), **CONFIGURATIONS.get(name, {})).is_match
    assert summary(name).endswith(".")
    assert len(summary(name)) < 120
