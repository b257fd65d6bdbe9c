"""Arithmetic of nodes: `a + b` builds a node."""

from __future__ import annotations

from typing import Any

from ir_plugin.model.hooks import HOOKS


def _arithmetic(name: str, left: Any, right: Any) -> Any:
    """Return the node of an operator."""
    return getattr(HOOKS.operators(), name)(left, right)


class Arithmetic:
    """The operators of a node."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return _arithmetic("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _arithmetic("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _arithmetic("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _arithmetic("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return _arithmetic("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _arithmetic("multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _arithmetic("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _arithmetic("divide", other, self)

    __array_ufunc__ = None
    """Makes NumPy arrays defer arithmetic with nodes to the nodes."""
