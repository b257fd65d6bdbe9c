"""How kernels are compiled: ahead for given types, kept on disk, without the interpreter's lock."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.errors import NumbaError

Function = TypeVar("Function", bound=Callable[..., Any])

_ARITHMETIC = {"contract", "reassoc", "nsz"}
"""What the compiler may do to sums so that it can use vectors; NaN and infinity keep their meaning."""


def _forget_stale(folder: Path) -> None:
    """Remove what was compiled from other sources than those in the folder.

    A kernel holds copies of the kernels and constants of other modules that it uses; numba only looks at its own.
    """
    sources = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.rglob("*.py")))).hexdigest()
    stamp = folder / "__pycache__" / "sources"
    try:
        if stamp.is_file() and stamp.read_text("utf-8") == sources:
            return
        for pattern in ("*.nbi", "*.nbc"):
            for path in folder.rglob(pattern):
                path.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(sources, "utf-8")
    except OSError:  # a folder that cannot be written to is not edited either
        return


_forget_stale(Path(__file__).parents[1])


def given(rank: int, type: str = "f4") -> str:
    """Return how a signature writes an array that is only read, in C order: it may be one that cannot be written."""
    return f"Array({type}, {rank}, 'C', True)"


def compiled(*signatures: str, exact: bool = False) -> Callable[[Function], Any]:
    """Return a decorator that compiles a function for these types; the result is kept in `__pycache__`.

    With `exact` every operation is done in the order that is written.
    """
    arithmetic = set() if exact else _ARITHMETIC

    def decorate(function: Function) -> Any:
        try:
            made: Any = numba.njit(list(signatures), nogil=True, cache=True, error_model="numpy", fastmath=arithmetic)(
                function
            )
        except NumbaError as fault:
            raise ImportError(f"numba cannot compile {function.__name__}") from fault
        if made.stats.cache_misses and sys.stderr.isatty():
            sys.stderr.write(f"ir_plugin: compiled {function.__name__}, once a machine\n")
        return made

    return decorate


def job(function: Callable[[int, int], None]) -> Any:
    """Return a function of the address of its arguments and of the number of a part as a compiled job.

    Its `address` is what a crew calls; the arguments are numbers of 64 bits, addresses among them.
    """
    try:
        return numba.cfunc("void(i8, i8)", cache=True, error_model="numpy", fastmath=_ARITHMETIC)(function)
    except NumbaError as fault:
        raise ImportError(f"numba cannot compile {function.__name__}") from fault
