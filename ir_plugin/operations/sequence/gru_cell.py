"""GRUCell: one step of gated recurrent units. Specification: sequence/GRUCell-3."""

from __future__ import annotations

from ir_plugin.operations.sequence.recurrent import GRU, Cell, Weights
from ir_plugin.tensors import Array, TensorInfo


class GRUCell(GRU, Cell, version=3):
    """Return the hidden state H after one input X of each batch; gate order zrh.

    H = (1 - z) · h + z · H, where z and r are `activations[0]` and h is `activations[1]` of the gates. The hidden gate
    is X·Wᵀ + (r · H)·Rᵀ + B, with `linear_before_reset` X·Wᵀ + B + r · (H·Rᵀ + B'), B' being a fourth block of biases.

    Differs from the page: all inputs may be whole numbers; gates and results are rounded then.
    Example: A gate of 0.5 is 0, one of 0.73 is 1.
    """

    def infer(
        self, X: TensorInfo, initial_hidden_state: TensorInfo, W: TensorInfo, R: TensorInfo, B: TensorInfo
    ) -> TensorInfo:
        """Return the type and shape of the state."""
        return self.infer_cell(X, {"initial_hidden_state": initial_hidden_state}, {"W": W, "R": R, "B": B})

    def evaluate(self, X: Array, initial_hidden_state: Array, W: Array, R: Array, B: Array) -> Array:
        """Return the next hidden state."""
        return self.step(X, (initial_hidden_state,), Weights(W, R, B))[0]
