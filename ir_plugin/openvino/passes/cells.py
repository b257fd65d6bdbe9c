"""Cells of recurrent sequences."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.compiler.model_rewriter import build
from ir_plugin.model import Node, Output
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.sequence.gru_cell import GRUCell
from ir_plugin.operations.sequence.gru_sequence import GRUSequence
from ir_plugin.operations.sequence.lstm_cell import LSTMCell
from ir_plugin.operations.sequence.lstm_sequence import LSTMSequence
from ir_plugin.operations.sequence.rnn_cell import RNNCell
from ir_plugin.operations.sequence.rnn_sequence import RNNSequence
from ir_plugin.operations.table import OperationTable

STATES: OperationTable[tuple[int, ...]] = OperationTable({LSTMSequence: (1, 2), GRUSequence: (1,), RNNSequence: (1,)})
"""The inputs and outputs of sequences that hold states."""
_CELLS: OperationTable[OperationClass] = OperationTable(
    {LSTMSequence: LSTMCell, GRUSequence: GRUCell, RNNSequence: RNNCell}
)


def cell_of(node: Node, inputs: Sequence[Output]) -> Node:
    """Return the cell that computes one step of a sequence from inputs without the axes of time and direction."""
    cell = _CELLS[node.operation]
    names = ("hidden_size", "activations", "activations_alpha", "activations_beta", "clip", "linear_before_reset")
    values = {name: vars(node.operation)[name] for name in names if name in vars(node.operation)}
    if cell is not GRUCell:
        values.pop("linear_before_reset", None)
    return build(cell, inputs, **{name: value for name, value in values.items() if value is not None})
