"""Every compiled kernel has the type that the interface of providers says, as mypy sees it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from ir_plugin.kernels.numba import provider
from ir_plugin.kernels.numba.availability import Compiling, Lazy, OnSpinPool, WithEpilogue
from ir_plugin.kernels.numba.provider import NumbaKernels

ROOT = Path(__file__).parents[2]
TYPES = """from collections.abc import Callable, Sequence
from typing import TypeVar
from typing_extensions import TypeVarTuple, Unpack
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numpy.epilogue import EpilogueStage
from ir_plugin.kernels.provider import KernelProvider
from ir_plugin.kernels.thread_pool import ThreadPool

Others = TypeVarTuple("Others")
Made = TypeVar("Made")

def on_spin_pool(
    make: Callable[[Unpack[Others], SpinPool], Made]
) -> Callable[[Unpack[Others], ThreadPool], Made | None]: ...
def with_epilogue(
    make: Callable[[Unpack[Others], EncodedEpilogue, SpinPool], Made]
) -> Callable[[Unpack[Others], Sequence[EpilogueStage], ThreadPool], Made | None]: ...
def compiling(make: Callable[[Unpack[Others]], Made]) -> Callable[[Unpack[Others]], Made | None]: ...
def lazy(member: Made) -> Made: ...
def positional(make: Callable[[Unpack[Others]], Made]) -> Callable[[Unpack[Others]], Made]: ...

kernels: KernelProvider
"""
FORMS = {Lazy: "lazy", OnSpinPool: "on_spin_pool", WithEpilogue: "with_epilogue", Compiling: "compiling"}


MISSPELT = {
    "kernels.concatenate(1, [2], pool)": 'has no attribute "concatenate"',
    "kernels.concat(1, 2, pool)": "incompatible type",
    "kernels.rows.softmax(array)": "Missing positional argument",
}


def imports() -> dict[str, str]:
    """Return the module that each import function of the provider returns, as `from PACKAGE import NAME` has it."""
    functions = [
        item for item in ast.parse(Path(provider.__file__).read_text()).body if isinstance(item, ast.FunctionDef)
    ]
    statements = [(item.name, item.body[0]) for item in functions]
    return {
        name: f"{statement.module}.{statement.names[0].name}"
        for name, statement in statements
        if isinstance(statement, ast.ImportFrom)
    }


def declarations() -> str:
    """Return a stub that assigns each compiled kernel to the member of the interface that it stands for."""
    lines, modules = [TYPES], imports()
    for name, member in vars(NumbaKernels).items():
        if isinstance(member, Lazy) and not name.startswith("_"):
            package, _, module = modules[member.import_module.__name__].rpartition(".")
            source = f"{package}.{module} import {member.name}" if member.name else f"{package} import {module}"
            declared = f"kernels.{name}" if type(member) is Lazy else f"positional(kernels.{name})"
            lines += [f"from {source} as {name}", f"declared_{name} = {declared}"]
            lines += [f"declared_{name} = {FORMS[type(member)]}({name})"]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what mypy says of the declarations, and of calls that are misspelt."""
    folder = tmp_path_factory.mktemp("types")
    (folder / "kernels_of_numba.pyi").write_text(declarations())
    calls = [f"assert kernels.rows is not None\n{text}\n" for text in MISSPELT]
    (folder / "asks.py").write_text(
        "import numpy as np\nfrom ir_plugin.compiler.selection.kernel import Options\n"
        "from ir_plugin.kernels.thread_pool import ThreadPool\n"
        f"kernels, pool, array = Options().kernels, ThreadPool(1), np.ones(1)\n{''.join(calls)}"
    )
    files = map(str, folder.iterdir())
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if "error:" in line]


def test_every_kernel_has_the_type_of_the_interface(errors: list[str]) -> None:
    assert [line for line in errors if "kernels_of_numba.pyi" in line] == []


def test_a_misspelt_kernel_is_a_type_error(errors: list[str]) -> None:
    found = [line for line in errors if "asks.py" in line]
    assert len(found) == len(MISSPELT)
    for line, message in zip(found, MISSPELT.values(), strict=True):
        assert message in line
