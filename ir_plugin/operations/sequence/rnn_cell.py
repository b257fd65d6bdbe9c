"""RNNCell: one step of the plain recurrent network. Specification: sequence/RNNCell-3."""

from __future__ import annotations

from ir_plugin.operations.sequence.recurrent import RNN, Cell, Weights
from ir_plugin.tensors import Array, TensorInfo


class RNNCell(RNN, Cell, version=1):
    """Return the hidden state H after one input X of each batch: `activations[0]` of X·Wᵀ + H·Rᵀ + B.

    Differs from the page: all inputs may be whole numbers; results are rounded then.
    Example: The state tanh(1), 0.76, is 1.
    """

    def infer(
        self, X: TensorInfo, initial_hidden_state: TensorInfo, W: TensorInfo, R: TensorInfo, B: TensorInfo
    ) -> TensorInfo:
        """Return the type and shape of the state."""
        return self.infer_cell(X, {"initial_hidden_state": initial_hidden_state}, {"W": W, "R": R, "B": B})

    def evaluate(self, X: Array, initial_hidden_state: Array, W: Array, R: Array, B: Array) -> Array:
        """Return the next hidden state."""
        return self.step(X, (initial_hidden_state,), Weights(W, R, B))[0]
