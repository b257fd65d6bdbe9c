"""One step of an LSTM, GRU or RNN with any activation functions, clipping, and peepholes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ir_plugin.frontends.onnx.common import Value, i64, output, scalar
from ir_plugin.frontends.onnx.recurrent.functions import Activation
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops


@dataclass(frozen=True)
class Cell:
    """What a step does: its functions and the threshold at which gates are clipped (0: none)."""

    functions: tuple[Activation, ...]
    clip: float
    is_coupled: bool = False
    """Whether the forget gate of an LSTM is 1 minus its input gate."""
    is_linear_before_reset: bool = False

    def gate(self, index: int, data: Value) -> Output:
        """Return a function of clipped data."""
        return self.functions[index](ops.clamp(data, -self.clip, self.clip) if self.clip > 0 else data)


def lstm(cell: Cell, projected: Output, states: Sequence[Output], fixed: Sequence[Output]) -> list[Output]:
    """Return the next hidden and cell state; gates are in the order input, output, forget, cell."""
    hidden, memory = states
    recurrent, peepholes = fixed[0], fixed[1] if len(fixed) > 1 else None
    enter, leave, forget, candidate = parts(ops.add(projected, ops.matmul(hidden, recurrent, False, True)), 4)
    if peepholes is not None:
        of_enter, of_leave, of_forget = parts(peepholes, 3)
        enter = output(ops.add(enter, ops.multiply(of_enter, memory)))
        forget = output(ops.add(forget, ops.multiply(of_forget, memory)))
    enters = cell.gate(0, enter)
    forgets = output(ops.subtract(scalar(1, enters), enters)) if cell.is_coupled else cell.gate(0, forget)
    following = output(ops.add(ops.multiply(forgets, memory), ops.multiply(enters, cell.gate(1, candidate))))
    if peepholes is not None:
        leave = output(ops.add(leave, ops.multiply(of_leave, following)))
    return [output(ops.multiply(cell.gate(0, leave), cell.functions[2](following))), following]


def gru(cell: Cell, projected: Output, states: Sequence[Output], fixed: Sequence[Output]) -> list[Output]:
    """Return the next hidden state; gates are in the order update, reset, hidden."""
    (hidden,) = states
    weights = parts(fixed[0], 3, 0)
    enter_update, enter_reset, enter = parts(projected, 3)
    update, reset = (
        cell.gate(0, ops.add(entered, ops.matmul(hidden, weight, False, True)))
        for entered, weight in ((enter_update, weights[0]), (enter_reset, weights[1]))
    )
    if cell.is_linear_before_reset:
        moved = ops.add(ops.matmul(hidden, weights[2], False, True), fixed[1])
        inner = ops.multiply(reset, moved)
    else:
        inner = ops.matmul(ops.multiply(reset, hidden), weights[2], False, True)
    candidate = cell.gate(1, ops.add(enter, inner))
    mixed = ops.multiply(ops.subtract(scalar(1, update), update), candidate)
    return [output(ops.add(mixed, ops.multiply(update, hidden)))]


def rnn(cell: Cell, projected: Output, states: Sequence[Output], fixed: Sequence[Output]) -> list[Output]:
    """Return the next hidden state."""
    return [cell.gate(0, ops.add(projected, ops.matmul(states[0], fixed[0], False, True)))]


def parts(value: Value, count: int, axis: int = -1) -> list[Output]:
    """Return the equal parts of a value along an axis."""
    return list(ops.split(value, i64(axis), count).outputs)
