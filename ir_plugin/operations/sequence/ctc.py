"""Greedy decoding for connectionist temporal classification."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array


def decode(classes: Array, present: Array, blank: int, merge: bool) -> tuple[Array, Array]:
    """Return the decoded classes of each sequence, -1 behind them, and how many they are.

    `classes` [batch, time] are the most probable ones, of which only the steps that are `present` count. Blanks are
    left out, and with `merge` all but the first of equal neighbours.
    """
    emitted = present & (classes != blank)
    if merge:
        emitted[:, 1:] &= classes[:, 1:] != classes[:, :-1]
    decoded = np.full(classes.shape, -1, np.int64)
    positions = emitted.cumsum(axis=1) - 1
    rows = np.nonzero(emitted)[0]
    decoded[rows, positions[emitted]] = classes[emitted]
    return decoded, emitted.sum(axis=1)
