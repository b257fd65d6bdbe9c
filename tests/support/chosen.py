"""The tests that a change concerns, by what they import; `python3 dev.py test --changed` runs them.

Almost every test imports the whole package in the end, so that the graph is followed through the modules of the tests
alone: what a test, or what it imports of the tests, names of the package is what it is about.
"""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {"schemas": "schema", "samples": "contract", "requirements": "contract", "README.md": "docs"}
"""Folders outside the package, and the tests of each where it is not of the same name."""


def git(*arguments: str) -> list[str]:
    """Return the lines that git prints."""
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()  # fmt: skip


def changed_files() -> list[str]:
    """Return what differs from where the branch left main, or on main from the last commit, new files included."""
    on_main = git("rev-parse", "HEAD") == git("rev-parse", "main")
    base = "HEAD" if on_main else git("merge-base", "HEAD", "main")[0]
    return sorted({*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")})


def module_of(path: str) -> str:
    """Return the dotted name of a file of Python."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def imports_of_tests() -> dict[str, set[str]]:
    """Return what each file below `tests` imports, by its path: modules, and names in them."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "tests").rglob("*.py")):
        names = found.setdefault(path.relative_to(ROOT).as_posix(), set())
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def that_import(modules: set[str]) -> set[str]:
    """Return the files below `tests` that import one of the modules, directly or through others of the tests."""
    graph, reached = imports_of_tests(), set(modules)
    while True:
        files = {path for path, names in graph.items() if names & reached}
        further = reached | {module_of(path) for path in files}
        if further == reached:
            return files
        reached = further


def is_test(path: str) -> bool:
    """Return whether pytest collects a file."""
    return path.startswith("tests/") and Path(path).name.startswith("test_") and path.endswith(".py")


def tests_of(path: str) -> set[str]:
    """Return the tests that a changed file concerns: those that import it, and those of its name, or of its folder."""
    top, _, rest = path.partition("/")
    importing = {test for test in that_import({module_of(path)}) if is_test(test)} if path.endswith(".py") else set()
    if is_test(path):
        return {path, *importing} if (ROOT / path).exists() else importing
    stem = Path(path).stem.strip("_")
    named = {test for test in imports_of_tests() if is_test(test) and Path(test).stem.startswith(f"test_{stem}")}
    if importing or (named and top == "ir_plugin"):
        return importing | named
    folder = rest.partition("/")[0] if top in ("ir_plugin", "tests") else FOLDERS.get(top, top)
    folder = f"tests/{folder.removesuffix('.py')}"
    return {folder} if (ROOT / folder).is_dir() else {"tests/contract/test_docs.py", "tests/contract/test_ci.py"}


def chosen(paths: Iterable[str]) -> list[str]:
    """Return the tests that changed files concern, without files in folders that are taken whole."""
    tests = {test for path in paths for test in tests_of(path)}
    folders = tuple(f"{test}/" for test in tests if not test.endswith(".py"))
    return sorted(test for test in tests if not test.startswith(folders))
