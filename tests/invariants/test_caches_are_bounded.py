"""Every cache is bounded and locked: a lazy value, a pure function's results up to a size, or a `BoundedCache`.

No key is the `id` of an object, which another object may get later.
"""

from __future__ import annotations

import ast
from pathlib import Path
from threading import Thread

import pytest

from ir_plugin.tensors.bounded import BoundedCache

PACKAGE = Path(__file__).parents[2] / "ir_plugin"
SOURCES = sorted(PACKAGE.rglob("*.py"))
OTHERS = {
    "batch_inference/predictor.py",
    "compiler/selection/by_shape.py",
    "compiler/selection/open_recurrent.py",
    "executor/executable.py",
}
"""Memory of one request, which one thread uses, and whose entries have a weight or share instances; and what imports
the engine's public names alone. The set may only shrink."""


def faults(tree: ast.Module) -> list[str]:
    """Return the caches of functions that have no bound, and the calls of `id`."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            takes = any(
                (node.args.posonlyargs, node.args.args, node.args.vararg, node.args.kwonlyargs, node.args.kwarg)
            )
            names = [ast.unparse(decorator).removeprefix("functools.") for decorator in node.decorator_list]
            found += [f"{node.name}: {name}" for name in names if name == "cache" and takes]
            found += [f"{node.name}: {name}" for name in names if name == "lru_cache"]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).removeprefix("functools.") == "lru_cache":
            sizes = [*node.args, *(item.value for item in node.keywords if item.arg == "maxsize")]
            if not sizes or ast.unparse(sizes[0]) == "None":
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "id":
            found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_caches_have_a_bound(path: Path) -> None:
    text = path.read_text("utf-8")
    assert faults(ast.parse(text)) == []
    name = path.relative_to(PACKAGE).as_posix()
    assert ("OrderedDict" in text) == (name in OTHERS | {"tensors/bounded.py"})


def test_caches_without_a_bound_are_found() -> None:
    code = "@cache\ndef f(x): ...\n@lru_cache\ndef g(x): ...\nh = lru_cache(maxsize=None)(g)\n@cache\ndef one(): ..."
    assert faults(ast.parse(f"{code}\nrows = {{id(f): 1}}")) == [
        "f: cache", "g: lru_cache", "line 5: lru_cache(maxsize=None)", "line 8: id(f)",
    ]  # fmt: skip


def test_the_value_used_least_recently_is_dropped() -> None:
    cache: BoundedCache[str, int] = BoundedCache(2)
    cache.add("a", 1)
    cache.add("b", 2)
    assert cache.get("a") == 1
    assert cache.add("c", 3) == 3
    assert cache.get("b") is None
    assert cache.items() == [("a", 1), ("c", 3)]
    assert cache.add("a", 9) == 1


def test_threads_share_a_cache() -> None:
    cache: BoundedCache[int, int] = BoundedCache(8)

    def work(start: int) -> None:
        for number in range(2000):
            key = (start + number) % 20
            assert cache.add(key, key) == key
            assert cache.get(key) in (key, None)

    threads = [Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) == 8
