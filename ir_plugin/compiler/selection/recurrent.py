"""Selects the kernel of recurrent cells and sequences, with constant weights packed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.selection.kernel import (
    Execute,
    FallbackRequired,
    Kernel,
    OnArrays,
    Options,
    StaticKernel,
)
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.keys import BindRecurrent
from ir_plugin.kernels.numpy import recurrent as kernels
from ir_plugin.kernels.numpy.recurrent import Activation, Network, PackedNetwork
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.sequence.gru_cell import GRUCell
from ir_plugin.operations.sequence.gru_sequence import GRUSequence
from ir_plugin.operations.sequence.lstm_cell import LSTMCell
from ir_plugin.operations.sequence.lstm_sequence import LSTMSequence
from ir_plugin.operations.sequence.recurrent import GRU, LSTM, RNN, Recurrent, Series
from ir_plugin.operations.sequence.rnn_cell import RNNCell
from ir_plugin.operations.sequence.rnn_sequence import RNNSequence
from ir_plugin.tensors import Array

_ORDERS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "LSTM": ((0, 1, 3, 2), (0, 0, 0, 1)),
    "GRU": ((0, 1, 2), (0, 0, 1)),
    "RNN": ((0,), (0,)),
}
"""The position of each packed gate among the operation's gates, and the index of its activation."""


