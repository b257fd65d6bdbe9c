"""RNNCell: one step of the plain recurrent network. Specification: sequence/RNNCell-3."""

from __future__ import annotations

from ir_plugin.operations.sequence.recurrent import RNN, HiddenCell


class RNNCell(RNN, HiddenCell, version=1):
    """Return the hidden state H after one input X of each batch: `activations[0]` of X·Wᵀ + H·Rᵀ + B.

    Differs from the page: all inputs may be whole numbers; results are rounded then.
    Example: The state tanh(1), 0.76, is 1.
    """
