"""Progress of the compilation of kernels: for a listener, on a terminal, or as one line of the log."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeAlias

from ir_plugin.tensors.scoped import scoped

Listener: TypeAlias = Callable[[str], None]
"""Receives the name of each kernel before it is compiled, and an empty name when it is ready."""

FAULTS = (
    AssertionError, AttributeError, ImportError, LookupError, OSError, RuntimeError, SystemError, TypeError, ValueError,
    Warning,
)  # fmt: skip
"""What numba raises, beside its own errors, where it does not fit what is installed, and warnings by `-W error`."""


class NotFasterError(ImportError):
    """Raised by a module whose kernels are not faster than NumPy's on this processor."""


class NotCompiledError(ImportError):
    """Raised where a kernel would have to be compiled, which nobody asked for."""


_may_compile: ContextVar[bool] = ContextVar("may_compile", default=True)
_unkept: ContextVar[list[str] | None] = ContextVar("unkept", default=None)
_uncompiled: ContextVar[set[object] | None] = ContextVar("uncompiled", default=None)


def may_compile() -> bool:
    """Return whether this thread may compile a kernel that is not in the cache."""
    return _may_compile.get()


def only_ready() -> AbstractContextManager[None]:
    """Within the `with`, use only kernels that are compiled already; others raise `NotCompiledError`."""
    return scoped(_may_compile, False)


@contextmanager
def listing(functions: set[object]) -> Iterator[None]:
    """Within the `with`, let factories build kernels without compiled functions, and add those that lack to a set."""
    with only_ready(), scoped(_uncompiled, functions):
        yield


def uncompiled_functions() -> set[object] | None:
    """Return the set to which factories add the functions that are not compiled; None where they compile them."""
    return _uncompiled.get()


def collecting_unkept(faults: list[str]) -> AbstractContextManager[None]:
    """Within the `with`, add to a list why kernels that this thread compiles cannot be kept, in place of a warning."""
    return scoped(_unkept, faults)


def unkept_faults() -> list[str] | None:
    """Return the list to which the reasons are added; None where they are logged."""
    return _unkept.get()


def first_line(fault: BaseException) -> str:
    """Return the first line of an error's message, or its type where it has none."""
    return next((line for line in str(fault).splitlines() if line.strip()), type(fault).__name__)


_LOG = logging.getLogger("ir_plugin")
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def listening(listener: Listener) -> AbstractContextManager[None]:
    """Report the kernels that this thread compiles within the `with` to the listener, and nowhere else."""
    return scoped(_listener, listener)


class _Progress:
    """The state of this process: whether the first kernel was announced, and the line that a terminal shows."""

    def __init__(self) -> None:
        self.announced = False
        self.line = ""

    def announce(self) -> None:
        """Say once that this run waits for the compiler."""
        if self.announced:
            return
        self.announced = True
        text = "compiling kernels with numba, which may take a minute the first time"
        if _shows_lines():
            sys.stderr.write(f"ir_plugin: {text}\n")
        else:
            _LOG.warning("%s", text)

    def show(self, line: str) -> None:
        """Replace the line that the terminal shows."""
        if not _shows_lines():
            return
        blank = " " * len(self.line)
        self.line = line
        sys.stderr.write(f"\r{blank}\r{line}")
        sys.stderr.flush()


_PROGRESS = _Progress()


def _shows_lines() -> bool:
    return sys.stderr is not None and sys.stderr.isatty() and _LOG.isEnabledFor(logging.WARNING)


def begin(kernel: str) -> None:
    """Report that a kernel is compiled now."""
    listener = _listener.get()
    if listener is not None:
        listener(kernel)
        return
    _PROGRESS.announce()
    _PROGRESS.show(f"ir_plugin: compiling {kernel}")


def end() -> None:
    """Report that the kernel is ready."""
    listener = _listener.get()
    if listener is not None:
        listener("")
    elif _PROGRESS.line:
        _PROGRESS.show("")
