"""Recurrent sequences whose lengths only a run decides: weights are packed once, buffers are made for each length."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.selection.kernel import Allocate, Kernel, OpenKernel, Options
from ir_plugin.compiler.selection.recurrent import are_lengths, network_of, packed_network, real_values
from ir_plugin.kernels import policy
from ir_plugin.kernels.numpy.recurrent import PackedNetwork, Sequences
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.sequence.recurrent import Series
from ir_plugin.tensors import Array


def select_open_recurrent(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of an LSTM, GRU or RNN over sequences of unknown batch or length with constant weights."""
    operation, values = op.operation, real_values(op)
    if values is None or not isinstance(operation, Series) or values[0].shape is not None:
        return None
    network = network_of(operation, values)
    if network is None or network.recurrent.size == 0:
        return None
    packed = packed_network(network, options, values[0])
    return OpenKernel(values, lambda pool: _OpenSequences(packed, pool), variant="steps, open")


class _OpenSequences:
    """Executes a network over sequences whose number and length differ from run to run."""

    def __init__(self, packed: PackedNetwork, pool: ThreadPool) -> None:
        self._packed, self._network, self._pool = packed, packed.network, pool
        self._by_sizes: OrderedDict[tuple[int, int], Sequences] = OrderedDict()

    def __call__(self, inputs: Sequence[Array], allocate: Allocate) -> tuple[Array, ...]:
        """Return all hidden states and the last states; raises `ValueError` for inputs that do not fit."""
        data, states, lengths = inputs[0], inputs[1:-4], inputs[-4]
        count, size, _ = self._network.recurrent.shape
        batch, time, width = data.shape
        fit = width == self._network.inputs.shape[1] - 1 and all(
            state.shape == (batch, count, size) for state in states
        )
        if not fit or data.size == 0 or lengths.shape != (batch,) or not are_lengths(lengths, time):
            raise ValueError("the inputs do not fit the weights")
        outputs = (allocate((batch, count, time, size)), *(allocate((batch, count, size)) for _ in states))
        sequence_lengths = None if (lengths == time).all() else lengths
        self._sequences(batch, time).run(data, states, sequence_lengths, outputs)
        return outputs

    def _sequences(self, batch: int, time: int) -> Sequences:
        sequences = self._by_sizes.pop((batch, time), None)
        if sequences is None:
            sequences = Sequences(self._packed, batch, time, self._pool)
        self._by_sizes[batch, time] = sequences
        while len(self._by_sizes) > 1 and self._is_full():
            self._by_sizes.popitem(last=False)
        return sequences

    def _is_full(self) -> bool:
        count, size = self._network.recurrent.shape[:2]
        elements = sum(batch * time for batch, time in self._by_sizes) * count * size
        most = policy.OPEN_RECURRENT_KEPT_MAX_LENGTHS
        return len(self._by_sizes) > most or elements > policy.OPEN_RECURRENT_KEPT_MAX_ELEMENTS
