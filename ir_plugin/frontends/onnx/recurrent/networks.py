"""LSTM, GRU and RNN: by the sequences of OpenVINO's opsets, or step by step where these cannot express them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ir_plugin.frontends.onnx.common import Value, cast, i64, output, scalar, shape_of, type_of
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.recurrent import cells
from ir_plugin.frontends.onnx.recurrent.functions import Activation, activations_of
from ir_plugin.frontends.onnx.recurrent.iteration import iterated
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType

Step = Callable[[cells.Cell, Output, Sequence[Output], Sequence[Output]], list[Output]]


@dataclass(frozen=True)
class Kind:
    """A network: the blocks of its weights, their order in OpenVINO's sequence, its functions, and its step."""

    gates: int
    order: tuple[int, ...]
    functions: tuple[str, ...]
    step: Step
    states: int = 1
    is_sequence: bool = True
    """Whether a sequence of OpenVINO's opsets has the step."""


LSTM = Kind(4, (2, 0, 3, 1), ("sigmoid", "tanh", "tanh"), cells.lstm, 2)
_GRU = Kind(3, (0, 1, 2), ("sigmoid", "tanh"), cells.gru)
_RNN = Kind(1, (0,), ("tanh",), cells.rnn)


@dataclass(frozen=True)
class Network:
    """A network with its batch as the first axis, and time as the second one."""

    node: OnnxNode
    kind: Kind
    data: Output
    weights: Output
    recurrent: Output
    bias: Output | None
    lengths: Output | None
    states: list[Output]
    peepholes: Output | None
    hidden: int
    directions: tuple[bool, ...]
    """Whether each direction is reverse."""
    functions: list[tuple[Activation, ...]]

    @property
    def linear_before_reset(self) -> bool:
        """Whether a GRU multiplies the hidden state by its weights before it is reset."""
        return self.kind is _GRU and self.node.attributes.flag("linear_before_reset", 0)

    @property
    def is_coupled(self) -> bool:
        """Whether an LSTM forgets what it does not take in."""
        return self.kind.states == 2 and self.node.attributes.flag("input_forget", 0)

    @property
    def clip(self) -> float:
        """The threshold at which the inputs of functions are clipped, 0 for none."""
        return float(self.node.attributes.float("clip", 0.0))

    @property
    def is_plain(self) -> bool:
        """Whether a sequence of OpenVINO's opsets computes it."""
        same = all(functions == self.functions[0] for functions in self.functions)
        plain = all(function.is_plain for function in self.functions[0])
        return self.kind.is_sequence and same and plain and self.peepholes is None and not self.is_coupled


@translates("LSTM", 1)
def lstm(node: OnnxNode) -> list[Value]:
    """Return LSTMSequence-5; a TensorIterator for peepholes, coupled gates and other functions."""
    return outputs_of(network_of(node, LSTM))


@translates("GRU", 1)
def gru(node: OnnxNode) -> list[Value]:
    """Return GRUSequence-5; a TensorIterator for other functions than sigmoid, tanh and relu."""
    return outputs_of(network_of(node, _GRU))


@translates("RNN", 1)
def rnn(node: OnnxNode) -> list[Value]:
    """Return RNNSequence-5; a TensorIterator for other functions than sigmoid, tanh and relu."""
    return outputs_of(network_of(node, _RNN))


def network_of(node: OnnxNode, kind: Kind) -> Network:
    """Return the network of a node with the inputs and attributes of ONNX's operators."""
    is_batch_first = node.attributes.flag("layout", 0)
    data, recurrent = node.input(0), node.input(2)
    data = data if is_batch_first else output(ops.transpose(data, i64([1, 0, 2])))
    text = node.attributes.text("direction", "forward").lower()
    reversals = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
    if text not in reversals:
        raise OnnxReadError(f"the attribute 'direction' is {text!r}; it must be forward, reverse or bidirectional")
    directions, hidden = reversals[text], _hidden_size(node)
    states = []
    for index in (5, 6)[: kind.states]:
        state = node.optional(index)
        if state is None:
            states.append(_zeros(data, len(directions), hidden, type_of(recurrent)))
        else:
            states.append(state if is_batch_first else output(ops.transpose(state, i64([1, 0, 2]))))
    functions = activations_of(node, kind.functions, len(directions))
    peepholes = node.optional(7) if kind.states == 2 else None
    if peepholes is not None and peepholes.tensor_info.value is not None and not np.any(peepholes.tensor_info.value):
        peepholes = None
    weights, bias, lengths = node.input(1), node.optional(3), node.optional(4)
    return Network(
        node, kind, data, weights, recurrent, bias, lengths, states, peepholes, hidden, directions, functions
    )


