"""Greedy decoding for connectionist temporal classification."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array


def decode(classes: Array, present: Array, blank: int, merge: bool) -> tuple[Array, Array]:
    """Return the decoded classes of each sequence, padded with -1, and their number.

    `classes` [batch, time] are the most probable classes; only the steps marked `present` count. Blanks are dropped,
    and with `merge` all but the first of equal neighbours.
    """
    emitted = present & (classes != blank)
    if merge:
        emitted[:, 1:] &= classes[:, 1:] != classes[:, :-1]
    decoded = np.full(classes.shape, -1, np.int64)
    positions = emitted.cumsum(axis=1) - 1
    rows = np.nonzero(emitted)[0]
    decoded[rows, positions[emitted]] = classes[emitted]
    return decoded, emitted.sum(axis=1)
