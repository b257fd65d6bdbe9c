"""Recurrent networks over sequences: all products with the input at once, then step after step in given memory.

Directions are stacked, so that one call of NumPy serves both; sequences are sorted by length, so that each step works
on the first rows only. Gates that a sigmoid follows have negated weights: 1 / (1 + exp(g)) then takes three calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from ir_plugin.kernels.numpy import products
from ir_plugin.kernels.thread_pool import SMALL_WORK, ThreadPool
from ir_plugin.tensors import Array

FEW_ROWS = 3
"""Rows that are multiplied one by one: 2x256 by 256x1024 takes .045 ms so, .10 as a product of matrices."""

LINE = 64
"""Bytes of a line of the cache."""


@dataclass(frozen=True)
class Activation:
    """What is applied to a gate, after it is cut to [-limit, limit]."""

    name: str
    limit: float = np.inf
    alpha: float = 0.2
    beta: float = 0.5

    @property
    def sign(self) -> int:
        """What the weights of a gate are multiplied by."""
        return -1 if self.name == "sigmoid" else 1

    def apply(self, gate: Array, out: Array) -> None:
        """Compute the activation of a gate that was made with weights times `sign`."""
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
    """The packed weights of all directions D, and what the kind of the network is: LSTM, GRU or RNN.

    The gates of an LSTM are in the order forget, input, output, candidate; those of a GRU update, reset, candidate.
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
"""Fills `history` [D, time + 1, batch, hidden size] behind its first step, from the gates' share of the input
[D, time, batch, width], which it may overwrite; changes the cell states [D, batch, hidden size]; told how many rows,
the first ones, take part in each step."""
MakeSteps: TypeAlias = "Callable[[Network, int, ThreadPool], Steps]"
"""Makes them for a network and a batch size."""


def pack(W: Array, R: Array, B: Array, order: Sequence[int], signs: Sequence[int]) -> tuple[Array, Array]:
    """Return the packed weights for the input [D, I + 1, G * H], and for the hidden state [D, H, G * H].

    W, R and B are [D, G * H, I], [D, G * H, H] and [D, G * H]; gate number `order[k]` comes in place k, times a sign.
    """
    size = R.shape[2]
    rows = np.concatenate([np.arange(gate * size, (gate + 1) * size) for gate in order])
    sign = np.repeat(np.array(signs, W.dtype), size)
    inputs = np.concatenate([W, B[:, : W.shape[1], None]], axis=2)[:, rows] * sign[:, None]
    recurrent = R[:, rows] * sign[:, None]
    return np.array(inputs.swapaxes(1, 2), order="C"), np.array(recurrent.swapaxes(1, 2), order="C")


