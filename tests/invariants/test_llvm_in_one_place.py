"""LLVM stands in the two folders that emit its instructions, and nothing private of numba anywhere."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "ir_plugin"
NUMBA = PACKAGE / "kernels/numba"
PRIVATE = re.compile(
    r"\b_get_compiled_object\b|\._tm\b|\b_rebuild\b|\._reduce\(|\b_numba_type_\b|dispatcher\._cache\b|\.METH_\w+\b|"
    r"\bPyCFunction_NewEx\b|\bPyArray_Descr\b"
)
"""Names of numba, and of Python's and NumPy's objects, that differ between versions and builds."""


def _matching(pattern: re.Pattern[str]) -> set[Path]:
    return {path for path in PACKAGE.rglob("*.py") if pattern.search(path.read_text("utf-8"))}


def test_llvm_is_used_in_two_folders() -> None:
    users = _matching(re.compile(r"\bllvmlite\b"))
    assert users
    assert {path.parent for path in users} == {NUMBA / "runtime", NUMBA / "gemm"}


def test_nothing_private_of_numba_is_used() -> None:
    assert _matching(PRIVATE) == set()
