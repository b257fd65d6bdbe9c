"""Machine code in memory, by its address, without the compiler that wrote it.

llvmlite places the object files in memory and binds their symbols. Each kernel has a separate linker, as processes
number equal names of functions differently.
"""

from __future__ import annotations

import os
import threading
from functools import cache, lru_cache
from typing import Any, NamedTuple

from llvmlite import binding

from ir_plugin.kernels.numba.runtime.calls import CallLayout

_binding: Any = binding
_LOCK = threading.Lock()
if hasattr(os, "register_at_fork"):
    # A child has no thread that would end the loading of another: a fork waits for it.
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)


class MachineCode(NamedTuple):
    """The object files of a kernel with its entry point, whose name is `entry`."""

    objects: tuple[bytes, ...]
    entry: str
    expected: tuple[str, ...]
    """The names of functions that the object files expect of the process."""
    layout: CallLayout | None
    """How Python passes arguments; None for a job, which takes two integers."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The names that the process lacks; LLVM would end it."""
        return tuple(name for name in self.expected if not is_exported(name))


_kept: list[Any] = []
"""Linkers, which live as long as the process, as the code that they placed may run at any time."""


@lru_cache(maxsize=256)
def is_exported(name: str) -> bool:
    """Return whether the process or one of its libraries exports a symbol."""
    _initialize()
    return _binding.address_of_symbol(name) is not None


def load_address(code: MachineCode) -> int:
    """Return the address of the entry point of machine code."""
    with _LOCK:
        linker = _binding.create_mcjit_compiler(_binding.parse_assembly(""), target_machine())
        for content in code.objects:
            linker.add_object_file(_binding.ObjectFileRef.from_data(content))
        linker.finalize_object()
        _kept.append(linker)
        return int(linker.get_function_address(code.entry))


def target_machine() -> Any:
    """Return LLVM's description of this processor, for code that runs in this process."""
    _initialize()
    return _target_machine()


def _target_machine() -> Any:
    return _binding.Target.from_default_triple().create_target_machine(jit=True)


@cache
def _initialize() -> None:
    _binding.initialize_native_target()
    _binding.initialize_native_asmprinter()
    # LLVM finds names of the process once there is a linker.
    _kept.append(_binding.create_mcjit_compiler(_binding.parse_assembly(""), _target_machine()))
