"""A cache of bounded size that threads share; it keeps the values used last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BoundedCache(Generic[Key, Value]):
    """The values used most recently, by their keys, at most `size` of them; several threads may share it.

    A pure function of small keys has `functools.lru_cache` with a size instead, and one without parameters `cache`.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, or None."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def add(self, key: Key, value: Value) -> Value:
        """Keep a value, and return it, or the one that another thread has added for the key meanwhile."""
        with self._lock:
            value = self._values.setdefault(key, value)
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)
            return value

    def items(self) -> list[tuple[Key, Value]]:
        """Return keys and values, those used last at the end."""
        with self._lock:
            return list(self._values.items())

    def values(self) -> list[Value]:
        """Return the values, those used last at the end."""
        return [value for _, value in self.items()]

    def __len__(self) -> int:
        return len(self._values)
