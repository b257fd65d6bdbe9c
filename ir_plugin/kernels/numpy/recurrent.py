"""Recurrent networks over sequences: one product with the whole input, then step by step in preallocated memory.

Directions are stacked, so that one NumPy call computes both; sequences are sorted by length, so that each step works
on the first rows only. Gates with a sigmoid have negated weights, so that 1 / (1 + exp(g)) takes three calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels import policy
from ir_plugin.kernels.aligned import aligned
from ir_plugin.kernels.numpy import products
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array


@dataclass(frozen=True)
class Activation:
    """The activation function of a gate, which is first clipped to [-limit, limit]."""

    name: str
    limit: float = np.inf
    alpha: float = 0.2
    beta: float = 0.5

    @property
    def sign(self) -> int:
        """The factor of the weights of a gate: -1 for a sigmoid."""
        return -1 if self.name == "sigmoid" else 1

    def apply(self, gate: Array, out: Array) -> None:
        """Compute the activation of a gate whose weights were multiplied by `sign`."""
        if self.limit < np.inf:
            gate = np.clip(gate, -self.limit, self.limit, out=out)
        if self.name == "tanh":
            np.tanh(gate, out=out)
        elif self.name == "relu":
            np.maximum(gate, 0, out=out)
        elif self.name == "sigmoid":
            np.exp(gate, out=out)
            np.add(out, 1, out=out)
            np.reciprocal(out, out=out)
        else:
            np.multiply(gate, gate.dtype.type(self.alpha), out=out)
            np.add(out, gate.dtype.type(self.beta), out=out)
            np.clip(out, 0, 1, out=out)


@dataclass(frozen=True)
class Network:
    """The packed weights of all directions D, and the kind of the network: LSTM, GRU or RNN.

    The gates of an LSTM are in the order forget, input, output, candidate; of a GRU update, reset, candidate.
    """

    kind: str
    functions: tuple[Activation, ...]
    reverse: tuple[bool, ...]
    """Whether a direction begins at the end."""
    inputs: Array
    """[D, input size + 1, gates * hidden size]; the last row holds the biases."""
    recurrent: Array
    """[D, hidden size, gates * hidden size]."""
    reset_bias: Array | None = None
    """[D, 1, hidden size]: the biases of a GRU that are added before the reset gate is applied."""


Steps: TypeAlias = "Callable[[Array, Array, Array | None, Array], None]"
"""Runs all steps, given (gates, history, cells, counts).

It fills `history` [D, time + 1, batch, hidden size] after its first step from the input's part of the gates
[D, time, batch, width], which it may overwrite, and updates the cells [D, batch, hidden size]. `counts` has the number
of rows, from the first on, that take part in each step.
"""
BindSteps: TypeAlias = "Callable[[int, ThreadPool], Steps]"
"""Returns the step function for a batch size."""
MakeSteps: TypeAlias = "Callable[[Network], BindSteps]"
"""Packs the weights of a network for the steps of any batch."""


def pack(W: Array, R: Array, B: Array, order: Sequence[int], signs: Sequence[int]) -> tuple[Array, Array]:
    """Return the packed weights for the input [D, I + 1, G * H], and for the hidden state [D, H, G * H].

    W, R and B are [D, G * H, I], [D, G * H, H] and [D, G * H]. Packed gate k is gate `order[k]` times `signs[k]`.
    """
    size = R.shape[2]
    rows = np.concatenate([np.arange(gate * size, (gate + 1) * size) for gate in order])
    sign = np.repeat(np.array(signs, W.dtype), size)
    inputs = np.concatenate([W, B[:, : W.shape[1], None]], axis=2)[:, rows] * sign[:, None]
    recurrent = R[:, rows] * sign[:, None]
    return np.array(inputs.swapaxes(1, 2), order="C"), np.array(recurrent.swapaxes(1, 2), order="C")


class _Direction:
    """One direction of a network: its views of the memory of all directions, and the product with the input."""

    def __init__(
        self, packed: PackedNetwork, number: int, inputs: Array, gates: Array, history: Array, pool: ThreadPool
    ) -> None:
        time, batch, depth = inputs.shape
        self.reverse = packed.network.reverse[number]
        self.inputs = inputs[..., :-1]
        self._rows = inputs.reshape(-1, depth)
        self._gates = gates.reshape(time * batch, -1)
        self.history = history
        after = history[1:]
        self.states = (after[::-1] if self.reverse else after).swapaxes(0, 1)
        """The hidden states [batch, time, hidden size] in the order of the input."""
        self._weights = weights = packed.network.inputs[number]
        small = time * batch * weights.size < policy.SHARED_MIN_MULTIPLICATIONS
        self._product = None if small else packed.project(number, time * batch, pool)

    def project(self) -> None:
        """Compute the input's part of the gates."""
        if self._product is None:
            np.matmul(self._rows, self._weights, out=self._gates)
        else:
            self._product(self._rows, self._gates, ())


