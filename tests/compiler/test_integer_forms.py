"""The forms of integer kernels that this processor would not choose, in processes that are limited to older ones."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.skips import COMPILED

pytest.importorskip("numba", reason=COMPILED)

ROOT = Path(__file__).parents[2]
X86 = {
    "madd": {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma,+avx"},
    "plain": {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": "+sse4.2,+ssse3"},
}
FORMS = X86 if platform.machine().lower() in ("x86_64", "amd64") else {"plain": {"NUMBA_CPU_NAME": "generic"}}
"""What limits numba to the instructions of a form, of those that this kind of processor has."""


def run(form: str, *command: str) -> str:
    """Return what a Python process prints whose kernels have a form."""
    environment = {**os.environ, **FORMS[form]}
    call = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert call.returncode == 0, call.stdout + call.stderr
    return call.stdout


@pytest.mark.parametrize("form", FORMS)
def test_integers_of_an_older_processor(form: str) -> None:
    code = "from ir_plugin.kernels.numba.gemm import integer_micro_kernel, tile_products as tiles\n"
    code += "print(integer_micro_kernel.FORM, tiles.may_use_tiles())"
    assert run(form, "-c", code).split() == [form, "False"]
    run(form, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "tests/compiler/test_integers.py")
