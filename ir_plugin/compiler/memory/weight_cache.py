"""Arrays that are made of a model's constants once, and shared by its plans for different shapes."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from ir_plugin.tensors import Array


class WeightCache:
    """Arrays by what they are made of; they are forgotten with the last plan that holds them.

    Two plans of one model differ in the lengths of its inputs, while most of their memory is decompressed and packed
    weights.
    """

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}
        self._lock = threading.Lock()

    def derived(self, what: Hashable, sources: Sequence[Array], make: Callable[[], Sequence[Array]]) -> Sequence[Array]:
        """Return what `make` returns, or returned before for arrays at the same place: `what` says what that is.

        Views of the sources are not kept: they would keep the sources, and these them.
        """
        key = (what, *map(_place, sources))
        with self._lock:
            entry = self._entries.get(key)
        found = None if entry is None else entry.arrays()
        if found is not None:
            return found
        made = make()
        if any(np.may_share_memory(array, source) for array in made for source in sources):
            return made
        entry = _Entry(made, sources)
        with self._lock:
            self._entries[key] = entry
        for array in made[:1]:
            weakref.finalize(array, self._forget, key, entry)
        return made

    def _forget(self, key: Hashable, entry: _Entry) -> None:
        with self._lock:
            if self._entries.get(key) is entry:
                del self._entries[key]


class _Entry:
    """Arrays that live as long as somebody uses them, and what they are made of, so that its place is not reused."""

    def __init__(self, made: Sequence[Array], sources: Sequence[Array]) -> None:
        self._made = [weakref.ref(array) for array in made]
        self._sources = list(sources)

    def arrays(self) -> list[Array] | None:
        """Return the arrays, unless one is gone."""
        found = [array for array in (reference() for reference in self._made) if array is not None]
        return found if len(found) == len(self._made) else None


def _place(array: Array) -> Hashable:
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str
