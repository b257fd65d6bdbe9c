"""How kernels are compiled: ahead for given types, kept on disk, without the interpreter's lock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.errors import NumbaError

Function = TypeVar("Function", bound=Callable[..., Any])

_ARITHMETIC = {"contract", "reassoc", "nsz"}
"""What the compiler may do to sums so that it can use vectors; NaN and infinity keep their meaning."""


def given(rank: int, type: str = "f4") -> str:
    """Return how a signature writes an array that is only read, in C order: it may be one that cannot be written."""
    return f"Array({type}, {rank}, 'C', True)"


def compiled(*signatures: str) -> Callable[[Function], Any]:
    """Return a decorator that compiles a function for these types; the result is kept in `__pycache__`."""

    def decorate(function: Function) -> Any:
        if sys.stderr.isatty():
            sys.stderr.write(f"ir_plugin: loading or compiling {function.__name__} (once a machine)\n")
        try:
            made: Any = numba.njit(list(signatures), nogil=True, cache=True, error_model="numpy", fastmath=_ARITHMETIC)(
                function
            )
        except NumbaError as fault:
            raise ImportError(f"numba cannot compile {function.__name__}") from fault
        return made

    return decorate
