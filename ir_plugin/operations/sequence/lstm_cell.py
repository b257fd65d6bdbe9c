"""LSTMCell: one step of a long short-term memory. Specification: sequence/LSTMCell-4, LSTMCell-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import note_types
from ir_plugin.operations.sequence.recurrent import LSTM, Cell, Weights
from ir_plugin.tensors import Array, Dimension, TensorInfo


class LSTMCell(LSTM, Cell, version=4):
    """Return the hidden state H and the cell state C after one input X of each batch; gate order fico.

    C = f · C + i · c and H = o · h(C), where f, i and o are `activations[0]`, and c is `activations[1]`, of the clipped
    gates X·Wᵀ + H·Rᵀ + B; h is `activations[2]`, without clipping (as in OpenVINO).

    Differs from the page: all inputs may be whole numbers; gates and results are rounded then.
    Example: A gate of 0.5 is 0, one of 0.73 is 1.
    """

    def hidden(self, merged: Dimension, W: TensorInfo) -> Dimension:
        """Return the attribute `hidden_size`."""
        del merged, W
        return Dimension(self.hidden_size)

    def infer(
        self,
        X: TensorInfo,
        initial_hidden_state: TensorInfo,
        initial_cell_state: TensorInfo,
        W: TensorInfo,
        R: TensorInfo,
        B: TensorInfo,
    ) -> tuple[TensorInfo, TensorInfo]:
        """Return the type and shape of both states."""
        states = {"initial_hidden_state": initial_hidden_state, "initial_cell_state": initial_cell_state}
        state = self.infer_cell(X, states, {"W": W, "R": R, "B": B})
        return state, TensorInfo(state.element_type, state.shape)

    def evaluate(
        self, X: Array, initial_hidden_state: Array, initial_cell_state: Array, W: Array, R: Array, B: Array
    ) -> tuple[Array, ...]:
        """Return the next hidden and cell state."""
        return self.step(X, (initial_hidden_state, initial_cell_state), Weights(W, R, B))


class LSTMCell1(LSTM, Cell, version=1):
    """As LSTMCell-4, but with an optional bias; `weights_format`, `input_forget` and the peepholes P change nothing.

    Differs from the page: the gates are in the order fico, whatever `weights_format` says.
    Example: with `weights_format` icof the first rows of W still belong to the forget gate.

    Differs from the page: the peepholes P and `input_forget` have no effect.
    Example: with `input_forget` true the forget gate still has separate weights, and is not 1 less the input gate.
    """

    input_forget: bool
    weights_format: str

    def hidden(self, merged: Dimension, W: TensorInfo) -> Dimension:
        """Return the attribute `hidden_size`."""
        del merged, W
        return Dimension(self.hidden_size)

    def infer(
        self,
        X: TensorInfo,
        initial_hidden_state: TensorInfo,
        initial_cell_state: TensorInfo,
        W: TensorInfo,
        R: TensorInfo,
        B: TensorInfo | None = None,
        P: TensorInfo | None = None,
    ) -> tuple[TensorInfo, TensorInfo]:
        """Return the type and shape of both states."""
        states = {"initial_hidden_state": initial_hidden_state, "initial_cell_state": initial_cell_state}
        state = self.infer_cell(X, states, {"W": W, "R": R} | ({} if B is None else {"B": B}))
        if P is not None:
            note_types({"X": X, "P": P})
            if not P.shape.compatible([3 * self.hidden_size]):
                raise ShapeError("P", f"P has the shape {P.shape}; it must be [{3 * self.hidden_size}]")
        return state, TensorInfo(state.element_type, state.shape)

    def evaluate(
        self,
        X: Array,
        initial_hidden_state: Array,
        initial_cell_state: Array,
        W: Array,
        R: Array,
        B: Array | None = None,
        P: Array | None = None,
    ) -> tuple[Array, ...]:
        """Return the next hidden and cell state."""
        del P
        bias = np.zeros(len(W), W.dtype) if B is None else B
        return self.step(X, (initial_hidden_state, initial_cell_state), Weights(W, R, bias))
