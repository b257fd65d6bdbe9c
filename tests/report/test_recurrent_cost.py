"""Recurrent layers count with the multiplications of all their steps."""

from __future__ import annotations

import numpy as np

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.model import Node
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.sequence.gru_cell import GRUCell
from ir_plugin.report.cost import declared_macs
from ir_plugin.tensors import Array


def test_cells_and_sequences_count_all_their_products() -> None:
    data, cell_data = ops.parameter([2, 7, 5], ov.Type.f32), ops.parameter([2, 5], ov.Type.f32)
    state, lengths = np.zeros((2, 1, 3), np.float32), np.full(2, 7)

    def weights(gates: int, *lead: int) -> tuple[Array, ...]:
        return tuple(np.zeros((*lead, gates * 3, *last), np.float32) for last in ((5,), (3,), ()))

    w, r, b = weights(3, 1)
    gru = ops.gru_sequence(data, state, lengths, w, r, b, 3, "forward")
    w, r, b = weights(4)
    lstm = ops.lstm_cell(cell_data, state[:, 0], state[:, 0], w, r, b, 3)
    assert declared_macs(gru) == 2 * 7 * 9 * (5 + 3)
    assert declared_macs(lstm) == 2 * 12 * (5 + 3)
    assert declared_macs(ops.relu(data)) == 0


def test_a_layer_that_lacks_ports_costs_nothing() -> None:
    for operation in (MatMul(transpose_a=False, transpose_b=False), Convolution(), GRUCell()):
        assert declared_macs(Node("1", "x", operation.type, operation.version, operation)) == 0
