"""The arrays whose addresses a job's arguments hold, so that addresses are rewritten only for other arrays."""

from __future__ import annotations

import weakref

from ir_plugin.tensors import Array


class LastArrays:
    """The arrays of the last call, which are not kept alive: a result is the caller's alone."""

    __slots__ = ("_references",)

    def __init__(self) -> None:
        self._references: list[weakref.ref[Array] | None] = []

    def __bool__(self) -> bool:
        return bool(self._references)

    def are(self, *arrays: Array | None) -> bool:
        """Return whether these are the arrays, in this order; None stands for an absent one."""
        if len(arrays) != len(self._references):
            return False
        for reference, array in zip(self._references, arrays, strict=True):
            if array is not (None if reference is None else reference()) or (array is None) != (reference is None):
                return False
        return True

    def set(self, *arrays: Array | None) -> None:
        """Remember arrays, or none."""
        self._references = [None if array is None else weakref.ref(array) for array in arrays]
