"""Arrays that are derived from weights, such as packed ones, and that several kernels may share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

from ir_plugin.tensors import Array

Derived: TypeAlias = "Callable[[Hashable, Sequence[Array], Callable[[], Sequence[Array]]], Sequence[Array]]"
"""Returns what a function returns, or returned before for the same kind and the same source arrays."""


def underived(_kind: Hashable, _sources: Sequence[Array], make: Callable[[], Sequence[Array]]) -> Sequence[Array]:
    """Return what `make` returns, which nothing else shares."""
    return make()
