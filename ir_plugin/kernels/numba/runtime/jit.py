"""Compiles kernels with numba for given types, without the interpreter's lock, and keeps the code on disk.

The import of a module of kernels compiles nothing: `Compiled.require` does, and it imports numba only if the cache
lacks what it needs.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, ParamSpec, TypeVar

from ir_plugin.kernels import compiling
from ir_plugin.kernels.compiling import FAULTS, NotCompiledError, first_line
from ir_plugin.kernels.jobs import native_function
from ir_plugin.kernels.numba.runtime.calls import packing_function
from ir_plugin.kernels.numba.runtime.deferred import Deferred
from ir_plugin.kernels.numba.runtime.kernel_cache import Entry, KernelCache
from ir_plugin.kernels.numba.runtime.kernel_source import KernelSource
from ir_plugin.kernels.numba.runtime.machine_code import MachineCode, load_address
from ir_plugin.tensors.scoped import scoped

if TYPE_CHECKING:
    from ir_plugin.kernels.numba.runtime import compiler

Function = TypeVar("Function", bound=Callable[..., Any])
Parameters = ParamSpec("Parameters")
Built = TypeVar("Built")
Value = TypeVar("Value")

if os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0"):
    raise ImportError("NUMBA_DISABLE_JIT=1 switches its compiler off")


def read_only(rank: int, type: str = "f4") -> str:
    """Return how a signature writes an array that is only read, in C order: it may be one that cannot be written."""
    return f"Array({type}, {rank}, 'C', True)"


def compiled(*signatures: str, exact: bool = False) -> Callable[[Function], Any]:
    """Return a decorator that compiles a function for these types, or loads what an earlier process compiled.

    With `exact` every operation is done in the order that is written.
    """
    return lambda function: Compiled(KernelSource(function, signatures, exact, _cache(function, exact)))


def job(function: Callable[[int, int], None], *, exact: bool = False) -> Any:
    """Return a function of the address of its arguments and of the number of a part as a compiled job.

    A spin pool calls its `address`; the arguments are a struct (`runtime.structs`). `exact` is as in `compiled`.
    """
    return compiled("void(i8, i8)", exact=exact)(function)


def _cache(function: Callable[..., Any], exact: bool) -> KernelCache:
    return KernelCache(function, "exact" if exact else "")


_LOCK = threading.RLock()
"""Held while a kernel is read or compiled: the compiler's state is that of the process."""
if hasattr(os, "register_at_fork"):
    # A child has no thread that would end a compilation: a fork waits for it.
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)


