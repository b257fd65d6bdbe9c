"""A test runs to its end: what cannot be tested is no case of it, rather than a case that returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def of_its_own(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of functions in it."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, FUNCTIONS):
            yield node
            yield from of_its_own(node)


def returns(source: str) -> list[int]:
    """Return the lines of `return` in tests."""
    tests = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    return [node.lineno for test in tests for node in of_its_own(test) if isinstance(node, ast.Return)]


def test_no_test_returns() -> None:
    paths = sorted(TESTS.rglob("test_*.py"))
    assert len(paths) > 300
    wrong = [f"{path.relative_to(TESTS)}:{line}" for path in paths for line in returns(path.read_text("utf-8"))]
    assert wrong == []


def test_a_return_is_found() -> None:
    assert returns(
        "def test_it():\n    def inner():\n        return 1\n    if inner():\n        return\n    assert 0\n"
    ) == [5]