@selects(LSTMCell, LSTMSequence, GRUCell, GRUSequence, RNNCell, RNNSequence)
def select_recurrent(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of an LSTM, GRU or RNN cell or sequence in f32 or f64 with constant weights."""
    operation, values = op.operation, real_values(op)
    if values is None or not isinstance(operation, Recurrent):
        return None
    network = network_of(operation, values)
    shape = values[0].shape
    if network is None or shape is None or any(0 in (value.shape or ()) for value in values):
        return None
    if isinstance(operation, Series):
        return _series(network, values, shape, options)
    return _cell(network, values, shape, options)


def real_values(op: Op) -> list[Value] | None:
    """Return the inputs of a cell or sequence of f32 or f64, which are all of one type but for lengths; else None."""
    values = [value for value in op.inputs if value is not None]
    if not op.type or not isinstance(op.operation, Recurrent) or op.epilogue or len(values) != len(op.inputs):
        return None
    others = [value for value in values if value.element_type is not values[0].element_type]
    is_real = values[0].element_type.name in ("f32", "f64") and len(others) <= isinstance(op.operation, Series)
    return values if is_real else None


def packed_network(network: Network, options: Options, data: Value) -> PackedNetwork:
    """Return a network packed for its steps: in f32 compiled ones where numba is used."""
    compiled = options.kernels.find(keys.RECURRENT_STEPS) if data.element_type.name == "f32" else None
    return PackedNetwork(network, compiled or kernels.numpy_steps)


def network_of(operation: Recurrent, values: Sequence[Value]) -> Network | None:
    """Return the packed weights of an operation, or None where it has other inputs or variable weights."""
    kind = next((name for name, cls in (("LSTM", LSTM), ("GRU", GRU), ("RNN", RNN)) if isinstance(operation, cls)), "")
    count = {"LSTM": 6, "GRU": 5, "RNN": 5}[kind] + isinstance(operation, Series)
    if len(values) != count:
        return None
    weights = [value.constant for value in values[-3:]]
    if any(array is None for array in weights):
        return None
    W, R, B = (array if isinstance(operation, Series) else array[None] for array in weights if array is not None)
    functions = tuple(_activations(operation, kind))
    order, index = _ORDERS[kind]
    inputs, recurrent = kernels.pack(W, R, B, order, [functions[number].sign for number in index])
    separate = isinstance(operation, GRU) and operation.linear_before_reset
    reset = B[:, None, 3 * operation.hidden_size :] * functions[1].sign if separate else None
    reverse = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
    direction = operation.direction if isinstance(operation, Series) else "forward"
    return Network(kind, functions, reverse[direction], inputs, recurrent, reset)


def _activations(operation: Recurrent, kind: str) -> list[Activation]:
    activations = []
    for index in range(len(operation.default_activations)):
        name = (operation.activations or operation.default_activations)[index].lower()
        limit = operation.clip if operation.clip > 0 and not (kind == "LSTM" and index == 2) else np.inf
        alpha = operation.activations_alpha[index] if len(operation.activations_alpha) > index else 0.2
        beta = operation.activations_beta[index] if len(operation.activations_beta) > index else 0.5
        activations.append(Activation(name, limit, alpha, beta))
    return activations


def _series(network: Network, values: list[Value], shape: tuple[int, ...], options: Options) -> Kernel | None:
    batch, time, _ = shape
    states, lengths = values[1:-4], values[-4]
    constant = lengths.constant
    if constant is not None and not are_lengths(constant, time):
        return None
    is_full = constant is not None and bool((constant == time).all())
    job_of = _job_of(network, batch * time, options) if is_full else None
    packed = _packed_later(network, options, values[0])

    def make(pool: ThreadPool) -> Execute:
        sequences = cache(lambda: kernels.Sequences(packed(), batch, time, pool))

        def execute(arrays: Sequence[Array], outputs: Sequence[Array]) -> None:
            sequence_lengths = None if is_full else arrays[1 + len(states)]
            if sequence_lengths is not None and not are_lengths(sequence_lengths, time):
                raise FallbackRequired
            if sequence_lengths is not None and (sequence_lengths == time).all():
                sequence_lengths = None
            sequences().run(arrays[0], arrays[1 : 1 + len(states)], sequence_lengths, outputs)

        if job_of is None:
            return execute
        return OnArrays(lambda arrays, outputs: job_of(arrays[0], arrays[1:], outputs, pool), execute)

    spins = job_of is not None
    return StaticKernel(
        values if not is_full else values[: 1 + len(states)], make, variant="steps", written=1 + len(states),
        uses_spin_pool=spins,
    )  # fmt: skip


def are_lengths(lengths: Array, time: int) -> bool:
    """Return whether all lengths are in range; the plain evaluation reports those that are not."""
    return bool(((lengths >= 0) & (lengths <= time)).all())


def _cell(network: Network, values: list[Value], shape: tuple[int, ...], options: Options) -> Kernel:
    states, job_of = values[1:-3], _job_of(network, shape[0], options)
    packed = _packed_later(network, options, values[0])

    def make(pool: ThreadPool) -> Execute:
        sequences = cache(lambda: kernels.Sequences(packed(), shape[0], 1, pool))

        def execute(arrays: Sequence[Array], outputs: Sequence[Array]) -> None:
            data, states, views = _as_sequence(arrays, outputs)
            sequences().run(data, states, None, views)

        if job_of is None:
            return execute
        return OnArrays(lambda arrays, outputs: job_of(*_as_sequence(arrays, outputs), pool), execute)

    spins = job_of is not None
    return StaticKernel([values[0], *states], make, variant="step", written=len(states), uses_spin_pool=spins)


def _as_sequence(arrays: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, list[Array], list[Array]]:
    """View the inputs, states and outputs of a cell as a sequence of one step."""
    last = [output[:, None] for output in outputs]
    return arrays[0][:, None], [array[:, None] for array in arrays[1:]], [last[0][:, :, None], *last]


def _job_of(network: Network, rows: int, options: Options) -> BindRecurrent | None:
    """Return a factory of the network's job, if the network is so small that calling it from Python takes as long."""
    multiplications = rows * (network.inputs.size + network.recurrent.size)
    if network.inputs.dtype != np.float32 or multiplications > policy.RECURRENT_JOB_MAX_MULTIPLICATIONS:
        return None
    make = options.kernels.find(keys.RECURRENT) if options.has_spin_pool else None
    return None if make is None else make(network)


def _packed_later(network: Network, options: Options, data: Value) -> Callable[[], PackedNetwork]:
    """Return a function that packs a network at the first run of its steps; the job has its own packed weights."""
    return cache(lambda: packed_network(network, options, data))
