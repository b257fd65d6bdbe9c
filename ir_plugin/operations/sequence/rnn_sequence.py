"""RNNSequence: the plain recurrent network over sequences. Specification: sequence/RNNSequence-5."""

from __future__ import annotations

from ir_plugin.operations.sequence.recurrent import RNN, HiddenSeries


class RNNSequence(RNN, HiddenSeries, version=5):
    """Return the hidden states of all steps [batch, directions, time, hidden_size] and the last hidden states.

    Each step computes RNNCell-1.
    """