class PackedNetwork:
    """A network with its weights packed once, for sequences of any number and length."""

    def __init__(self, network: Network, make_steps: MakeSteps) -> None:
        self.network = network
        self.bind_steps = make_steps(network)
        self._inputs: dict[tuple[int, int], list[Array]] = {}

    def project(self, number: int, rows: int, pool: ThreadPool) -> products.Product:
        """Return the product of `rows` rows with the input's weights of a direction."""
        weights = self.network.inputs[number]
        columns = products.columns_of(weights.shape, rows, pool.size)
        key = (number, len(columns))
        if key not in self._inputs:
            self._inputs[key] = products.packed(weights, columns)
        return products.with_weights(weights, rows, None, pool, packed_weights=self._inputs[key])


class Sequences:
    """The kernel of a network over sequences of the same or different lengths, with private buffers.

    It computes all hidden states [batch, D, time, hidden size] and the last states [batch, D, hidden size] from the
    input [batch, time, input size], the initial states, and the lengths in [0, time] (None where all are `time`).
    """

    def __init__(self, packed: PackedNetwork, batch: int, time: int, pool: ThreadPool) -> None:
        network = packed.network
        (count, depth, width), size, dtype = network.inputs.shape, network.recurrent.shape[1], network.inputs.dtype
        inputs = np.ones((count, time, batch, depth), dtype)
        self._gates = gates = aligned((count, time, batch, width), dtype)
        self._history = history = np.empty((count, time + 1, batch, size), dtype)
        self._cells = np.empty((count, batch, size), dtype) if network.kind == "LSTM" else None
        self._cell = None if self._cells is None else self._cells.swapaxes(0, 1)
        self._begin, self._end = history[:, 0].swapaxes(0, 1), history[:, time].swapaxes(0, 1)
        self._directions = [_Direction(packed, n, inputs[n], gates[n], history[n], pool) for n in range(count)]
        self._steps = packed.bind_steps(batch, pool)
        self._time, self._all_rows = time, np.full(time, batch)

    def run(self, X: Array, states: Sequence[Array], lengths: Array | None, outputs: Sequence[Array]) -> None:
        """Fill the outputs."""
        if lengths is None:
            self._full(X, states, outputs)
        else:
            self._ragged(X, states, Order(lengths, self._time), outputs)

    def _full(self, X: Array, states: Sequence[Array], outputs: Sequence[Array]) -> None:
        time_major = X.swapaxes(0, 1)
        for direction in self._directions:
            direction.inputs[...] = time_major[::-1] if direction.reverse else time_major
            direction.project()
        self._begin[...] = states[0]
        if self._cell is not None:
            self._cell[...] = states[1]
        self._steps(self._gates, self._history, self._cells, self._all_rows)
        for number, direction in enumerate(self._directions):
            outputs[0][:, number] = direction.states
        outputs[1][...] = self._end
        if self._cell is not None:
            outputs[2][...] = self._cell

    def _ragged(self, X: Array, states: Sequence[Array], order: Order, outputs: Sequence[Array]) -> None:
        for direction in self._directions:
            direction.inputs[...] = order.steps_of(X, direction.reverse)
            direction.project()
        self._begin[...] = states[0][order.rows]
        if self._cell is not None:
            self._cell[...] = states[1][order.rows]
        self._steps(self._gates, self._history, self._cells, order.counts)
        for number, direction in enumerate(self._directions):
            order.store(direction.history, direction.reverse, outputs[0][:, number], outputs[1][:, number])
        if self._cell is not None:
            outputs[2][...] = order.last(self._cell)


class Order:
    """The order of sequences by their lengths, the longest first."""

    def __init__(self, lengths: Array, time: int) -> None:
        self.rows = np.argsort(-lengths.astype(np.int64), kind="stable")
        self.lengths = lengths.astype(np.int64)[self.rows]
        steps = np.arange(time)[:, None]
        self.inside = steps < self.lengths
        self.backwards = np.maximum(self.lengths - 1 - steps, 0)
        self.forwards = np.broadcast_to(steps, self.inside.shape)
        counts = self.inside.sum(axis=1)
        self.counts = counts[counts > 0]

    def steps_of(self, X: Array, reverse: bool) -> Array:
        """Return the inputs [time, batch, …] in the order of the steps; arbitrary ones follow the end of a sequence."""
        steps: Array = X[self.rows, self.backwards if reverse else self.forwards]
        return steps

    def store(self, history: Array, reverse: bool, Y: Array, last: Array) -> None:
        """Write the hidden states of all steps to `Y` [batch, time, …], and the last ones to `last`."""
        Y[...] = 0
        positions = (self.backwards if reverse else self.forwards)[self.inside]
        rows = np.broadcast_to(self.rows, self.inside.shape)[self.inside]
        Y[rows, positions] = history[1:][self.inside]
        ends = history[self.lengths, np.arange(len(self.lengths))]
        last[...] = self.last(ends)

    def last(self, states: Array) -> Array:
        """Return the states of the sorted rows in the order of the input; 0 for empty sequences."""
        restored = np.empty_like(states)
        restored[self.rows] = np.where((self.lengths > 0).reshape(-1, *[1] * (states.ndim - 1)), states, 0)
        return restored