def aligned(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
    """Return new memory at the begin of a cache line: a compiled product of eight rows takes a fifth less time so."""
    size = prod(shape) * dtype.itemsize
    block = np.empty(size + LINE, np.uint8)
    start = -block.ctypes.data % LINE
    return block[start : start + size].view(dtype).reshape(shape)


class _Direction:
    """One direction of a network: views of the memory of all, and the product with the input."""

    def __init__(
        self, network: Network, number: int, given: Array, gates: Array, history: Array, pool: ThreadPool
    ) -> None:
        time, batch, depth = given.shape
        self.reverse = network.reverse[number]
        self.given = given[..., :-1]
        self._rows = given.reshape(-1, depth)
        self._gates = gates.reshape(time * batch, -1)
        self.history = history
        behind = history[1:]
        self.states = (behind[::-1] if self.reverse else behind).swapaxes(0, 1)
        """The hidden states [batch, time, hidden size] in the order of the input."""
        weights = network.inputs[number]
        small = time * batch * weights.size < SMALL_WORK
        self._product = None if small else products.with_weights(weights, time * batch, None, pool)
        self._weights = weights

    def project(self) -> None:
        """Compute the share of the input in the gates."""
        if self._product is None:
            np.matmul(self._rows, self._weights, out=self._gates)
        else:
            self._product(self._rows, self._gates, ())


class Sequences:
    """The run of a network over sequences of one length, or of several, with buffers of its own.

    It fills all hidden states [batch, D, time, hidden size] and the last states [batch, D, hidden size], from the input
    [batch, time, input size], the first states, and the lengths in [0, time], or None where all are full.
    """

    def __init__(self, network: Network, batch: int, time: int, make_steps: MakeSteps, pool: ThreadPool) -> None:
        (count, depth, width), size, dtype = network.inputs.shape, network.recurrent.shape[1], network.inputs.dtype
        given = np.ones((count, time, batch, depth), dtype)
        self._gates = gates = aligned((count, time, batch, width), dtype)
        self._history = history = np.empty((count, time + 1, batch, size), dtype)
        self._cells = np.empty((count, batch, size), dtype) if network.kind == "LSTM" else None
        self._cell = None if self._cells is None else self._cells.swapaxes(0, 1)
        self._begin, self._end = history[:, 0].swapaxes(0, 1), history[:, time].swapaxes(0, 1)
        self._directions = [_Direction(network, n, given[n], gates[n], history[n], pool) for n in range(count)]
        self._steps = make_steps(network, batch, pool)
        self._time, self._all_rows = time, np.full(time, batch)

    def run(self, X: Array, states: Sequence[Array], lengths: Array | None, outputs: Sequence[Array]) -> None:
        """Fill the outputs."""
        if lengths is None:
            self._full(X, states, outputs)
        else:
            self._ragged(X, states, Order(lengths, self._time), outputs)

    def _full(self, X: Array, states: Sequence[Array], outputs: Sequence[Array]) -> None:
        turned = X.swapaxes(0, 1)
        for direction in self._directions:
            direction.given[...] = turned[::-1] if direction.reverse else turned
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
            direction.given[...] = order.steps_of(X, direction.reverse)
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
    """Sequences sorted by their lengths, the longest first."""

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
        """Return the inputs [time, batch, …] in the order of the steps; any stand behind the end of a sequence."""
        found: Array = X[self.rows, self.backwards if reverse else self.forwards]
        return found

    def store(self, history: Array, reverse: bool, Y: Array, last: Array) -> None:
        """Write the hidden states behind the first one to their places in `Y` [batch, time, …], and the last ones."""
        Y[...] = 0
        places = (self.backwards if reverse else self.forwards)[self.inside]
        rows = np.broadcast_to(self.rows, self.inside.shape)[self.inside]
        Y[rows, places] = history[1:][self.inside]
        ends = history[self.lengths, np.arange(len(self.lengths))]
        last[...] = self.last(ends)

    def last(self, states: Array) -> Array:
        """Return the states of the sorted rows in the order given; 0 for sequences without any step."""
        found = np.empty_like(states)
        found[self.rows] = np.where((self.lengths > 0).reshape(-1, *[1] * (states.ndim - 1)), states, 0)
        return found


def numpy_steps(network: Network, batch: int, _pool: ThreadPool) -> Steps:
    """Return the steps of a network, as calls of NumPy in one thread: short calls in two wait for each other."""
    return {"LSTM": _lstm, "GRU": _gru, "RNN": _rnn}[network.kind](network, batch)


def _product(hidden: Array, weights: Array, out: Array) -> None:
    """Multiply rows [D, n, H] by weights [D, H, N]."""
    if 1 < hidden.shape[1] <= FEW_ROWS:
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
            opening, candidate = total[..., : 3 * size], total[..., 3 * size :]
            _product(history[:, step, :rows], recurrent, total)
            np.add(total, gates[:, step, :rows], out=total)
            f.apply(opening, opening)
            g.apply(candidate, candidate)
            np.multiply(slot, opening[..., :size], out=slot)
            np.multiply(candidate, opening[..., size : 2 * size], out=candidate)
            np.add(slot, candidate, out=slot)
            h.apply(np.multiply(slot, h.sign, out=candidate) if h.sign < 0 else slot, candidate)
            np.multiply(candidate, opening[..., 2 * size :], out=history[:, step + 1, :rows])

    return steps


def _gru(network: Network, batch: int) -> Steps:
    recurrent, size = network.recurrent, network.recurrent.shape[1]
    f, g = network.functions
    linear = network.reset_bias is not None
    both = recurrent if linear else np.ascontiguousarray(recurrent[..., : 2 * size])
    own = np.ascontiguousarray(recurrent[..., 2 * size :])
    memory = np.empty((len(recurrent), batch, 3 * size), recurrent.dtype)
    product = np.empty((len(recurrent), batch, both.shape[2]), recurrent.dtype)

    def steps(gates: Array, history: Array, _cells: Array | None, counts: Array) -> None:
        for step, rows in enumerate(counts.tolist()):
            total, given, hidden = memory[:, :rows], gates[:, step, :rows], history[:, step, :rows]
            opening, candidate = total[..., : 2 * size], total[..., 2 * size :]
            made = product[:, :rows]
            _product(hidden, both, made)
            np.add(made[..., : 2 * size], given[..., : 2 * size], out=opening)
            f.apply(opening, opening)
            reset = opening[..., size:]
            if network.reset_bias is not None:
                np.add(made[..., 2 * size :], network.reset_bias, out=candidate)
                np.multiply(candidate, reset, out=candidate)
            else:
                np.multiply(hidden, reset, out=reset)
                _product(reset, own, candidate)
            np.add(candidate, given[..., 2 * size :], out=candidate)
            g.apply(candidate, candidate)
            np.subtract(hidden, candidate, out=reset)
            np.multiply(reset, opening[..., :size], out=reset)
            np.add(candidate, reset, out=history[:, step + 1, :rows])

    return steps


def _rnn(network: Network, _batch: int) -> Steps:
    recurrent = network.recurrent
    (f,) = network.functions

    def steps(gates: Array, history: Array, _cells: Array | None, counts: Array) -> None:
        for step, rows in enumerate(counts.tolist()):
            target = history[:, step + 1, :rows]
            _product(history[:, step, :rows], recurrent, target)
            np.add(target, gates[:, step, :rows], out=target)
            f.apply(target, target)

    return steps
