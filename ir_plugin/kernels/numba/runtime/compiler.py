"""What numba compiles, and keeps in the cache; imported by the first kernel that the cache lacks."""

from __future__ import annotations

import pickle
from types import FunctionType
from typing import Any

import numba
from numba.core import compiler, config, serialize, sigutils
from numba.core.ccallback import CFunc
from numba.core.errors import NumbaError

from ir_plugin.kernels import compiling
from ir_plugin.kernels.compiling import first_line
from ir_plugin.kernels.numba.runtime.deferred import register_pending
from ir_plugin.kernels.numba.runtime.entry_points import entry_point, has_entry_point
from ir_plugin.kernels.numba.runtime.kernel_cache import CachedKernel
from ir_plugin.kernels.numba.runtime.kernel_source import KernelSource

_compiler: Any = compiler
_config: Any = config
_serialize: Any = serialize
_signatures: Any = sigutils
_njit: Any = numba.njit

_ARITHMETIC = {"contract", "reassoc", "nsz"}
"""What the compiler may do to sums so that it can use vectors; NaN and infinity keep their meaning."""

if _config.DISABLE_JIT:
    raise ImportError("NUMBA_DISABLE_JIT=1 switches its compiler off")


class Overloads:
    """The compiled signatures of a function in numba: its dispatcher, which other compiled functions call."""

    def __init__(self, function: KernelSource) -> None:
        register_pending()
        self._function = function
        types = [_signatures.normalize_signature(signature) for signature in function.signatures]
        self._cached = {signature: function.cache.load(signature) for signature in function.signatures}
        # The machine code of a form that numba wrapped expects what only numba has.
        is_wrapped = any(kernel is not None and kernel.code is None for kernel in self._cached.values())
        is_bindable = function.is_bindable and all(has_entry_point(*signature) for signature in types)
        self._use(is_bindable and not is_wrapped)

    def _use(self, is_bindable: bool) -> None:
        """Let numba wrap the function for Python, unless it is bindable and gets our entry point."""
        function = self._function
        options: dict[str, Any] = {"error_model": "numpy", "fastmath": set() if function.exact else _ARITHMETIC}
        wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True} if is_bindable else {}
        self._storage = _Storage(function, self._cached, is_bindable)
        python = _named(function)
        self.dispatcher = _njit(nogil=True, **options, **wrappers)(python)
        self.dispatcher._cache = self._storage
        self._callback: Any = None
        if function.is_job and not is_bindable:
            signature = _signatures.normalize_signature(function.signatures[0])
            self._callback = CFunc(python, signature, locals={}, options=options)
            self._callback._cache = self._storage

    @property
    def numba_type(self) -> Any:
        """The type by which other compiled functions call this one."""
        return self.callable()._numba_type_

    def callable(self) -> Any:
        """Return numba's dispatcher with all signatures compiled; it compiles no others."""
        for signature in self._function.signatures:
            self.compile(signature)
        self.dispatcher.disable_compile()
        return self.dispatcher

    def address(self) -> int:
        """Return the address of a job that numba has wrapped."""
        self.compile(self._function.signatures[0])
        return int(self._callback.address)

    def compile(self, signature: str) -> CachedKernel:
        """Return the kernel of a signature, compiled by numba or read from the cache."""
        self._compile(signature)
        kernel = self._storage.kernels[signature]
        if self._storage.is_bindable and (kernel.code is None or not kernel.code.is_bindable):
            self._use(is_bindable=False)
            self._compile(signature)
        return self._storage.kernels[signature]

    def _compile(self, signature: str) -> None:
        if signature in self._storage.kernels:
            return
        self._storage.signature = signature
        try:
            if self._callback is None:
                self.dispatcher.compile(signature)
            else:
                self._callback.compile()
        except NumbaError as fault:
            raise ImportError(first_line(fault)) from fault


def _named(function: KernelSource) -> FunctionType:
    """Return a copy of the Python function with the key of its kernel in its name, from which numba makes symbols.

    Otherwise only a number that each process counts for itself tells functions of one name apart.
    """
    python = function.py_func
    copied = FunctionType(python.__code__, python.__globals__, python.__name__, python.__defaults__, python.__closure__)
    copied.__qualname__ = f"{python.__qualname__}_{function.cache.key('').hex()[:16]}"
    copied.__module__ = python.__module__
    return copied


class _Storage:
    """The cache of one function, which replaces numba's."""

    cache_path = None

    def __init__(self, function: KernelSource, cached: dict[str, CachedKernel | None], is_bindable: bool) -> None:
        self._function, self._cached, self.is_bindable = function, cached, is_bindable
        self.signature = ""
        self.kernels: dict[str, CachedKernel] = {}

    def load_overload(self, _sig: Any, target_context: Any) -> Any:
        """Return the cached compilation for a signature, or None after reporting that it is compiled now."""
        target_context.refresh()
        kernel = self._cached.pop(self.signature, None)
        if kernel is None or (kernel.code is not None) != self.is_bindable:
            compiling.begin(self._function.cache.name)
            return None
        self.kernels[self.signature] = kernel
        (name, kind, content), *others = pickle.loads(kernel.library)
        if kernel.code is not None:
            content = kernel.code.objects[0], content
        return _compiler.CompileResult._rebuild(target_context, (name, kind, content), *others)

    def save_overload(self, _sig: Any, result: Any) -> None:
        """Keep what was compiled, and save it unless it holds addresses of this process."""
        cache = self._function.cache
        name = f"ir_plugin_{cache.key(self.signature).hex()[:24]}"
        code = entry_point(result, name, self._function.is_job) if self.is_bindable else None
        (library, kind, content), *others = result._reduce()
        library = library, kind, content if code is None else content[1]
        kernel = CachedKernel(code, _serialize.dumps((library, *others)))
        self.kernels[self.signature] = kernel
        is_final = code is None or code.is_bindable
        if is_final and not result.library.has_dynamic_globals:
            cache.save(self.signature, kernel)
