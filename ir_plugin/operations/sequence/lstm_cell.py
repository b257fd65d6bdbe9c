"""LSTMCell: one step of a long short-term memory. Specification: sequence/LSTMCell-4, LSTMCell-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import merge_types
from ir_plugin.operations.sequence.recurrent import LSTM, Cell, Weights
from ir_plugin.tensors import Array, Dimension, Tensor


class LSTMCell(LSTM, Cell, version=4):
    """The hidden state H and the cell state C after one input X of each batch; gate order fico.

    C = f · C + i · c and H = o · h(C), where f, i and o are `activations[0]`, and c is `activations[1]`, of the clipped
    gates X·Wᵀ + H·Rᵀ + B; h is `activations[2]`, without clipping (as OpenVINO has it).
    """

    def hidden(self, merged: Dimension, W: Tensor) -> Dimension:
        """Return the attribute."""
        del merged, W
        return Dimension(self.hidden_size)

    def infer(
        self, X: Tensor, initial_hidden_state: Tensor, initial_cell_state: Tensor, W: Tensor, R: Tensor, B: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the type and shape of both states."""
        states = {"initial_hidden_state": initial_hidden_state, "initial_cell_state": initial_cell_state}
        state = self.infer_cell(X, states, {"W": W, "R": R, "B": B})
        return state, Tensor(state.element_type, state.shape)

    def evaluate(
        self, X: Array, initial_hidden_state: Array, initial_cell_state: Array, W: Array, R: Array, B: Array
    ) -> tuple[Array, ...]:
        """Return the next hidden and cell state."""
        return self.step(X, (initial_hidden_state, initial_cell_state), Weights(W, R, B))


class LSTMCell1(LSTM, Cell, version=1):
    """As LSTMCell-4, but with gates in the order `weights_format`, an optional bias, and peepholes.

    Peepholes P times the cell state are added to the gates input, output and forget, in this order. With `input_forget`
    the forget gate is 1 - the input gate. The specification knows only the order fico; OpenVINO reads all
    these, and its CPU then computes as if the format was fico, without peepholes and `input_forget`.
    """

    input_forget: bool
    weights_format: str

    def hidden(self, merged: Dimension, W: Tensor) -> Dimension:
        """Return the attribute."""
        del merged, W
        return Dimension(self.hidden_size)

    def infer(
        self,
        X: Tensor,
        initial_hidden_state: Tensor,
        initial_cell_state: Tensor,
        W: Tensor,
        R: Tensor,
        B: Tensor | None = None,
        P: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Return the type and shape of both states."""
        states = {"initial_hidden_state": initial_hidden_state, "initial_cell_state": initial_cell_state}
        state = self.infer_cell(X, states, {"W": W, "R": R} | ({} if B is None else {"B": B}))
        if P is not None:
            merge_types(X, P, part="P")
            if not P.shape.compatible([3 * self.hidden_size]):
                raise ShapeError("P", f"P has the shape {P.shape}; it must be [{3 * self.hidden_size}]")
        return state, Tensor(state.element_type, state.shape)

    def evaluate(
        self,
        X: Array,
        initial_hidden_state: Array,
        initial_cell_state: Array,
        W: Array,
        R: Array,
        B: Array | None = None,
        P: Array | None = None,
    ) -> tuple[Array, Array]:
        """Return the next hidden and cell state."""
        gates = X @ W.T + initial_hidden_state @ R.T + (0 if B is None else B)
        by_name = dict(zip(self.weights_format, np.split(gates, 4, axis=-1), strict=True))
        peep = dict(zip("iof", np.split(P, 3), strict=True)) if P is not None else dict.fromkeys("iof", X.dtype.type(0))
        f, g, h = self.activation(0), self.activation(1), self.activation(2, clip=False)
        cell = initial_cell_state
        enter = f(by_name["i"] + peep["i"] * cell)
        forget = 1 - enter if self.input_forget else f(by_name["f"] + peep["f"] * cell)
        cell = forget * cell + enter * g(by_name["c"])
        return f(by_name["o"] + peep["o"] * cell) * h(cell), cell
