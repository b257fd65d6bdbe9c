"""Recurrent networks over full sequences as jobs of a spin pool, each direction a part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from ir_plugin.kernels import keys
from ir_plugin.kernels.aligned import aligned
from ir_plugin.kernels.numba.recurrent import LSTM, STEPS, Directions, accumulate, pack_panels, panels_of, run_steps
from ir_plugin.kernels.numba.runtime.fixed_job import FixedJob
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, fill, struct
from ir_plugin.kernels.numpy.recurrent import Network
from ir_plugin.kernels.registry import register
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array

DIRECTION = struct(
    "reverse depth inputs bias"
    " x x_batch x_time begin begin_batch cell cell_batch y y_batch y_time end end_batch end_cell end_cell_batch"
    " rows",
    STEPS,
)
"""Steps of a direction, addresses of more weights, arrays and buffers, and the bytes from one sample, or step, of an
array to the next. `rows` are the inputs [time, batch, depth] in the order of the steps."""
_BYTES = DIRECTION.itemsize


@compiled("void(i8)")
def _read(address: int) -> None:
    """Copy the inputs in the order of the steps, and the initial states."""
    a = arguments_at(address, DIRECTION)
    row, state = 4 * a.depth, 4 * a.size
    for sample in range(a.batch):
        copy(a.history + sample * state, a.begin + sample * a.begin_batch, state)
        if a.kind == LSTM:
            copy(a.slots + sample * state, a.cell + sample * a.cell_batch, state)
        for step in range(a.time):
            source = a.time - 1 - step if a.reverse else step
            copy(a.rows + (step * a.batch + sample) * row, a.x + sample * a.x_batch + source * a.x_time, row)


@compiled("void(i8)")
def _project(address: int) -> None:
    """Compute the input's part of the gates."""
    a = arguments_at(address, DIRECTION)
    count, (panels, columns) = a.time * a.batch, panels_of(a.width)
    rows = carray(pointer(a.rows), (count, a.depth), np.float32)
    gates = carray(pointer(a.gates), (count, a.width), np.float32)
    for row in range(count):
        copy(a.gates + 4 * row * a.width, a.bias, 4 * a.width)
    weights = carray(pointer(a.inputs), (panels, a.depth, columns), np.float32)
    accumulate(rows, weights, gates, 0, a.width)


@compiled("void(i8)")
def _write(address: int) -> None:
    """Copy the states to the outputs."""
    a = arguments_at(address, DIRECTION)
    state = 4 * a.size
    for sample in range(a.batch):
        for step in range(a.time):
            target = a.time - 1 - step if a.reverse else step
            source = a.history + ((step + 1) * a.batch + sample) * state
            copy(a.y + sample * a.y_batch + target * a.y_time, source, state)
        copy(a.end + sample * a.end_batch, a.history + (a.time * a.batch + sample) * state, state)
        if a.kind == LSTM:
            copy(a.end_cell + sample * a.end_cell_batch, a.slots + sample * state, state)


@job
def _run_direction(address: int, part: int) -> None:
    """Compute one direction."""
    own = address + part * _BYTES
    _read(own)
    _project(own)
    run_steps(own)
    _write(own)


@register(keys.RECURRENT)
class Recurrent:
    """A network with its weights packed once, which makes a job for arrays."""

    def __init__(self, network: Network) -> None:
        self._network, self._directions = network, Directions(network)
        self._inputs = [pack_panels(weights[:-1]) for weights in network.inputs]
        self._bias = [np.ascontiguousarray(weights[-1]) for weights in network.inputs]

    def __call__(
        self, x: Array, states: Sequence[Array], outputs: Sequence[Array], pool: ThreadPool
    ) -> FixedJob | None:
        """Return the job for inputs [batch, time, depth], the initial states [batch, D, size], and the outputs.

        These are the hidden states [batch, D, time, size] and the last ones [batch, D, size]. It is None unless the
        numbers of a row are neighbours in all of them, and where the pool is no spin pool.
        """
        arrays = [x, *states, *outputs]
        if not pool.is_spin_pool or any(array.dtype != np.float32 or array.strides[-1] != 4 for array in arrays):
            return None
        count = len(self._network.reverse)
        directions, buffers = np.zeros(count, DIRECTION), []
        for number in range(count):
            buffers += self._describe(directions[number], number, x, states, outputs)
        referenced = (*arrays, *buffers, *self._kept())
        return FixedJob(_run_direction.address, directions, count, referenced, cast("SpinPool", pool))

    def _kept(self) -> list[Array]:
        packed = self._directions
        return [packed.functions, *self._inputs, *self._bias, *packed.weights, *packed.own, *packed.reset]

    def _describe(
        self, direction: Array, number: int, x: Array, states: Sequence[Array], outputs: Sequence[Array]
    ) -> list[Array]:
        """Write the arguments of a direction, and return its buffers."""
        network, packed, (batch, time, depth) = self._network, self._directions, x.shape
        size, width = network.recurrent.shape[1:]
        f32 = np.dtype(np.float32)
        rows, gates = aligned((time, batch, depth), f32), aligned((time, batch, width), f32)
        history, slots = aligned((time + 1, batch, size), f32), aligned((batch, size), f32)
        counts = np.full(time, batch, np.int64)
        fill(
            direction, **packed.fields(number, batch), reverse=network.reverse[number], time=time, depth=depth,
            first=0, last=batch, inputs=address_of(self._inputs[number]), bias=address_of(self._bias[number]),
            rows=address_of(rows), gates=address_of(gates), history=address_of(history), slots=address_of(slots),
            counts=address_of(counts), x=address_of(x), x_batch=x.strides[0], x_time=x.strides[1],
            y=address_of(outputs[0][:, number]), y_batch=outputs[0].strides[0], y_time=outputs[0].strides[2],
        )  # fmt: skip
        pairs = zip((("begin", "end"), ("cell", "end_cell")), states, outputs[1:], strict=False)
        for (begin, end), state, output in pairs:
            fill(direction, **{begin: address_of(state[:, number]), f"{begin}_batch": state.strides[0]})
            fill(direction, **{end: address_of(output[:, number]), f"{end}_batch": output.strides[0]})
        return [rows, gates, history, slots, counts]
