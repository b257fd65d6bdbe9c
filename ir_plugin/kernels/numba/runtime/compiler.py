"""What numba compiles for the cache; imported by the first kernel that the cache lacks."""

from __future__ import annotations

import time
from typing import Any

import numba
from numba import extending
from numba.core import config, sigutils
from numba.core.errors import NumbaError

from ir_plugin.kernels import compiling
from ir_plugin.kernels.compiling import first_line
from ir_plugin.kernels.numba.runtime.deferred import Deferred, register_pending
from ir_plugin.kernels.numba.runtime.entry_points import entry_point
from ir_plugin.kernels.numba.runtime.kernel_source import KernelSource
from ir_plugin.kernels.numba.runtime.machine_code import MachineCode

_config: Any = config
_extending: Any = extending
_signatures: Any = sigutils
_njit: Any = numba.njit

_ARITHMETIC = {"contract", "reassoc", "nsz"}
"""What the compiler may do to sums so that it can use vectors; NaN and infinity keep their meaning."""

if _config.DISABLE_JIT:
    raise ImportError("NUMBA_DISABLE_JIT=1 switches its compiler off")

_extending.typeof_impl.register(Deferred)(lambda deferred, _context: deferred.numba_type)


class Overloads:
    """The signatures of a function in numba, compiled when they are asked for."""

    def __init__(self, source: KernelSource) -> None:
        register_pending()
        self._source = source
        self._dispatcher: Any = _njit(
            nogil=True, error_model="numpy", fastmath=set() if source.exact else _ARITHMETIC,
            no_cpython_wrapper=True, no_cfunc_wrapper=True,
        )(source.py_func)  # fmt: skip

    def dispatcher(self) -> Any:
        """Return numba's dispatcher, which other compiled functions call, with all signatures and no others."""
        for signature in self._source.signatures:
            self._result(signature)
        self._dispatcher.disable_compile()
        return self._dispatcher

    def compile(self, signature: str) -> MachineCode:
        """Return the machine code of a signature, and save it unless it holds addresses of this process."""
        start = time.process_time()
        result, cache = self._result(signature), self._source.cache
        code = entry_point(result, f"ir_plugin_{cache.key(signature).hex()[:24]}")
        if not result.library.has_dynamic_globals:
            cache.save(signature, code, time.process_time() - start)
        return code

    def _result(self, signature: str) -> Any:
        """Return what numba compiles a signature to."""
        arguments, _ = _signatures.normalize_signature(signature)
        if arguments not in self._dispatcher.overloads:
            compiling.begin(self._source.cache.name)
            try:
                self._dispatcher.compile(signature)
            except NumbaError as fault:
                raise ImportError(first_line(fault)) from fault
        return self._dispatcher.overloads[arguments]
