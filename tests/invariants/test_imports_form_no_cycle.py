"""No module or package of ir_plugin imports itself through others, not for annotations and not inside a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

grimp = pytest.importorskip("grimp", reason="import-linter brings it, in the environment without numba")

ROOT = Path(__file__).parents[2]
LISTED = Path(__file__).with_name("package_cycles.txt")
"""The cycles of packages that are left."""
IMPORTS_BY_TEXT = ("ir_plugin/__init__.py", "ir_plugin/cli/")
"""What may import a module of the package by the text of its name: nothing stands above it."""


def cycles(imports: Mapping[str, set[str]]) -> Iterator[set[str]]:
    """Yield the strongly connected modules, of a cycle each."""
    reachable = {module: reached(module, imports) for module in imports}
    left = set(imports)
    while left:
        module = left.pop()
        cycle = {module} | {other for other in reachable[module] if module in reachable[other]}
        left -= cycle
        if len(cycle) > 1:
            yield cycle


def reached(start: str, imports: Mapping[str, set[str]]) -> set[str]:
    """Return every module that one imports, directly or through others."""
    seen: set[str] = set()
    remaining = [start]
    while remaining:
        for module in imports[remaining.pop()] - seen:
            seen.add(module)
            remaining.append(module)
    return seen


def children(package: str, imports: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return which modules and packages in a package each of them imports."""
    depth = package.count(".") + 2
    edges: dict[str, set[str]] = {}
    for module, imported in imports.items():
        if module.startswith(f"{package}."):
            child, *others = (
                ".".join(name.split(".")[:depth]) for name in (module, *imported) if name.startswith(f"{package}.")
            )
            edges.setdefault(child, set()).update(other for other in others if other != child)
    return edges


def package_cycles(imports: Mapping[str, set[str]]) -> list[str]:
    """Return a line for each cycle of the modules and packages in one package."""
    packages = {module.rpartition(".")[0] for module in imports if "." in module}
    return [
        f"{package}: {' '.join(sorted(child.rpartition('.')[2] for child in cycle))}"
        for package in sorted(packages)
        for cycle in cycles(children(package, imports))
    ]


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """Return the modules of the package that each module names in an import.

    `ir_plugin` itself names modules for type checkers and imports them when they are used, so these do not count.
    """
    graph = grimp.build_graph("ir_plugin", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    return imports | {"ir_plugin": {"ir_plugin.version"}}


def test_imports_form_no_cycle(imports: dict[str, set[str]]) -> None:
    assert len(imports) > 400
    assert [sorted(cycle) for cycle in cycles(imports)] == []


def test_packages_form_no_cycle(imports: dict[str, set[str]]) -> None:
    listed = [line for line in LISTED.read_text("utf-8").splitlines() if not line.startswith("#")]
    assert package_cycles(imports) == listed


def test_imports_inside_a_function_count(imports: dict[str, set[str]]) -> None:
    jit = imports["ir_plugin.kernels.numba.runtime.jit"]
    assert "ir_plugin.kernels.numba.runtime.compiler" in jit


def test_only_the_top_imports_by_text() -> None:
    found = []
    for path in sorted((ROOT / "ir_plugin").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(IMPORTS_BY_TEXT):
            found += [f"{name}:{line}" for line in imports_by_text(path.read_text("utf-8"))]
    assert found == []


def imports_by_text(source: str) -> list[int]:
    """Return the lines that import a module of the package by the text of its name."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.args]
    functions = ("import_module", "__import__")
    return [
        call.lineno
        for call in calls
        if ast.unparse(call.func).split(".")[-1] in functions and "ir_plugin" in ast.unparse(call.args[0])
    ]


def test_a_package_cycle_and_an_import_by_text_are_found() -> None:
    edges = {"a": set(), "a.b": set(), "a.b.c": {"a.d"}, "a.d": {"a.b.e"}, "a.b.e": set[str]()}
    assert package_cycles(edges) == ["a: b d"]
    assert imports_by_text('import importlib\n\nimportlib.import_module(f"ir_plugin.{name}")\n') == [3]


def test_a_cycle_is_found() -> None:
    assert list(cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == [{"a", "b", "c"}]
