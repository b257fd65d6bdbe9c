"""The cache of arrays that are derived from weights: entries go with their arrays, whatever runs meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import numpy as np

from ir_plugin.compiler.weight_cache import WeightCache
from ir_plugin.tensors import Array

WEIGHTS = np.ones(3, np.float32)


class Kind:
    """A kind of derived array whose comparison calls a function, as the garbage collector may at any place."""

    def __init__(self, called: Callable[[], None] = lambda: None) -> None:
        self._called = called

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        self._called()
        return self is other


def test_an_array_may_be_collected_while_the_cache_is_asked() -> None:
    cache = WeightCache()
    derived: list[Array] = []
    derived += cache.derived(Kind(derived.clear), [WEIGHTS], lambda: [WEIGHTS * 2])
    asking = Thread(target=cache.has, args=(Kind(), WEIGHTS), daemon=True)
    asking.start()
    asking.join(60)
    assert not asking.is_alive()
    assert not derived
