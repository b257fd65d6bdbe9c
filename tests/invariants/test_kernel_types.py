"""Every compiled kernel has the type that its key says, as mypy sees it, and is in the module that its key names."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from ir_plugin.kernels import keys
from ir_plugin.kernels.registry import JobKey, KernelKey

ROOT = Path(__file__).parents[2]
NUMBA = ROOT / "ir_plugin" / "kernels" / "numba"
HEAD = """
import numpy as np
from ir_plugin.compiler.selection.kernel import Options
from ir_plugin.kernels import keys
from ir_plugin.kernels.registry import register, register_job
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array
kernels, pool, array = Options().kernels, ThreadPool(1), np.ones(1)
softmax = kernels.find(keys.SOFTMAX_ROWS)
assert softmax is not None
class Other:
    def __init__(self, rows: str, widths: list[int], pool: ThreadPool) -> None: ...
"""
WRONG = {
    "kernels.find(keys.CONCATENATION)": 'has no attribute "CONCATENATION"',
    "kernels.build(keys.CONCAT, 1, 2, pool)": "incompatible type",
    "softmax(pool)(array)": "Too few arguments",
    "register(keys.COPIED)(lambda: array)": "Cannot infer type of lambda",
    "register_job(keys.CONCAT)(Other)": "incompatible type",
}
"""Statements that mypy refuses, and part of what it says."""


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what mypy says of kernels that are asked for or registered wrongly."""
    file = tmp_path_factory.mktemp("types") / "asks.py"
    file.write_text(HEAD + "\n".join(WRONG) + "\n", "utf-8")
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if "error:" in line]


def test_a_kernel_of_another_type_is_a_type_error(errors: list[str]) -> None:
    first = HEAD.count("\n") + 1
    for line, message in enumerate(WRONG.values(), first):
        assert any(f":{line}: error:" in error and message in error for error in errors), (message, errors)
    assert {int(error.split(":")[1]) for error in errors} == set(range(first, first + len(WRONG)))


def registered() -> list[tuple[str, str, str]]:
    """Return the module, the decorator and the key's name of each registered kernel."""
    calls: list[tuple[str, str, str]] = []
    for path in sorted(NUMBA.rglob("*.py")):
        module = ".".join(path.relative_to(NUMBA).with_suffix("").parts)
        nodes = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
        named = [(module, ast.unparse(node.func), ast.unparse(node.args[0])) for node in nodes if node.args]
        calls += [call for call in named if call[1] in ("register", "register_job")]
    return calls


def test_every_key_has_one_kernel_in_its_module() -> None:
    decorators = {True: "register_job", False: "register"}
    named = {name: key for name, key in vars(keys).items() if isinstance(key, KernelKey)}
    assert len(named) > 20
    expected = [(key.module, decorators[isinstance(key, JobKey)], f"keys.{name}") for name, key in named.items()]
    assert sorted(registered()) == sorted(expected)
