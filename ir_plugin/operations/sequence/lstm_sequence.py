"""LSTMSequence: a long short-term memory over sequences. Specification: sequence/LSTMSequence-5."""

from __future__ import annotations

from ir_plugin.operations.sequence.recurrent import LSTM, Series, Weights
from ir_plugin.tensors import Array, TensorInfo


class LSTMSequence(LSTM, Series, version=5):
    """Return the hidden states of all steps [batch, directions, time, hidden_size] and the last hidden and cell state.

    Each step computes LSTMCell-4; gate order fico.
    """

    def infer(
        self,
        X: TensorInfo,
        initial_hidden_state: TensorInfo,
        initial_cell_state: TensorInfo,
        sequence_lengths: TensorInfo,
        W: TensorInfo,
        R: TensorInfo,
        B: TensorInfo,
    ) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
        """Return the types and shapes of all hidden states, and of the last states."""
        states = {"initial_hidden_state": initial_hidden_state, "initial_cell_state": initial_cell_state}
        Y, last_hidden = self.infer_series(X, states, sequence_lengths, {"W": W, "R": R, "B": B})
        return Y, last_hidden, TensorInfo(last_hidden.element_type, last_hidden.shape)

    def evaluate(
        self,
        X: Array,
        initial_hidden_state: Array,
        initial_cell_state: Array,
        sequence_lengths: Array,
        W: Array,
        R: Array,
        B: Array,
    ) -> tuple[Array, ...]:
        """Return all hidden states, and the last states."""
        return self.run(X, (initial_hidden_state, initial_cell_state), sequence_lengths, Weights(W, R, B))
