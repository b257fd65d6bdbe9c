"""PROVIDER=auto uses the kernels that were compiled when the process began to ask for them, and compiles none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ir_plugin.compiler.selection.kernel import Options
from ir_plugin.compiler.uncompiled import compiled_variants
from tests.support.skips import needs_numba

ROOT = Path(__file__).parents[2]
ASK = """
import sys
from ir_plugin.kernels import keys
from ir_plugin.kernels.numba.provider import NUMBA, READY

def ready():
    built = [READY.build(keys.SELECT, size) is not None for size in (1, 4)]
    return [*built, READY.find(keys.TRANSPOSED_DEPTHWISE) is not None]

print(ready(), end=" ")
if "first" in sys.argv:
    sys.exit()
assert NUMBA.build(keys.SELECT, 4) is not None
assert NUMBA.find(keys.TRANSPOSED_DEPTHWISE) is not None
print(ready(), "numba" in sys.modules)
"""
BEGIN_WITH_NUMBA = ASK.replace('print(ready(), end=" ")', "")
RUN = """
import sys
import numpy as np
from ir_plugin import Core
from ir_plugin.errors import InputError

images = np.random.default_rng(0).random((1, 1, 8, 8), np.float32)
numbers = [
    Core().compile_model("samples/digits/digits.xml", config={"PROVIDER": provider})(images)[0].tobytes()
    for provider in ("auto", "numpy", "auto")
]
print(len(set(numbers)), "numba" in sys.modules)
"""


def run(code: str, folder: Path, *arguments: str) -> tuple[str, str]:
    """Return what a process with the kernels of a folder prints, and what it says beside it."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_CPU_")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        cwd=ROOT, env=others | {"NUMBA_CACHE_DIR": str(folder)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


@needs_numba
def test_an_empty_cache_leaves_the_work_to_numpy(tmp_path: Path) -> None:
    output, log = run(RUN, tmp_path)
    assert output == "1 False"
    assert log.count("kernels of this model are not compiled, and NumPy's do their work; `ir-plugin warm MODEL`") == 1
    assert log.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@needs_numba
def test_what_is_ready_is_decided_once_in_a_process(tmp_path: Path) -> None:
    assert run(ASK, tmp_path)[0] == "[False, False, False] [False, False, False] True"
    assert run(ASK, tmp_path) == ("[False, True, True] [False, True, True] False", "")
    assert run(BEGIN_WITH_NUMBA, tmp_path) == ("[False, True, True] False", "")
    for path in tmp_path.glob("*/select*"):
        path.write_bytes(path.read_bytes()[:-1])
    output, log = run(ASK, tmp_path)
    assert output == "[False, False, True] [False, False, True] True"
    assert log.count("is damaged") == 1


@needs_numba
@pytest.mark.parametrize("order", [ASK, BEGIN_WITH_NUMBA])
def test_kernels_of_this_process_change_no_choice(order: str, tmp_path: Path) -> None:
    assert run(order, tmp_path)[0].endswith("[False, False, False] True")


@needs_numba
def test_kernels_of_another_processor_are_refused_by_one_line(tmp_path: Path) -> None:
    run(BEGIN_WITH_NUMBA, tmp_path)
    other = "import llvmlite.binding as b\nb.get_host_cpu_name = lambda: 'another'\n"
    output, log = run(other + ASK, tmp_path, "first")
    assert output == "[False, False, False]"
    assert log == "compiled kernels of another processor are not used; `ir-plugin warm` compiles those of this one\n"
    assert run(ASK, tmp_path, "first") == ("[False, True, True]", "")


def test_nothing_is_asked_of_no_op() -> None:
    assert compiled_variants([], Options()) == ({}, 0)
