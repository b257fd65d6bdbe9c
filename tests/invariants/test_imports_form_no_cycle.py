"""No module of ir_plugin imports itself through others, not for annotations and not inside a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

grimp = pytest.importorskip("grimp", reason="import-linter brings it, in the environment without numba")


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


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """Return the modules of the package that each module names in an import."""
    graph = grimp.build_graph("ir_plugin", cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def test_imports_form_no_cycle(imports: dict[str, set[str]]) -> None:
    assert len(imports) > 400
    assert [sorted(cycle) for cycle in cycles(imports)] == []


def test_a_cycle_is_found() -> None:
    assert list(cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == [{"a", "b", "c"}]