def numpy_steps(network: Network) -> BindSteps:
    """Return a factory of steps for one thread; short NumPy calls in two threads wait for each other."""
    if network.kind == "GRU":
        linear, size = network.reset_bias is not None, network.recurrent.shape[1]
        shared = network.recurrent if linear else np.ascontiguousarray(network.recurrent[..., : 2 * size])
        candidate = np.ascontiguousarray(network.recurrent[..., 2 * size :])
        return lambda batch, _pool: _gru(network, shared, candidate, batch)
    return lambda batch, _pool: _lstm(network, batch) if network.kind == "LSTM" else _rnn(network)


def _product(hidden: Array, weights: Array, out: Array) -> None:
    """Multiply rows [D, n, H] by weights [D, H, N]."""
    if 1 < hidden.shape[1] <= policy.RECURRENT_ROW_PRODUCTS_MAX_ROWS:
        np.matmul(hidden[:, :, None], weights[:, None], out=out[:, :, None])
    else:
        np.matmul(hidden, weights, out=out)


def _lstm(network: Network, batch: int) -> Steps:
    recurrent, size = network.recurrent, network.recurrent.shape[1]
    f, g, h = network.functions
    memory = np.empty((len(recurrent), batch, 4 * size), recurrent.dtype)

    def steps(gates: Array, history: Array, slots: Array | None, counts: Array) -> None:
        for step, rows in enumerate(counts.tolist()):
            total, slot = memory[:, :rows], slots[:, :rows] if slots is not None else memory
            sigmoid_gates, candidate = total[..., : 3 * size], total[..., 3 * size :]
            _product(history[:, step, :rows], recurrent, total)
            np.add(total, gates[:, step, :rows], out=total)
            f.apply(sigmoid_gates, sigmoid_gates)
            g.apply(candidate, candidate)
            np.multiply(slot, sigmoid_gates[..., :size], out=slot)
            np.multiply(candidate, sigmoid_gates[..., size : 2 * size], out=candidate)
            np.add(slot, candidate, out=slot)
            h.apply(np.multiply(slot, h.sign, out=candidate) if h.sign < 0 else slot, candidate)
            np.multiply(candidate, sigmoid_gates[..., 2 * size :], out=history[:, step + 1, :rows])

    return steps


def _gru(network: Network, shared_weights: Array, candidate_weights: Array, batch: int) -> Steps:
    recurrent, size = network.recurrent, network.recurrent.shape[1]
    f, g = network.functions
    memory = np.empty((len(recurrent), batch, 3 * size), recurrent.dtype)
    product = np.empty((len(recurrent), batch, shared_weights.shape[2]), recurrent.dtype)

    def steps(gates: Array, history: Array, _cells: Array | None, counts: Array) -> None:
        for step, rows in enumerate(counts.tolist()):
            total, projected, hidden = memory[:, :rows], gates[:, step, :rows], history[:, step, :rows]
            sigmoid_gates, candidate = total[..., : 2 * size], total[..., 2 * size :]
            partial = product[:, :rows]
            _product(hidden, shared_weights, partial)
            np.add(partial[..., : 2 * size], projected[..., : 2 * size], out=sigmoid_gates)
            f.apply(sigmoid_gates, sigmoid_gates)
            reset = sigmoid_gates[..., size:]
            if network.reset_bias is not None:
                np.add(partial[..., 2 * size :], network.reset_bias, out=candidate)
                np.multiply(candidate, reset, out=candidate)
            else:
                np.multiply(hidden, reset, out=reset)
                _product(reset, candidate_weights, candidate)
            np.add(candidate, projected[..., 2 * size :], out=candidate)
            g.apply(candidate, candidate)
            np.subtract(hidden, candidate, out=reset)
            np.multiply(reset, sigmoid_gates[..., :size], out=reset)
            np.add(candidate, reset, out=history[:, step + 1, :rows])

    return steps


def _rnn(network: Network) -> Steps:
    recurrent = network.recurrent
    (f,) = network.functions

    def steps(gates: Array, history: Array, _cells: Array | None, counts: Array) -> None:
        for step, rows in enumerate(counts.tolist()):
            target = history[:, step + 1, :rows]
            _product(history[:, step, :rows], recurrent, target)
            np.add(target, gates[:, step, :rows], out=target)
            f.apply(target, target)

    return steps
