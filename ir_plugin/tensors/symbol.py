"""Symbols: marks that say which dimensions or values are equal, though unknown."""

from __future__ import annotations


class Symbol:
    """A mark of dimensions that have the same unknown length; each symbol equals only itself."""

    __slots__ = ()
