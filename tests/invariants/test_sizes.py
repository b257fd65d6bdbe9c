"""Files have at most 400 lines, functions 30, signature and docstring included; the package has at most 24 names."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "ir_plugin"
MAX_LINES = 400
MAX_LINES_OF_FUNCTION = 30
MAX_NAMES = 24
LONG = Counter(Path(__file__).with_name("long_functions.txt").read_text("utf-8").splitlines())
"""Functions that are longer than the rule, as `path: name`. A line goes when its function is short."""


def _long_functions(path: Path) -> list[str]:
    name = path.relative_to(PACKAGE).as_posix()
    return [
        f"{name}: {node.name}"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > MAX_LINES_OF_FUNCTION
    ]


def test_files_are_short() -> None:
    files = [path for folder in (PACKAGE, ROOT / "tests") for path in folder.rglob("*.py")]
    assert len(files) > 1000
    lengths = {path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines()) for path in files}
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


def test_the_package_has_few_names() -> None:
    """A folder without Python files is what an older commit left."""
    names = [path for path in PACKAGE.iterdir() if not path.is_dir() or [*path.rglob("*.py")]]
    assert 15 < len(names) <= MAX_NAMES, sorted(path.name for path in names)


def test_functions_are_short() -> None:
    found = Counter(entry for path in PACKAGE.rglob("*.py") for entry in _long_functions(path))
    assert sorted((found - LONG).elements()) == [], "shorten these"
    assert sorted((LONG - found).elements()) == [], "take these out of long_functions.txt: they are short now"