class _Once(Generic[Value]):
    """A property that is computed once, under the lock that a fork waits for.

    `cached_property` has a lock of its own before Python 3.12, which would stay held in a forked process.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, _: type | None = None) -> Value:
        with _LOCK:
            values, name = vars(instance), self._compute.__name__
            if name not in values:
                values[name] = self._compute(instance)
            computed: Value = values[name]
            return computed


_functions: ContextVar[list[Compiled] | None] = ContextVar("functions", default=None)
"""The functions that a factory has built so far."""


class KernelFactory(Generic[Parameters, Built]):
    """A function that builds compiled functions for one of some lists of arguments, once for each.

    Every call requires that they are compiled, as the import of their provider's module does of others.
    """

    def __init__(self, build: Callable[Parameters, Built], specializations: Iterable[tuple[Any, ...]]) -> None:
        """Take all lists of arguments with which it is called."""
        self._build = build
        self._built: dict[tuple[Any, ...], tuple[Any, list[Compiled]] | None] = dict.fromkeys(specializations)
        FACTORIES.append(self)

    def __call__(self, *arguments: Parameters.args, **_: Parameters.kwargs) -> Built:
        """Return what is built for these arguments."""
        result, functions = self._specialized(arguments)
        uncompiled = compiling.uncompiled_functions()
        for function in functions:
            if uncompiled is None:
                function.require()
            elif not function.is_ready:
                uncompiled.add(function)
        return result  # type: ignore[no-any-return]

    def functions(self) -> Iterator[Compiled]:
        """Yield the functions for all lists of arguments."""
        for arguments in self._built:
            yield from self._specialized(arguments)[1]

    def _specialized(self, arguments: tuple[Any, ...]) -> tuple[Any, list[Compiled]]:
        if arguments not in self._built:
            raise ImportError(f"{self._build.__module__} declares no kernel for {arguments}")
        built = self._built[arguments]
        if built is None:
            functions: list[Compiled] = []
            with scoped(_functions, functions):
                built = self._built[arguments] = self._build(*arguments), functions  # type: ignore[call-arg]
        return built


FACTORIES: list[KernelFactory[Any, Any]] = []


def kernel_factory(
    *specializations: tuple[Any, ...],
) -> Callable[[Callable[Parameters, Built]], KernelFactory[Parameters, Built]]:
    """Return a decorator that turns a function into a factory of compiled functions for these lists of arguments."""
    return lambda build: KernelFactory(build, specializations)


class Compiled(Deferred):
    """A function in machine code, for Python and, by its `numba_type`, for other compiled functions.

    Machine code is placed in memory at the first call. Without a compiler in the process it comes from the cache.
    """

    of_module: ClassVar[dict[str, list[Compiled]]] = {}
    """The functions of each module whose types are known when it is imported."""

    def __init__(self, source: KernelSource) -> None:
        super().__init__(lambda: self._overloads().dispatcher())
        self.__name__, self.__doc__ = source.py_func.__name__, source.py_func.__doc__
        self.source, self.cache = source, source.cache
        self._compiler: compiler.Overloads | None = None
        self._call: Callable[..., Any] = self._first_call
        self._codes: dict[str, MachineCode] = {}
        functions = _functions.get()
        (self.of_module.setdefault(self.cache.module, []) if functions is None else functions).append(self)

    def __call__(self, *arguments: Any) -> Any:
        """Run the machine code."""
        return self._call(*arguments)

    @_Once
    def direct(self) -> Callable[..., Any]:
        """Return what runs the machine code; a job has no frame of Python in which an interrupt could end it early."""
        self.require()
        calls = []
        for signature in self.source.signatures:
            code = self._codes[signature]
            address = load_address(code)
            calls.append(native_function(address) if code.layout is None else packing_function(address, code.layout))
        self._call = _by_types(calls)
        return self._call

    @_Once
    def address(self) -> int:
        """Return the address of a job."""
        self.require()
        (code,) = self._codes.values()
        return load_address(code)

    @_Once
    def is_ready(self) -> bool:
        """Return whether the cache had the function when this process first asked it for one; decided once."""
        with _LOCK:
            signatures = self.source.signatures
            codes = {name: self.cache.load(name) for name in signatures if self.cache.had(name)}
            usable = {name: code for name, code in codes.items() if code is not None and not code.missing}
            self._codes |= usable
            return len(usable) == len(signatures)

    @property
    def digest(self) -> str:
        """The digest of the function and its signatures."""
        return self.cache.key("; ".join(self.source.signatures)).hex()

    @property
    def entries(self) -> list[Entry | None]:
        """What the cache has of each signature now."""
        return [self.cache.entry(signature) for signature in self.source.signatures]

    def require(self) -> None:
        """Read the function from the cache, or compile it; raise where it is not ready and nothing may be compiled."""
        if self.is_ready:
            return
        if not compiling.may_compile():
            raise NotCompiledError(f"{self.cache.name} is not compiled")
        with _LOCK, self._compiling():
            for signature in self.source.signatures:
                if signature not in self._codes:
                    self._codes[signature] = self._loaded(signature)

    @property
    def numba_type(self) -> Any:
        """Numba's type of the function, all of whose signatures it compiles."""
        with self._compiling():
            return super().numba_type

    def inspect_llvm(self) -> Any:
        """Return the instructions of the compiler that was used, by signature."""
        return self._overloads().dispatcher().inspect_llvm()

    def inspect_asm(self) -> Any:
        """Return the instructions of the processor, by signature."""
        return self._overloads().dispatcher().inspect_asm()

    def _overloads(self) -> compiler.Overloads:
        if self._compiler is None:
            from ir_plugin.kernels.numba.runtime.compiler import Overloads

            self._compiler = Overloads(self.source)
        return self._compiler

    def _loaded(self, signature: str) -> MachineCode:
        """Return the machine code of a signature, from the cache or the compiler."""
        code = self.cache.load(signature) or self._overloads().compile(signature)
        if code.missing:
            raise ImportError(f"the process lacks {', '.join(code.missing)}")
        return code

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


def functions_of(module: ModuleType) -> list[Compiled]:
    """Return the compiled functions of a module of kernels, and of those whose functions and classes it uses."""
    package = __name__.removesuffix(".runtime.jit")
    names, pending = {module.__name__: None}, [module]
    while pending:
        for value in vars(pending.pop()).values():
            name = value.cache.module if isinstance(value, Compiled) else getattr(value, "__module__", None)
            if isinstance(name, str) and name.startswith(package) and name in sys.modules and name not in names:
                names[name] = None
                pending.append(sys.modules[name])
    return [function for name in names for function in Compiled.of_module.get(name, ())]


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
