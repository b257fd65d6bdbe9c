"""Every public name is the object that type checkers see under it."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import ir_plugin

CHECKED = {
    alias.asname or alias.name: (node.module or "", alias.name)
    for node in ast.walk(ast.parse(Path(ir_plugin.__file__).read_text("utf-8")))
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ir_plugin")
    for alias in node.names
}


def declared(module: str, name: str) -> object:
    """Return what type checkers read as a name of a module: its attribute or the module under it."""
    home = import_module(module)
    return getattr(home, name) if hasattr(home, name) else import_module(f"{module}.{name}")


def test_a_name_comes_from_the_module_that_type_checkers_read() -> None:
    assert len(CHECKED) > 100
    assert {name for name, home in CHECKED.items() if getattr(ir_plugin, name) is not declared(*home)} == set()


def test_type_checkers_see_all_public_names() -> None:
    assert {name for name in ir_plugin.__all__ if not name.startswith("opset")} <= set(CHECKED)
