"""What a kernel is compiled from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ir_plugin.kernels.numba.runtime.kernel_cache import KernelCache


@dataclass(frozen=True, eq=False)
class KernelSource:
    """A function, the types that it is compiled for, and how."""

    py_func: Callable[..., Any]
    signatures: tuple[str, ...]
    exact: bool
    """Whether every operation is done in the order that is written."""
    cache: KernelCache
