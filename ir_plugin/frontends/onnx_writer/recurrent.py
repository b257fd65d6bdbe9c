"""Recurrent networks: LSTM, GRU and RNN, of sequences and of one step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.frontends.onnx_writer.layer import Layer
from ir_plugin.frontends.onnx_writer.registry import Write, writes
from ir_plugin.operations.sequence.gru_cell import GRUCell
from ir_plugin.operations.sequence.gru_sequence import GRUSequence
from ir_plugin.operations.sequence.lstm_cell import LSTMCell
from ir_plugin.operations.sequence.lstm_sequence import LSTMSequence
from ir_plugin.operations.sequence.recurrent import GRU, LSTM
from ir_plugin.operations.sequence.rnn_cell import RNNCell
from ir_plugin.operations.sequence.rnn_sequence import RNNSequence
from ir_plugin.tensors import ElementType

_FUNCTIONS = {"sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu", "hardsigmoid": "HardSigmoid"}
_LSTM_ORDER = (1, 3, 0, 2)
"""The positions of ONNX's gates (input, output, forget, cell) among forget, input, cell and output."""


def _attributes(layer: Layer, directions: int) -> dict[str, Any]:
    """Return the attributes of a node: activations of each direction with their numbers, clipping and size."""
    operation = layer.operation
    count = len(operation.default_activations)
    names = [name.lower() for name in operation.activations[:count]]
    numbers: dict[str, list[float]] = {"activation_alpha": [], "activation_beta": []}
    for index, name in enumerate(names):
        if name == "hardsigmoid":
            for key, values, default in (
                ("activation_alpha", operation.activations_alpha, 0.2),
                ("activation_beta", operation.activations_beta, 0.5),
            ):
                numbers[key].append(float(values[index]) if len(values) > index else default)
    attributes: dict[str, Any] = {key: values * directions for key, values in numbers.items() if values}
    attributes["activations"] = [_FUNCTIONS[name] for name in names] * directions
    attributes["hidden_size"] = operation.hidden_size
    if 0 < operation.clip < np.inf:
        attributes["clip"] = float(operation.clip)
    if isinstance(operation, GRU):
        attributes["linear_before_reset"] = int(operation.linear_before_reset)
    return attributes


def _reordered(layer: Layer, value: str, position: int, axis: int) -> str:
    """Return weights of an LSTM with the gates in ONNX's order; known ones are written in that order."""
    if not isinstance(layer.operation, LSTM):
        return value
    array = layer.value(position)
    if array is not None:
        blocks = np.split(array, 4, axis)
        joined = np.concatenate([blocks[gate] for gate in _LSTM_ORDER], axis)
        return layer.cast(layer.constant(joined, layer.info(position).element_type), layer.type_of(value))
    parts = layer.emit_all("Split", value, axis=axis, count=4, num_outputs=4 if layer.opset >= 18 else None)
    return layer.emit("Concat", *(parts[gate] for gate in _LSTM_ORDER), axis=axis)


def _bias(layer: Layer, value: str, directions: int) -> str:
    """Return the biases [directions, 2 · gates] of a node from ours, which are one sum for input and state."""
    operation = layer.operation
    size, gates = operation.hidden_size, operation.gates
    zeros = layer.constant(np.zeros((directions, gates * size)), layer.type_of(value))
    if not isinstance(operation, GRU) or not operation.linear_before_reset:
        return layer.emit("Concat", value, zeros, axis=1)
    first = layer.constant(np.zeros((directions, 2 * size)), layer.type_of(value))
    own, last = layer.split(value, 1, 3 * size, size)
    return layer.emit("Concat", own, first, last, axis=1)


def _weights(layer: Layer, first: int, directions: int, is_cell: bool) -> list[str]:
    """Return W, R and B of a node from the inputs from `first` on."""
    axis = 0 if is_cell else 1
    values = [_reordered(layer, layer.inputs[first + at], first + at, axis) for at in (0, 1)]
    if layer.has(first + 2):
        bias = _reordered(layer, layer.inputs[first + 2], first + 2, axis)
    else:
        rows = layer.operation.gates * layer.operation.hidden_size
        bias = layer.constant(np.zeros(rows), layer.type_of(values[0]))
    if is_cell:
        values, bias = [layer.unsqueeze(value, 0) for value in values], layer.unsqueeze(bias, 0)
    return [*values, _bias(layer, bias, directions)]


def _cell(op: str, states: int) -> Write:
    """Return a writer of one step: a sequence of length 1."""

    def write(layer: Layer) -> list[str]:
        data = layer.unsqueeze(layer.inputs[0], 0)
        begin = [layer.unsqueeze(layer.inputs[1 + at], 0) for at in range(states)]
        weights = _weights(layer, 1 + states, 1, is_cell=True)
        outputs = layer.emit_all(op, data, *weights, "", *begin, count=1 + states, **_attributes(layer, 1))
        return [layer.squeeze(value, 0) for value in outputs[1:]]

    return write


def _sequence(op: str, states: int) -> Write:
    """Return a writer of all steps; the last states of an empty sequence are 0."""

    def write(layer: Layer) -> list[str]:
        direction = layer.operation.direction
        directions = 2 if direction == "bidirectional" else 1
        data = layer.transpose(layer.inputs[0], [1, 0, 2])
        begin = [layer.transpose(layer.inputs[1 + at], [1, 0, 2]) for at in range(states)]
        lengths, is_full = _lengths(layer, 1 + states)
        weights = _weights(layer, 2 + states, directions, is_cell=False)
        outputs = layer.emit_all(
            op, data, *weights, "" if is_full else lengths, *begin, count=1 + states, direction=direction,
            **_attributes(layer, directions),
        )  # fmt: skip
        last = [layer.transpose(value, [1, 0, 2]) for value in outputs[1:]]
        if not is_full:
            has_steps = layer.unsqueeze(layer.emit("Greater", lengths, layer.like(0, lengths)), 1, 2)
            last = [layer.emit("Where", has_steps, value, layer.like(0, value)) for value in last]
        return [layer.transpose(outputs[0], [2, 1, 0, 3]), *last]

    return write


def _lengths(layer: Layer, position: int) -> tuple[str, bool]:
    """Return the lengths of the sequences, and whether all are known to be as long as the data."""
    values, steps = layer.value(position), layer.shape()[1]
    is_full = values is not None and steps.is_static and bool((values == steps.get_length()).all())
    return layer.cast(layer.inputs[position], ElementType.i32), is_full and steps != 0


writes(LSTMCell, widens=True)(_cell("LSTM", 2))
writes(GRUCell, widens=True)(_cell("GRU", 1))
writes(RNNCell, widens=True)(_cell("RNN", 1))
writes(LSTMSequence, widens=True)(_sequence("LSTM", 2))
writes(GRUSequence, widens=True)(_sequence("GRU", 1))
writes(RNNSequence, widens=True)(_sequence("RNN", 1))
