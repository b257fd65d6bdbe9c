"""Modules of compiled kernels, imported when they are first asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ir_plugin.compiler.selection.kernel import Options


def compiled_kernels(name: str, options: Options) -> ModuleType | None:
    """Return the module `name` of compiled kernels, or None where NumPy's are asked for or it cannot be compiled."""
    return compiled_module(name) if options.uses_numba else None


@cache
def compiled_module(name: str) -> ModuleType | None:
    """Return the module `name` of compiled kernels, or None where it cannot be compiled."""
    try:
        return import_module(f"ir_plugin.kernels.numba.{name}")
    except (ImportError, OSError, RuntimeError):
        return None
