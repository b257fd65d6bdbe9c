"""Arrays derived from a model's constants once, and shared by its plans for different shapes."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from ir_plugin.tensors import Array
from ir_plugin.tensors.mapped import release_pages


class WeightCache:
    """A cache of derived arrays, keyed by their sources; an entry lives as long as a plan uses its arrays.

    Most of the memory of a plan is decompressed and packed weights, which do not depend on the lengths of the inputs.
    """

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}
        self._lock = threading.RLock()  # a finalizer may run in the thread that holds it

    def derived(self, kind: Hashable, sources: Sequence[Array], make: Callable[[], Sequence[Array]]) -> Sequence[Array]:
        """Return the result of `make`, cached by kind and sources.

        Views of the sources are not cached: they and their sources would keep each other alive. Sources in mapped
        files leave the memory once they are copied.
        """
        key = (kind, *map(_identity_of, sources))
        with self._lock:
            entry = self._entries.get(key)
        cached = None if entry is None else entry.arrays()
        if cached is not None:
            return cached
        derived = make()
        if any(np.may_share_memory(array, source) for array in derived for source in sources):
            return derived
        for source in sources:
            release_pages(source)
        entry = _Entry(derived, sources)
        with self._lock:
            self._entries[key] = entry
        for array in derived[:1]:
            weakref.finalize(array, self._forget, key, entry)
        return derived

    def has(self, kind: Hashable, weights: Array) -> bool:
        """Return whether the cache has what was derived of a kind from weights alone."""
        key = (kind, _identity_of(weights))
        with self._lock:
            return key in self._entries

    def _forget(self, key: Hashable, entry: _Entry) -> None:
        with self._lock:
            if self._entries.get(key) is entry:
                del self._entries[key]


class _Entry:
    """Weak references to derived arrays, and their sources, which keep the sources' addresses from being reused."""

    def __init__(self, derived: Sequence[Array], sources: Sequence[Array]) -> None:
        self._derived = [weakref.ref(array) for array in derived]
        self._sources = list(sources)

    def arrays(self) -> list[Array] | None:
        """Return the arrays; None where one was garbage collected."""
        alive = [array for array in (reference() for reference in self._derived) if array is not None]
        return alive if len(alive) == len(self._derived) else None


def _identity_of(array: Array) -> Hashable:
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str
