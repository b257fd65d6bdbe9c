"""Steps of recurrent networks as one compiled call: products with the hidden state and gates, without Python between.

BLAS packs the weights at every call. Panels are wide, which is fastest for one row, the usual batch; the panels of
`gemm.blocked` are faster from two rows on (`python -m benchmarks.products`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.aligned import aligned
from ir_plugin.kernels.numba.math_functions import exp, limited, tanh
from ir_plugin.kernels.numba.runtime.deferred import register_jitable
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job, read_only
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, fill, struct
from ir_plugin.kernels.numpy.recurrent import Activation, BindSteps, Network
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool, split
from ir_plugin.tensors import Array

TANH, SIGMOID, RELU, HARD_SIGMOID = range(4)
"""Activations. The sigmoid takes the negated number; its weights are packed so."""

PANEL = 1024
"""Columns of which four rows of weights, and two of the sums, stay in the first-level cache."""


@register_jitable
def panels_of(width: int) -> tuple[int, int]:
    """Return the number of panels for `width` columns, and the columns of a panel."""
    count = -(-width // PANEL)
    return count, -(-width // count)


def pack_panels(weights: Array) -> Array:
    """Return weights [K, N] as panels of columns [panels, K, width], the last one filled up with zeros."""
    depth, width = weights.shape
    count, columns = panels_of(width)
    filled = np.zeros((depth, count * columns), np.float32)
    filled[:, :width] = weights
    packed = aligned((count, depth, columns), np.dtype(np.float32))
    packed[...] = filled.reshape(depth, count, columns).swapaxes(0, 1)
    return packed


@compiled(f"void({read_only(1)}, i8, {read_only(2)}, f4[::1])")
def _add_to_one(row: Array, k: int, weights: Array, target: Array) -> None:
    """Add the product of eight numbers of a row, from number k on, and eight rows of weights."""
    a, b, c, d, e, f, g, h = row[k], row[k + 1], row[k + 2], row[k + 3], row[k + 4], row[k + 5], row[k + 6], row[k + 7]
    p, q, r, s = weights[0], weights[1], weights[2], weights[3]
    t, u, v, w = weights[4], weights[5], weights[6], weights[7]
    for j in range(target.shape[0]):
        half = a * p[j] + b * q[j] + c * r[j] + d * s[j]
        target[j] += half + e * t[j] + f * u[j] + g * v[j] + h * w[j]


@compiled(f"void({read_only(2)}, i8, {read_only(2)}, f4[::1], f4[::1])")
def _add_to_two(rows: Array, k: int, weights: Array, first: Array, second: Array) -> None:
    """Add the products of four numbers of two rows, from number k on, and four rows of weights."""
    a, b, c, d = rows[0, k], rows[0, k + 1], rows[0, k + 2], rows[0, k + 3]
    e, f, g, h = rows[1, k], rows[1, k + 1], rows[1, k + 2], rows[1, k + 3]
    p, q, r, s = weights[0], weights[1], weights[2], weights[3]
    for j in range(first.shape[0]):
        first[j] += a * p[j] + b * q[j] + c * r[j] + d * s[j]
        second[j] += e * p[j] + f * q[j] + g * r[j] + h * s[j]


@compiled(f"void({read_only(2)}, {read_only(3)}, f4[:,::1], i8, i8)")
def accumulate(rows: Array, weights: Array, total: Array, first: int, last: int) -> None:
    """Add the product of rows and weights, which are panels, to the columns [first, last) of `total`."""
    depth, width = weights.shape[1:]
    for number in range(weights.shape[0]):
        panel, start = weights[number], first + number * width
        end = min(start + width, last)
        for k in range(0, depth - 7, 8):
            for r in range(0, rows.shape[0] - 1, 2):
                for half in range(k, k + 8, 4):
                    _add_to_two(
                        rows[r : r + 2], half, panel[half : half + 4], total[r, start:end], total[r + 1, start:end]
                    )
            if rows.shape[0] % 2:
                _add_to_one(rows[-1], k, panel[k : k + 8], total[-1, start:end])
        for k in range(depth // 8 * 8, depth):
            for r in range(rows.shape[0]):
                a, target = rows[r, k], total[r, start:end]
                for j in range(target.shape[0]):
                    target[j] += a * panel[k, j]


@compiled(f"void(f4[::1], {read_only(1)})")
def _activate(gate: Array, function: Array) -> None:
    """Change a gate to its activation; a function is its number, limit, alpha and beta."""
    code, limit, alpha, beta = int(function[0]), function[1], function[2], function[3]
    zero, one = np.float32(0), np.float32(1)
    if limit < np.inf:
        for j in range(gate.shape[0]):
            gate[j] = limited(gate[j], -limit, limit)
    if code == TANH:
        for j in range(gate.shape[0]):
            gate[j] = tanh(gate[j])
    elif code == SIGMOID:
        for j in range(gate.shape[0]):
            gate[j] = one / (one + exp(gate[j]))
    elif code == RELU:
        for j in range(gate.shape[0]):
            gate[j] = limited(gate[j], zero, np.float32(np.inf))
    else:
        for j in range(gate.shape[0]):
            gate[j] = limited(alpha * gate[j] + beta, zero, one)


@compiled(f"void(f4[::1], f4[::1], f4[::1], {read_only(2)})")
def _lstm_gates(gates: Array, slot: Array, hidden: Array, functions: Array) -> None:
    """Change the cell state of a row, and write its hidden state."""
    size = slot.shape[0]
    opening, candidate = gates[: 3 * size], gates[3 * size :]
    _activate(opening, functions[0])
    _activate(candidate, functions[1])
    forget, enter, leave = gates[:size], gates[size : 2 * size], gates[2 * size : 3 * size]
    sign = np.float32(-1) if functions[2, 0] == SIGMOID else np.float32(1)
    for j in range(size):
        slot[j] = forget[j] * slot[j] + enter[j] * candidate[j]
        hidden[j] = sign * slot[j]
    _activate(hidden, functions[2])
    for j in range(size):
        hidden[j] *= leave[j]


@compiled(f"void(f4[::1], f4[::1], f4[::1], {read_only(1)})")
def _gru_state(gates: Array, hidden: Array, target: Array, function: Array) -> None:
    """Fill the next hidden state [H] from the gates [3 H] and the hidden state, with an activation of the candidate."""
    size = hidden.shape[0]
    update, candidate = gates[:size], gates[2 * size :]
    _activate(candidate, function)
    for j in range(size):
        target[j] = candidate[j] + update[j] * (hidden[j] - candidate[j])


STATE = "f4[:,:,::1]"


@compiled(f"void({STATE}, {STATE}, f4[:,::1], i8[::1], {read_only(3)}, {read_only(2)}, i8, i8)")
def lstm(
    gates: Array, history: Array, slots: Array, counts: Array, weights: Array, functions: Array, first: int, last: int
) -> None:
    """Fill the hidden states [time + 1, batch, H] after the initial one, in rows [first, last); overwrites `gates`.

    In each step the rows below its count take part. `weights` are [H, 4 H], in panels.
    """
    for step in range(counts.shape[0]):
        end = min(last, counts[step])
        if end <= first:
            return
        accumulate(history[step, first:end], weights, gates[step, first:end], 0, gates.shape[2])
        for row in range(first, end):
            _lstm_gates(gates[step, row], slots[row], history[step + 1, row], functions)


@compiled(f"void({STATE}, {STATE}, i8[::1], {read_only(3)}, {read_only(3)}, {read_only(1)}, {read_only(2)}, i8, i8)")
def gru(
    gates: Array, history: Array, counts: Array, weights: Array, own: Array, bias: Array, functions: Array,
    first: int, last: int,
) -> None:  # fmt: skip
    """Fill the hidden states as `lstm` does.

    In panels, `weights` are [H, 2 H] for both gates, and `own` [H, H] for the candidate. With a bias [H] the reset
    gate is applied to the product with the hidden state plus the bias; without one (of length 0) to the hidden state.
    """
    size = own.shape[1]  # the depth of its panels
    for step in range(counts.shape[0]):
        end = min(last, counts[step])
        if end <= first:
            return
        total, hidden, target = gates[step, first:end], history[step, first:end], history[step + 1, first:end]
        accumulate(hidden, weights, total, 0, 2 * size)
        for row in range(end - first):
            _activate(total[row, : 2 * size], functions[0])
            reset = total[row, size : 2 * size]
            for j in range(size):
                target[row, j] = bias[j] if bias.shape[0] else reset[j] * hidden[row, j]
        if bias.shape[0]:
            accumulate(hidden, own, target, 0, size)
            for row in range(end - first):
                for j in range(size):
                    total[row, 2 * size + j] += total[row, size + j] * target[row, j]
        else:
            accumulate(target, own, total, 2 * size, 3 * size)
        for row in range(end - first):
            _gru_state(total[row], hidden[row], target[row], functions[1])


@compiled(f"void({STATE}, {STATE}, i8[::1], {read_only(3)}, {read_only(2)}, i8, i8)")
def rnn(gates: Array, history: Array, counts: Array, weights: Array, functions: Array, first: int, last: int) -> None:
    """Fill the hidden states as `lstm` does; `weights` are [H, H], in panels."""
    for step in range(counts.shape[0]):
        end = min(last, counts[step])
        if end <= first:
            return
        total = gates[step, first:end]
        accumulate(history[step, first:end], weights, total, 0, total.shape[1])
        for row in range(end - first):
            _activate(total[row], functions[0])
            target = history[step + 1, first + row]
            for j in range(target.shape[0]):
                target[j] = total[row, j]


KINDS = ("LSTM", "GRU", "RNN")
LSTM, GRU = KINDS.index("LSTM"), KINDS.index("GRU")

STEPS = struct("kind time batch width size weights own reset functions gates history slots counts first last")
"""Steps of rows [first, last) of a direction: lengths, addresses of weights, arrays and buffers.

