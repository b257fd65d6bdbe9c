"""Machine code from the cache as Python's built-in functions and as addresses, without the compiler that wrote it.

llvmlite places the object files in memory and binds their symbols. Each kernel has a separate linker, as processes
number equal names of functions differently.
"""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding

_binding: Any = binding
_METH_FASTCALL = 0x80
TYPES: tuple[type, ...] = (np.ndarray, TypeError, RuntimeError)
"""Python types that entry points are bound to; numba's symbols for exceptions mean other objects than Python's."""
_LOCK = threading.Lock()
if hasattr(os, "register_at_fork"):
    # A child has no thread that would end the loading of another: a fork waits for it.
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)


class MachineCode(NamedTuple):
    """The object files of a kernel, the name of its entry point, and the names that they expect of the process."""

    objects: tuple[bytes, ...]
    entry: str
    expected: tuple[str, ...]

    @property
    def is_bindable(self) -> bool:
        """Whether the process has all that the object files expect; LLVM ends a process in which something lacks."""
        return all(is_exported(name) for name in self.expected)


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    )  # fmt: skip


_kept: list[Any] = []
"""Linkers and descriptions of functions, which live as long as the process, as what they describe may."""


@cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None)


@lru_cache(maxsize=256)
def is_exported(name: str) -> bool:
    """Return whether the process or one of its libraries exports a symbol."""
    return hasattr(_process(), name)


def load_address(code: MachineCode) -> int:
    """Return the address of the entry point of machine code."""
    with _LOCK:
        _initialize()
        machine = _binding.Target.from_default_triple().create_target_machine(jit=True)
        linker = _binding.create_mcjit_compiler(_binding.parse_assembly(""), machine)
        for content in code.objects:
            linker.add_object_file(_binding.ObjectFileRef.from_data(content))
        linker.finalize_object()
        _kept.append(linker)
        return int(linker.get_function_address(code.entry))


def load_function(code: MachineCode, name: str) -> Any:
    """Return the built-in function of machine code whose entry point takes Python's arguments."""
    method = _MethodDef(name.encode(), load_address(code), _METH_FASTCALL, None)
    _kept.append(method)
    build = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return build(("PyCFunction_NewEx", ctypes.pythonapi))(ctypes.addressof(method), TYPES, None)


@cache
def _initialize() -> None:
    _binding.initialize_native_target()
    _binding.initialize_native_asmprinter()


@cache
def processor() -> tuple[str, str, str]:
    """Return the kind of processor, its name and its features: machine code of others may not run here."""
    return (
        str(_binding.get_process_triple()), str(_binding.get_host_cpu_name()),
        str(_binding.get_host_cpu_features().flatten()),
    )  # fmt: skip


_HEADER, _SECTION, _SYMBOL = struct.Struct("<40xQ10x3H"), struct.Struct("<II16xQQI12xQ"), struct.Struct("<IBBHQQ")
_SYMBOL_TABLE = 2


def undefined_symbols(content: bytes) -> tuple[str, ...]:
    """Return the names that an ELF object file expects elsewhere."""
    sections_offset, section_size, count, _ = _HEADER.unpack_from(content)
    sections = [_SECTION.unpack_from(content, sections_offset + section_size * n) for n in range(count)]
    names = []
    for _, kind, offset, size, strings, _ in sections:
        if kind != _SYMBOL_TABLE:
            continue
        text = sections[strings][2]
        for name, _, _, section, _, _ in _SYMBOL.iter_unpack(content[offset : offset + size]):
            if section == 0 and name:
                names.append(content[text + name : content.index(b"\0", text + name)].decode())
    return tuple(sorted(names))
