"""A docstring that states a time or a rate names the benchmark that measures it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "ir_plugin"
FIGURE = re.compile(r"\d (?:ms|µs|ns|GFLOP/s|GB/s|seconds)\b|\.\d+ (?:ms|µs|ns)\b|\btimes (?:slower|faster)\b")
FOLDERS = ("kernels", "compiler", "executor", "operations", "tensors", "reader")


def docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


@pytest.mark.parametrize("folder", FOLDERS)
def test_figures_name_their_command(folder: str) -> None:
    unfounded = [
        f"{path.relative_to(PACKAGE)}: {text.splitlines()[0]}"
        for path in (PACKAGE / folder).rglob("*.py")
        for text in docstrings(path)
        if FIGURE.search(text) and "python -m benchmarks." not in text
    ]
    assert not unfounded, unfounded
