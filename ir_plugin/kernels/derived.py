"""Arrays that are derived from weights, such as packed ones, and that several kernels may share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

from ir_plugin.tensors import Array

Derived: TypeAlias = "Callable[[Hashable, Sequence[Array], Callable[[], Sequence[Array]]], Sequence[Array]]"
"""Returns the arrays that a function computes, cached by kind and source arrays."""


def underived(_kind: Hashable, _sources: Sequence[Array], make: Callable[[], Sequence[Array]]) -> Sequence[Array]:
    """Return the result of `make`, uncached."""
    return make()
