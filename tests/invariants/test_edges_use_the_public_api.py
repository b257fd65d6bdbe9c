"""Packages at the edge of the engine import only what users may import, so that they could be packages of their own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ir_plugin

ROOT = Path(ir_plugin.__file__).parent
EDGES = ("batch_inference", "serving", "testing")
PUBLIC_MODULES = {"errors", "version", *(name for name in ir_plugin._OPENVINO if not name.startswith("_"))}


def private_imports(source: str, edge: str) -> Iterator[str]:
    """Yield what a module of a package at the edge imports from the engine, unless it is public."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("ir_plugin."))
        elif isinstance(node, ast.ImportFrom) and node.module == "ir_plugin":
            public = {*ir_plugin.__all__, *PUBLIC_MODULES}
            yield from (f"ir_plugin.{alias.name}" for alias in node.names if alias.name not in public)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ir_plugin."):
            module = (node.module or "").split(".")[1]
            if module not in {edge, *PUBLIC_MODULES}:
                yield f"{node.module}"


@pytest.mark.parametrize("edge", EDGES)
def test_an_edge_imports_public_names_only(edge: str) -> None:
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in sorted((ROOT / edge).rglob("*.py"))
        if (names := list(private_imports(path.read_text("utf-8"), edge)))
    }
    assert found == {}


def test_private_imports_are_found() -> None:
    source = """
    import ir_plugin.tensors
    from ir_plugin import Core, errors, tensors
    from ir_plugin.errors import Error
    from ir_plugin.report.store import load
    from ir_plugin.serving import Limits
    """
    lines = "\n".join(line.strip() for line in source.splitlines())
    assert list(private_imports(lines, "serving")) == [
        "ir_plugin.tensors", "ir_plugin.tensors", "ir_plugin.report.store",
    ]  # fmt: skip
    assert list(private_imports(lines, "testing"))[-1] == "ir_plugin.serving"
