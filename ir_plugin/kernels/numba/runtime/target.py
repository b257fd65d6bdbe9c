"""The instructions of the processor that numba compiles for, which may be fewer than the host has."""

from __future__ import annotations

from functools import cache
from typing import Any

from llvmlite import binding
from numba.core import config
from numba.core.registry import cpu_target

_config: Any = config
_target: Any = cpu_target
_binding: Any = binding


@cache
def target_features() -> frozenset[str]:
    """Return LLVM's names of the features that compiled code may use, such as `avx2`.

    `NUMBA_CPU_NAME` and `NUMBA_CPU_FEATURES` limit them. An instruction that the target lacks would end the process.
    """
    if _config.CPU_NAME not in (None, "host") and _config.CPU_FEATURES is None:
        return frozenset()
    text = str(_target.target_context.codegen()._tm_features)
    return frozenset(part[1:] for part in text.split(",") if part.startswith("+"))


def llvm_version() -> tuple[int, ...]:
    """Return the version of the LLVM that llvmlite has."""
    return tuple(_binding.llvm_version_info)