def _hidden_size(node: OnnxNode) -> int:
    dims = node.input(2).tensor_info.shape.dims
    columns = dims[2].get_length() if dims is not None and len(dims) == 3 and dims[2].is_static else None
    declared: int | None = node.attributes.int("hidden_size", None)
    if columns is not None and declared is not None and columns != declared:
        raise OnnxReadError(f"the attribute 'hidden_size' is {declared}; R has {columns} columns")
    size = declared if columns is None else columns
    if size is None:
        raise OnnxUnsupportedError(
            "the hidden size is unknown: neither the attribute 'hidden_size' nor R's shape has it"
        )
    return size


def _zeros(data: Output, directions: int, hidden: int, element_type: ElementType) -> Output:
    """Return an initial state of zeros [batch, directions, hidden]."""
    batch = data.tensor_info.shape[0]
    if batch.is_static:
        zeros = np.zeros((batch.get_length(), directions, hidden), element_type.dtype)
        return constant_of(zeros, element_type).outputs[0]
    shape = ops.concat([_length(data, 0), i64([directions, hidden])], 0)
    return output(ops.broadcast(scalar(0, element_type), shape))


def _length(data: Output, axis: int) -> Output:
    """Return the length of an axis as a vector of one element."""
    return output(ops.gather(shape_of(data), i64([axis]), i64(0)))


def outputs_of(network: Network) -> list[Value]:
    """Return the outputs in ONNX's order of axes: all hidden states, and the last states."""
    joined, *states = _sequence(network) if network.is_plain else _steps(network)
    if network.node.attributes.flag("layout", 0):
        return [ops.transpose(joined, i64([0, 2, 1, 3])), *states]
    return [ops.transpose(joined, i64([2, 1, 0, 3])), *(ops.transpose(state, i64([1, 0, 2])) for state in states)]


def _sequence(network: Network) -> list[Output]:
    """Return the outputs of a sequence of OpenVINO's opsets."""
    kind = network.kind
    weights, recurrent = (_ordered(item, kind) for item in (network.weights, network.recurrent))
    direction = "bidirectional" if len(network.directions) > 1 else "reverse" if network.directions[0] else "forward"
    names = [function.name for function in network.functions[0]]
    bias, lengths, clip = _bias(network), _lengths(network), network.clip
    data, hidden, size = network.data, network.states[0], network.hidden
    if kind is LSTM:
        cell = network.states[1]
        node = ops.lstm_sequence(
            data, hidden, cell, lengths, weights, recurrent, bias, size, direction, names, [], [], clip
        )
    elif kind is _GRU:
        before = network.linear_before_reset
        node = ops.gru_sequence(
            data, hidden, lengths, weights, recurrent, bias, size, direction, names, [], [], clip, before
        )
    else:
        node = ops.rnn_sequence(data, hidden, lengths, weights, recurrent, bias, size, direction, names, [], [], clip)
    return list(node.outputs)


def _ordered(value: Output, kind: Kind) -> Output:
    """Return weights [directions, gates * hidden, …] with the gates in the order of OpenVINO's sequence."""
    if kind.order == tuple(range(kind.gates)):
        return value
    constant = value.tensor_info.value
    if constant is not None:
        blocks = np.split(constant, kind.gates, axis=1)
        return constant_of(np.concatenate([blocks[index] for index in kind.order], axis=1), type_of(value)).outputs[0]
    blocks_of = ops.split(value, i64(1), kind.gates).outputs
    return output(ops.concat([blocks_of[index] for index in kind.order], 1))


def _lengths(network: Network) -> Output:
    """Return the lengths of the sequences."""
    if network.lengths is not None:
        return cast(network.lengths, ElementType.i32)
    batch, time = network.data.tensor_info.shape[0], network.data.tensor_info.shape[1]
    if batch.is_static and time.is_static:
        return constant_of(np.full(batch.get_length(), time.get_length(), np.int32)).outputs[0]
    return cast(ops.broadcast(_length(network.data, 1), _length(network.data, 0)), ElementType.i32)


