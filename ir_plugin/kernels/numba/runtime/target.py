"""The processor that numba compiles for, and its instructions, which may be fewer than the host has."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import Any

from llvmlite import binding

_binding: Any = binding
_ARCH_PRCTL, _ARCH_REQ_XCOMP_PERM, _XFEATURE_XTILEDATA = 158, 0x1023, 18
"""Linux' system call, on x86-64, by which a process asks for the registers of tiles."""


@cache
def target_features() -> frozenset[str]:
    """Return LLVM's names of the features that compiled code may use, such as `avx2`.

    `NUMBA_CPU_NAME` and `NUMBA_CPU_FEATURES` limit them. An instruction that the target lacks would end the process.
    """
    name, features = os.environ.get("NUMBA_CPU_NAME"), os.environ.get("NUMBA_CPU_FEATURES")
    if features is not None:
        return frozenset(part[1:] for part in features.split(",") if part.startswith("+"))
    if name not in (None, "host"):
        return frozenset()
    has_avx = os.environ.get("NUMBA_ENABLE_AVX", "1") not in ("", "0")
    host = _binding.get_host_cpu_features().items()
    return frozenset(feature for feature, is_there in host if is_there and (has_avx or not feature.startswith("avx")))


def register_lanes(*extensions: str) -> int:
    """Return the numbers of 32 bits in the widest register: 16 where AVX-512 has these extensions, else 8."""
    return 16 if {"avx512f", *extensions} <= target_features() else 8


@cache
def processor() -> tuple[str, str, str]:
    """Return the kind of processor that is compiled for, its name and its features; others may not run the code."""
    name = os.environ.get("NUMBA_CPU_NAME", "host")
    features = os.environ.get("NUMBA_CPU_FEATURES")
    if name == "host":
        name, limited = str(_binding.get_host_cpu_name()), str(_binding.get_host_cpu_features().flatten())
        features = limited if features is None else features
    return str(_binding.get_process_triple()), name, features or ""


def knows_tiles() -> bool:
    """Return whether compiled code may contain AMX's instructions of integers."""
    return {"amx-tile", "amx-int8"} <= target_features() and sys.platform == "linux" and sys.maxsize > 2**32


@cache
def may_use_tiles() -> bool:
    """Return whether this process may run them; the kernel is asked for its permission once, for all threads."""
    return knows_tiles() and ctypes.CDLL(None).syscall(_ARCH_PRCTL, _ARCH_REQ_XCOMP_PERM, _XFEATURE_XTILEDATA) == 0
