"""Whether compiled kernels can be used, and the reason where they cannot."""

from __future__ import annotations

import logging
import os
from functools import cache
from importlib.util import find_spec

from ir_plugin.kernels.compiling import FAULTS, first_line

OLDEST = (0, 61)
"""The first version of numba that the kernels are compiled with; `pyproject.toml` has it too."""

_LOG = logging.getLogger("ir_plugin")
_SWITCHED_OFF = "the environment variable NUMBA_DISABLE_JIT switches numba's compiler off; unset it"
_INSTALL = f'pip install "numba>={OLDEST[0]}.{OLDEST[1]}"'


@cache
def numba_fault() -> str | None:
    """Return why compiled kernels cannot be used, or None where they can: the smallest module of them is compiled."""
    fault = evident_fault() or (None if _has_compiled_kernels() else _import_fault())
    if fault is not None:
        return fault
    try:
        from ir_plugin.kernels.numba import math_functions
        from ir_plugin.kernels.numba.runtime.jit import functions_of

        for function in functions_of(math_functions):
            function.require()
    except FAULTS as unusable:
        return _import_fault() or f"numba {_version()} cannot compile the kernels: {first_line(unusable)}"
    return None


def evident_fault() -> str | None:
    """Return why compiled kernels cannot be used, as far as that can be seen without the import of numba."""
    if not numba_installed():
        return f"numba is not installed; {_INSTALL}"
    return _SWITCHED_OFF if os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0") else None


def _has_compiled_kernels() -> bool:
    """Return whether the cache has kernels of this very compiler and its settings, which need no import of numba."""
    try:
        from ir_plugin.kernels.numba.runtime import kernel_cache
    except FAULTS:
        return False
    return not kernel_cache.SETTINGS_FILE.exists() and any(folder.is_dir() for folder in kernel_cache.folders())


def _version() -> str:
    import numba

    return str(numba.__version__)


def _import_fault() -> str | None:
    """Return why numba cannot be imported or used, or None where it can."""
    try:
        import numba

        version = _version()
        if numba.config.DISABLE_JIT:
            return _SWITCHED_OFF
    except FAULTS as fault:
        return f"numba cannot be imported: {first_line(fault)}"
    if tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < OLDEST:
        return f"numba {version} is too old, and {'.'.join(map(str, OLDEST))} is needed; {_INSTALL}"
    return None


@cache
def note_numpy() -> None:
    """Say once that NumPy's kernels are used, as a warning where numba is installed."""
    level = logging.WARNING if numba_installed() else logging.INFO
    _LOG.log(level, "NumPy's kernels are used: %s", evident_fault() or numba_fault())


@cache
def numba_installed() -> bool:
    """Return whether numba can be found, without importing it."""
    return find_spec("numba") is not None
