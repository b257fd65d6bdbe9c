"""Every public name is the object that type checkers see under it."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import ir_plugin

CHECKED = {
    alias.asname or alias.name: (node.module or "", alias.name)
    for node in ast.walk(ast.parse(Path(ir_plugin.__file__).read_text("utf-8")))
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ir_plugin")
    for alias in node.names
}


@pytest.mark.parametrize("name", CHECKED)
def test_a_name_comes_from_the_module_that_type_checkers_read(name: str) -> None:
    module, original = CHECKED[name]
    home = import_module(module)
    declared = getattr(home, original) if hasattr(home, original) else import_module(f"{module}.{original}")
    assert getattr(ir_plugin, name) is declared


def test_type_checkers_see_all_public_names() -> None:
    assert {name for name in ir_plugin.__all__ if not name.startswith("opset")} <= set(CHECKED)