`width` is the columns of all gates, `own` and `reset` are those weights and biases of a GRU's candidate (`gru`), and 0
where there is none.
"""
_BYTES = STEPS.itemsize


@compiled("void(i8)")
def run_steps(address: int) -> None:
    """Fill the hidden states of all steps, and the last cell states."""
    a = arguments_at(address, STEPS)
    gates = carray(pointer(a.gates), (a.time, a.batch, a.width), np.float32)
    history = carray(pointer(a.history), (a.time + 1, a.batch, a.size), np.float32)
    counts = carray(pointer(a.counts), (a.time,), np.int64)
    functions = carray(pointer(a.functions), (3, 4), np.float32)
    panels, columns = panels_of(2 * a.size if a.kind == GRU else a.width)
    weights = carray(pointer(a.weights), (panels, a.size, columns), np.float32)
    if a.kind == LSTM:
        slots = carray(pointer(a.slots), (a.batch, a.size), np.float32)
        lstm(gates, history, slots, counts, weights, functions, a.first, a.last)
    elif a.kind == GRU:
        panels, columns = panels_of(a.size)
        own = carray(pointer(a.own), (panels, a.size, columns), np.float32)
        bias = carray(pointer(a.reset), (a.size if a.reset else 0,), np.float32)
        gru(gates, history, counts, weights, own, bias, functions, a.first, a.last)
    else:
        rnn(gates, history, counts, weights, functions, a.first, a.last)


@job
def _run_share(address: int, part: int) -> None:
    """Run the steps of one of the shares at an address."""
    run_steps(address + part * _BYTES)


class Directions:
    """The weights of all directions of a network as compiled code reads them, packed once."""

    def __init__(self, network: Network) -> None:
        self.network = network
        width = 2 * network.recurrent.shape[1] if network.kind == "GRU" else network.recurrent.shape[2]
        self.functions = np.zeros((3, 4), np.float32)
        self.functions[: len(network.functions)] = [numbers_of(function) for function in network.functions]
        self.weights = [pack_panels(weights[:, :width]) for weights in network.recurrent]
        self.own = [pack_panels(weights[:, width:]) for weights in network.recurrent] if network.kind == "GRU" else []
        reset = np.zeros((len(self.weights), 0), np.float32) if network.reset_bias is None else network.reset_bias
        self.reset = [np.ascontiguousarray(bias.reshape(-1)) for bias in reset]

    def fields(self, number: int, batch: int) -> dict[str, int]:
        """Return the fields of `STEPS` that a direction has in every run."""
        size, width = self.network.recurrent.shape[1:]
        return {
            "kind": KINDS.index(self.network.kind), "batch": batch, "width": width, "size": size,
            "weights": address_of(self.weights[number]), "own": address_of(self.own[number]) if self.own else 0,
            "reset": address_of(self.reset[number]) if self.network.reset_bias is not None else 0,
            "functions": address_of(self.functions),
        }  # fmt: skip


class _SharedSteps:
    """The steps of a network for a batch, whose directions and rows the threads of a pool share."""

    def __init__(self, directions: Directions, batch: int, pool: ThreadPool) -> None:
        self._directions, self._pool, self._batch = directions, pool, batch
        self._work = directions.network.recurrent[0].size
        self._whole = self._shares([(0, batch)])
        self._shared = self._shares(split(batch, max(pool.size // len(directions.weights), 1)))

    def _shares(self, ranges: Sequence[tuple[int, int]]) -> Array:
        """Return the arguments [D, ranges] of ranges of rows of all directions."""
        shares = np.zeros((len(self._directions.weights), len(ranges)), STEPS)
        for number, own in enumerate(shares):
            for share, (first, last) in zip(own, ranges, strict=True):
                fill(share, first=first, last=last, **self._directions.fields(number, self._batch))
        return shares

    def __call__(self, gates: Array, history: Array, slots: Array | None, counts: Array) -> None:
        """Run all steps, as `kernels.numpy.recurrent.Steps` describes."""
        is_small = int(counts.sum()) * self._work < policy.SHARED_MIN_MULTIPLICATIONS
        shares = self._whole if is_small else self._shared
        shares["time"], shares["counts"] = len(counts), address_of(counts)
        for number, own in enumerate(shares):
            own["gates"], own["history"] = address_of(gates[number]), address_of(history[number])
            own["slots"] = 0 if slots is None else address_of(slots[number])
        address, count = address_of(shares), shares.size
        for first in range(0, count, 1 if is_small else count):
            self._pool.call(_run_share.address, address + first * _BYTES, 1 if is_small else count)


@register(keys.RECURRENT_STEPS)
def compiled_steps(network: Network) -> BindSteps:
    """Return a factory of a network's steps in f32, for a batch and a pool, whose threads share directions and rows."""
    directions = Directions(network)
    return lambda batch, pool: _SharedSteps(directions, batch, pool)


_CODES = {"tanh": TANH, "sigmoid": SIGMOID, "relu": RELU, "hardsigmoid": HARD_SIGMOID}


def numbers_of(function: Activation) -> tuple[float, ...]:
    """Return an activation as compiled code reads it."""
    return (_CODES[function.name], function.limit, function.alpha, function.beta)
