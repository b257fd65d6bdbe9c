"""GRUSequence: gated recurrent units over sequences. Specification: sequence/GRUSequence-5."""

from __future__ import annotations

from ir_plugin.operations.sequence.recurrent import GRU, Series, Weights
from ir_plugin.tensors import Array, TensorInfo


class GRUSequence(GRU, Series, version=5):
    """Return the hidden states of all steps [batch, directions, time, hidden_size] and the last hidden states.

    Each step is that of GRUCell-3; gate order zrh.
    """

    def infer(
        self,
        X: TensorInfo,
        initial_hidden_state: TensorInfo,
        sequence_lengths: TensorInfo,
        W: TensorInfo,
        R: TensorInfo,
        B: TensorInfo,
    ) -> tuple[TensorInfo, TensorInfo]:
        """Return the types and shapes of all hidden states and of the last hidden states."""
        states = {"initial_hidden_state": initial_hidden_state}
        return self.infer_series(X, states, sequence_lengths, {"W": W, "R": R, "B": B})

    def evaluate(
        self, X: Array, initial_hidden_state: Array, sequence_lengths: Array, W: Array, R: Array, B: Array
    ) -> tuple[Array, ...]:
        """Return all hidden states and the last hidden states."""
        return self.run(X, (initial_hidden_state,), sequence_lengths, Weights(W, R, B))
