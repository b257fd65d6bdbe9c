"""GRUSequence: gated recurrent units over sequences. Specification: sequence/GRUSequence-5."""

from __future__ import annotations

from ir_plugin.operations.sequence.recurrent import GRU, HiddenSeries


class GRUSequence(GRU, HiddenSeries, version=5):
    """Return the hidden states of all steps [batch, directions, time, hidden_size] and the last hidden states.

    Each step computes GRUCell-3; gate order zrh.
    """
