"""How kernels are compiled: ahead for given types, kept on disk, without the interpreter's lock.

The module of a kernel imports numba only if the cache lacks what it needs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from ir_plugin.kernels import compiling
from ir_plugin.kernels.compiling import FAULTS, first_line
from ir_plugin.kernels.numba.runtime.kernel_cache import CachedKernel, KernelCache
from ir_plugin.kernels.numba.runtime.kernel_source import KernelSource
from ir_plugin.kernels.numba.runtime.machine_code import load_address, load_function

if TYPE_CHECKING:
    from ir_plugin.kernels.numba.runtime import compiler

Function = TypeVar("Function", bound=Callable[..., Any])

_JOB = "void(i8, i8)"
_NUMBERS = ("", "0")
_IS_BINDABLE = sys.platform == "linux" and os.environ.get("NUMBA_BOUNDSCHECK", "") in _NUMBERS
"""Whether kernels get our entry points, which read ELF files and raise nothing, in place of numba's."""

if os.environ.get("NUMBA_DISABLE_JIT", "") not in _NUMBERS:
    raise ImportError("NUMBA_DISABLE_JIT=1 switches its compiler off")


def read_only(rank: int, type: str = "f4") -> str:
    """Return how a signature writes an array that is only read, in C order: it may be one that cannot be written."""
    return f"Array({type}, {rank}, 'C', True)"


def compiled(*signatures: str, exact: bool = False) -> Callable[[Function], Any]:
    """Return a decorator that compiles a function for these types, or loads what an earlier process compiled.

    With `exact` every operation is done in the order that is written.
    """
    return lambda function: Compiled(function, signatures, exact)


def job(function: Callable[[int, int], None], *, exact: bool = False) -> Any:
    """Return a function of the address of its arguments and of the number of a part as a compiled job.

    A spin pool calls its `address`; the arguments are a struct (`runtime.structs`). `exact` is as in `compiled`.
    """
    return Compiled(function, (_JOB,), exact, is_job=True)


class Compiled:
    """A function in machine code, for Python and, by its `_numba_type_`, for other compiled functions.

    Machine code is placed in memory at the first call. Without a compiler in the process it comes from the cache.
    """

    def __init__(
        self, function: Callable[..., Any], signatures: tuple[str, ...], exact: bool, is_job: bool = False
    ) -> None:
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        variant = f"{'exact' if exact else ''} {'job' if is_job else ''} {'bindable' if _IS_BINDABLE else ''}"
        self.cache = KernelCache(function, variant)
        self._source = KernelSource(function, signatures, exact, is_job, _IS_BINDABLE, self.cache)
        self._overloads: compiler.Overloads | None = None
        self._call: Callable[..., Any] = self._first_call
        self._address: int | None = None
        with self._compiling():
            self._kernels = {signature: self._loaded(signature) for signature in signatures}

    def __call__(self, *arguments: Any) -> Any:
        """Run the machine code."""
        return self._call(*arguments)

    @property
    def direct(self) -> Callable[..., Any]:
        """The machine code without a frame of Python around it, in which an interrupt could end the call early."""
        if self._call == self._first_call:
            codes = [kernel.code for kernel in self._kernels.values()]
            if any(code is None for code in codes):
                self._call = self.overloads.callable()
            else:
                self._call = _by_types([load_function(code, self.__name__) for code in codes if code is not None])
        return self._call

    @property
    def address(self) -> int:
        """The address of a job."""
        if self._address is None:
            code = self._kernels[_JOB].code
            self._address = self.overloads.address() if code is None else load_address(code)
        return self._address

    @property
    def overloads(self) -> compiler.Overloads:
        """What numba knows of the function, compiled or read from the cache by numba."""
        if self._overloads is None:
            from ir_plugin.kernels.numba.runtime.compiler import Overloads

            with self._compiling():
                self._overloads = Overloads(self._source)
        return self._overloads

    @property
    def _numba_type_(self) -> Any:
        return self.overloads.numba_type

    def inspect_llvm(self) -> Any:
        """Return the instructions of the compiler that was used, by signature."""
        return self.overloads.callable().inspect_llvm()

    def inspect_asm(self) -> Any:
        """Return the instructions of the processor, by signature."""
        return self.overloads.callable().inspect_asm()

    def _loaded(self, signature: str) -> CachedKernel:
        kernel = self.cache.load(signature)
        if kernel is None or (kernel.code is not None and not kernel.code.is_bindable):
            return self.overloads.compile(signature)
        return kernel

    def _first_call(self, *arguments: Any) -> Any:
        return self.direct(*arguments)

    @contextmanager
    def _compiling(self) -> Iterator[None]:
        """Report the end of a compilation; whatever the compiler raises becomes an ImportError."""
        try:
            yield
        except FAULTS as fault:
            raise ImportError(f"{self.__name__} cannot be compiled: {first_line(fault)}") from fault
        finally:
            compiling.end()


def _by_types(calls: list[Callable[..., Any]]) -> Callable[..., Any]:
    """Return the function that calls a kernel's first signature that accepts the arguments."""
    first, *others = calls
    if not others:
        return first
    further = _by_types(others)

    def call(*arguments: Any) -> Any:
        try:
            return first(*arguments)
        except TypeError:
            return further(*arguments)

    return call
