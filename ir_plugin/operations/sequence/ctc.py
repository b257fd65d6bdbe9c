"""Greedy decoding for connectionist temporal classification."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array


def decode(classes: Array, present: Array, blank: int, merge: bool) -> tuple[Array, Array]:
    """Return the decoded classes of each sequence, -1 behind them, and how many they are.

    `classes` [batch, time] are the most probable ones, of which only the steps that are `present` count. Blanks are
    left out, and with `merge` all but the first of equal neighbours.
    """
    chosen = present & (classes != blank)
    if merge:
        chosen[:, 1:] &= classes[:, 1:] != classes[:, :-1]
    decoded = np.full(classes.shape, -1, np.int64)
    positions = chosen.cumsum(axis=1) - 1
    rows = np.nonzero(chosen)[0]
    decoded[rows, positions[chosen]] = classes[chosen]
    return decoded, chosen.sum(axis=1)
