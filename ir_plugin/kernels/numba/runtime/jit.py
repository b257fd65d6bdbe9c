"""How kernels are compiled: ahead for given types, kept on disk, without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numba
from numba.core import config, sigutils
from numba.core.ccallback import CFunc
from numba.core.errors import NumbaError

from ir_plugin.kernels import compiling
from ir_plugin.kernels.compiling import FAULTS, first_line
from ir_plugin.kernels.numba.runtime.kernel_cache import KernelCache

_config: Any = config
_signatures: Any = sigutils

Function = TypeVar("Function", bound=Callable[..., Any])

_ARITHMETIC = {"contract", "reassoc", "nsz"}
"""What the compiler may do to sums so that it can use vectors; NaN and infinity keep their meaning."""

if _config.DISABLE_JIT:
    raise ImportError("NUMBA_DISABLE_JIT=1 switches its compiler off")


def given(rank: int, type: str = "f4") -> str:
    """Return how a signature writes an array that is only read, in C order: it may be one that cannot be written."""
    return f"Array({type}, {rank}, 'C', True)"


def compiled(*signatures: str, exact: bool = False) -> Callable[[Function], Any]:
    """Return a decorator that compiles a function for these types, or loads what an earlier process compiled.

    With `exact` every operation is done in the order that is written.
    """
    arithmetic = set() if exact else _ARITHMETIC

    def decorate(function: Function) -> Any:
        dispatcher: Any = numba.njit(nogil=True, error_model="numpy", fastmath=arithmetic)(function)
        dispatcher._cache = KernelCache(function, "exact" if exact else "")
        with _compiling(function):
            for signature in signatures:
                dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return decorate


def job(function: Callable[[int, int], None]) -> Any:
    """Return a function of the address of its arguments and of the number of a part as a compiled job.

    A spin pool calls its `address`; the arguments are a struct (`runtime.structs`).
    """
    options = {"error_model": "numpy", "fastmath": _ARITHMETIC}
    callback: Any = CFunc(function, _signatures.normalize_signature("void(i8, i8)"), locals={}, options=options)
    callback._cache = KernelCache(function, "job")
    with _compiling(function):
        callback.compile()
    return callback


@contextmanager
def _compiling(function: Callable[..., Any]) -> Iterator[None]:
    """Report the end of a compilation; whatever the compiler raises becomes an ImportError."""
    try:
        yield
    except (NumbaError, *FAULTS) as fault:
        raise ImportError(f"{function.__name__} cannot be compiled: {first_line(fault)}") from fault
    finally:
        compiling.end()