def _bias(network: Network) -> Output:
    """Return the sum of both biases; with `linear_before_reset` the hidden gate's two biases stay separate."""
    kind, hidden, element_type = network.kind, network.hidden, type_of(network.weights)
    blocks = kind.gates + network.linear_before_reset
    if network.bias is None:
        return constant_of(
            np.zeros((len(network.directions), blocks * hidden), element_type.dtype), element_type
        ).outputs[0]
    parts = ops.variadic_split(network.bias, i64(1), i64([kind.gates * hidden, -1])).outputs
    if network.linear_before_reset:
        first, second = (ops.variadic_split(part, i64(1), i64([2 * hidden, -1])).outputs for part in parts)
        return output(ops.concat([ops.add(first[0], second[0]), first[1], second[1]], 1))
    return _ordered(output(ops.add(parts[0], parts[1])), kind)


def _steps(network: Network) -> list[Output]:
    """Return the outputs of all directions, computed step by step."""
    results = [_direction(network, index) for index in range(len(network.directions))]
    if len(results) == 1:
        return results[0]
    return [output(ops.concat(list(column), 1)) for column in zip(*results, strict=True)]


def _direction(network: Network, index: int) -> list[Output]:
    """Return the outputs of one direction, with an axis for it."""
    bias = _biases(network, index)
    projected = ops.matmul(network.data, _of(network.weights, index), False, True)
    series = [output(ops.add(projected, bias[0]))]
    states = [output(ops.squeeze(_cut(state, index, 1), i64([1]))) for state in network.states]
    fixed = [_of(network.recurrent, index), *bias[1:]]
    if network.peepholes is not None:
        fixed.append(_of(network.peepholes, index))
    cell = cells.Cell(network.functions[index], network.clip, network.is_coupled, network.linear_before_reset)
    reverse = network.directions[index]
    series = [_reversed(network, item) if reverse else item for item in series]
    if network.lengths is not None:
        series.append(_positions(network.data))
        fixed.append(output(ops.unsqueeze(cast(network.lengths, ElementType.i64), i64([1]))))
    step = partial(_step, network, cell)
    joined, *last = iterated(step, series, states, fixed)
    joined = _reversed(network, joined) if reverse else joined
    return [output(ops.unsqueeze(item, i64([1]))) for item in (joined, *last)]


def _step(
    network: Network, cell: cells.Cell, slices: list[Output], states: list[Output], fixed: list[Output]
) -> list[Output]:
    """Return the output of a step and the next states; past a sequence's end, zeros and the unchanged states."""
    if network.lengths is None:
        following = network.kind.step(cell, slices[0], states, fixed)
        return [following[0], *following]
    following = network.kind.step(cell, slices[0], states, fixed[:-1])
    runs = ops.less(slices[1], fixed[-1])
    carried = [output(ops.select(runs, new, old)) for new, old in zip(following, states, strict=True)]
    return [output(ops.select(runs, following[0], scalar(0, following[0]))), *carried]


def _biases(network: Network, index: int) -> list[Output]:
    """Return the bias of the projection, and with `linear_before_reset` also R's bias of the hidden gate."""
    if network.bias is None:
        zero = scalar(0, network.weights)
        return [zero, zero] if network.linear_before_reset else [zero]
    count, hidden = network.kind.gates, network.hidden
    first, second = ops.variadic_split(_of(network.bias, index), i64(0), i64([count * hidden, -1])).outputs
    if not network.linear_before_reset:
        return [output(ops.add(first, second))]
    gates, of_hidden = ops.variadic_split(second, i64(0), i64([2 * hidden, -1])).outputs
    padded = ops.concat([gates, constant_of(np.zeros(hidden, type_of(second).dtype), type_of(second))], 0)
    return [output(ops.add(first, padded)), of_hidden]


def _of(value: Output, index: int) -> Output:
    """Return the weights of one direction, as a constant if `value` is constant."""
    constant = value.tensor_info.value
    if constant is not None:
        return constant_of(constant[index], type_of(value)).outputs[0]
    return output(ops.gather(value, i64(index), i64(0)))


def _cut(value: Output, index: int, axis: int) -> Output:
    return output(ops.gather(value, i64([index]), i64(axis)))


def _positions(data: Output) -> Output:
    """Return the numbers of the steps [1, time]."""
    stop = ops.squeeze(_length(data, 1), i64([0]))
    return output(ops.unsqueeze(ops.range(i64(0), stop, i64(1), "i64"), i64([0])))


def _reversed(network: Network, value: Output) -> Output:
    """Return a series with its steps in reverse order, each sequence up to its end."""
    return output(ops.reverse_sequence(value, _lengths(network), 0, 1))
