"""Recurrent networks, shared by the LSTM, GRU and RNN cells and sequences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Lengths, Operation
from ir_plugin.operations.checks import merge_types, note_type
from ir_plugin.operations.indices import require_inside
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, Dimension, ElementType, TensorInfo

States: TypeAlias = tuple[Array, ...]
"""The hidden state, and for LSTM the cell state, each [batch, hidden_size]."""
Activation: TypeAlias = Callable[[Array], Array]


class Weights(NamedTuple):
    """The weights of one direction: W for the input, R for the hidden state, and the biases B."""

    W: Array
    R: Array
    B: Array


class Recurrent(Operation):
    """One or more time steps of a recurrent network.

    `activations` may be sigmoid, tanh and relu, as specified, and hardsigmoid with `activations_alpha` and
    `activations_beta` (by default 0.2 and 0.5), which OpenVINO reads but cannot run; empty lists mean the defaults.
    Gates are clipped to [-clip, clip] before activation; a clip of 0, which OpenVINO writes, means no clipping.
    """

    gates: ClassVar[int]
    """The number of blocks of `hidden_size` rows in the weights."""
    default_activations: ClassVar[tuple[str, ...]]
    state_count: ClassVar[int] = 1
    """The number of states; their inputs follow X."""
    has_lengths: ClassVar[bool] = False
    """Whether the lengths of the sequences follow the states."""

    hidden_size: int
    activations: tuple[str, ...]
    activations_alpha: tuple[float, ...]
    advance: ClassVar[Callable[..., States]]
    """Returns the next states from the projected input of a step, the states and the weights."""

    activations_beta: tuple[float, ...]
    clip: float

    @property
    def weights_position(self) -> int:
        """The position of the input W, which R follows."""
        return 1 + self.state_count + self.has_lengths

    @property
    def bias_blocks(self) -> int:
        """The number of blocks of `hidden_size` elements in the bias."""
        return self.gates

    def activation(self, index: int, clip: bool = True) -> Activation:
        """Return the activation function at `index`, preceded by clipping; whole numbers are rounded after it."""
        name = self.activations[index].lower()
        function = _FUNCTIONS.get(name) or self._hard_sigmoid(index)
        limit = self.clip if clip and 0 < self.clip < np.inf else np.inf
        if self.output_types and self.output_types[0].is_integer:
            whole = np.floor(limit)
            return lambda gate: np.rint(function(gate.clip(-whole, whole)))
        return function if limit == np.inf else lambda gate: function(gate.clip(-limit, limit))

    def _hard_sigmoid(self, index: int) -> Activation:
        alpha = self.activations_alpha[index] if len(self.activations_alpha) > index else 0.2
        beta = self.activations_beta[index] if len(self.activations_beta) > index else 0.5
        return lambda gate: (alpha * gate + beta).clip(0, 1)

    def multiplications(self, inputs: Sequence[Lengths], _: Sequence[Lengths]) -> int | None:
        """Return the number of multiplications by W and R in all steps."""
        data, weights, recurrence = inputs[0], inputs[self.weights_position], inputs[self.weights_position + 1]
        if data is None or weights is None or recurrence is None:
            return None
        return prod(data[:-1]) * (prod(weights) + prod(recurrence))

    def check_attributes(self) -> None:
        """Raise for invalid attributes."""
        if self.hidden_size < 1:
            raise ShapeError("hidden_size", f"hidden_size is {self.hidden_size}; it must be positive")
        if self.clip < 0:
            raise ShapeError("clip", f"clip is {self.clip}; it must be positive")
        names = self.activations
        if len(names) < len(self.default_activations):
            required = len(self.default_activations)
            raise ShapeError(
                "activations", f"activations {','.join(names)!r} names {len(names)} functions of {required}"
            )
        supported = (*_FUNCTIONS, "hardsigmoid")
        for name in names:
            if name.lower() not in supported:
                raise ShapeError(
                    "activations", f"{name} is not an activation function; known are {', '.join(supported)}"
                )

    def hidden(self, merged: Dimension, W: TensorInfo) -> Dimension:
        """Return the merged hidden size, or if it is unknown the one that the rows of W imply, as OpenVINO does."""
        rows = W.shape[-2]
        if merged.is_dynamic and rows.is_static and rows.lower % self.gates == 0:
            return Dimension(rows.lower // self.gates)
        return merged


def sigmoid(data: Array) -> Array:
    """Return 1 / (1 + exp(-data))."""
    result: Array = 1 / (1 + np.exp(-data))
    return result


def relu(data: Array) -> Array:
    """Return data where it is positive, 0 elsewhere."""
    result: Array = np.maximum(data, 0)
    return result


_FUNCTIONS: Mapping[str, Activation] = {"sigmoid": sigmoid, "tanh": np.tanh, "relu": relu}


def merge_dims(quantity: str, **parts: Dimension) -> Dimension:
    """Return the length that all inputs agree on; raises for the first input that differs."""
    merged = Dimension()
    for part, dim in parts.items():
        agreed = merged.merge(dim)
        if agreed is None:
            raise ShapeError(part, f"{quantity} is {dim} in {part}, and {merged} in the inputs before")
        merged = agreed
    return merged


def check_types(tensors: Mapping[str, TensorInfo], *accepted: str) -> ElementType:
    """Return the common type of all tensors: a floating-point one, or one of `accepted`, which OpenVINO takes."""
    for part, tensor in tensors.items():
        note_type(part, tensor, "float", accepted=("float", *accepted))
    return merge_types(*tensors.values(), are_read=True)


def check_weights(
    operation: Recurrent,
    hidden: Dimension,
    X: TensorInfo,
    weights: Mapping[str, TensorInfo],
    lead: tuple[Dimension, ...] = (),
) -> None:
    """Raise unless W, R and B have the shapes that `hidden_size` and X imply, after the dimensions `lead`."""
    blocks = {"W": operation.gates, "R": operation.gates, "B": operation.bias_blocks}
    columns = {"W": X.shape[-1], "R": hidden}
    for part, tensor in weights.items():
        dims = (*lead, hidden * blocks[part], *([columns[part]] if part in columns else []))
        if not tensor.shape.compatible(dims):
            expected = f"[{','.join(map(str, dims))}]"
            raise ShapeError(part, f"{part} has the shape {tensor.shape}; it must be {expected}", _SHAPE_HELP[part])


_SHAPE_HELP = {
    "W": "its shape is the number of gates times hidden_size, by the length of the input",
    "R": "its shape is the number of gates times hidden_size, by hidden_size",
    "B": "it has one element per row of W; with linear_before_reset hidden_size more",
}


def check_hidden(operation: Recurrent, merged: Dimension) -> None:
    """Raise if the inputs imply another hidden size than the attribute."""
    if not merged.contains(operation.hidden_size):
        raise ShapeError("hidden_size", f"hidden_size is {operation.hidden_size}, the states and R have {merged}")


class Cell(Recurrent):
    """One time step: inputs [batch, input_size], states [batch, hidden_size]."""

    float_inputs = tuple(range(7))

    def infer_cell(
        self, X: TensorInfo, states: Mapping[str, TensorInfo], weights: Mapping[str, TensorInfo]
    ) -> TensorInfo:
        """Return the common type and shape of the states."""
        self.check_attributes()
        element_type = check_types({"X": X, **states, **weights}, "integer")
        for part, tensor in {"X": X, **states, **weights}.items():
            require_rank(part, tensor.shape, 1 if part == "B" else 2)
        batch = merge_dims("the batch size", X=X.shape[0], **{part: state.shape[0] for part, state in states.items()})
        lengths = {part: state.shape[1] for part, state in states.items()}
        merged = merge_dims("the hidden size", **lengths, R=weights["R"].shape[1])
        check_hidden(self, merged)
        check_weights(self, Dimension(self.hidden_size), X, weights)
        return TensorInfo(element_type, [batch, self.hidden(merged, weights["W"])])

    def step(self, X: Array, states: States, weights: Weights) -> States:
        """Return the next states."""
        return self.advance(project(X, weights), states, weights)


def project(X: Array, weights: Weights) -> Array:
    """Return the input times W plus the biases."""
    rows = weights.W.shape[0]
    projected: Array = X @ weights.W.T + weights.B[:rows]
    return projected


class HiddenCell(Cell):
    """A cell of which the hidden state is the only one."""

    def infer(
        self, X: TensorInfo, initial_hidden_state: TensorInfo, W: TensorInfo, R: TensorInfo, B: TensorInfo
    ) -> TensorInfo:
        """Return the type and shape of the state."""
        return self.infer_cell(X, {"initial_hidden_state": initial_hidden_state}, {"W": W, "R": R, "B": B})

    def evaluate(self, X: Array, initial_hidden_state: Array, W: Array, R: Array, B: Array) -> Array:
        """Return the next hidden state."""
        return self.step(X, (initial_hidden_state,), Weights(W, R, B))[0]


class Series(Recurrent):
    """All time steps of sequences X [batch, time, input_size], forward, in reverse, or both.

    States and weights have a dimension for the directions. A sequence ends after `sequence_lengths` steps: later
    outputs are 0, the last state is the state at that end, and reverse sequences begin there. The last states of an
    empty sequence are 0, as in OpenVINO; the specification leaves them open.
    """

    has_lengths = True

    direction: str

    def infer_series(
        self,
        X: TensorInfo,
        states: Mapping[str, TensorInfo],
        sequence_lengths: TensorInfo,
        weights: Mapping[str, TensorInfo],
    ) -> tuple[TensorInfo, TensorInfo]:
        """Return the types and shapes of the outputs of all steps and of the last states."""
        self.check_attributes()
        element_type = check_types({"X": X, **states, **weights})
        note_type("sequence_lengths", sequence_lengths, "integer", accepted=("number",))
        require_rank("sequence_lengths", sequence_lengths.shape, 1)
        for part, tensor in {"X": X, **states, **weights}.items():
            require_rank(part, tensor.shape, 2 if part == "B" else 3)
        batches = {part: tensor.shape[0] for part, tensor in {"X": X, **states}.items()}
        batch = merge_dims("the batch size", **batches, sequence_lengths=sequence_lengths.shape[0])
        directions = Dimension(2 if self.direction == "bidirectional" else 1)
        for part, state in states.items():
            if not state.shape[1].contains(int(directions)):
                message = f"dimension 1 of {part} is {state.shape[1]}; direction {self.direction} has {directions}"
                raise ShapeError(part, message)
        lengths = {part: state.shape[2] for part, state in states.items()}
        merged = merge_dims("the hidden size", **lengths, R=weights["R"].shape[2])
        check_hidden(self, merged)
        check_weights(self, Dimension(self.hidden_size), X, weights, (directions,))
        hidden = self.hidden(merged, weights["W"])
        last_state = TensorInfo(element_type, [batch, directions, hidden])
        return TensorInfo(element_type, [batch, directions, X.shape[1], hidden]), last_state

    def run(self, X: Array, states: States, sequence_lengths: Array, weights: Weights) -> tuple[Array, ...]:
        """Return the outputs of all steps, and the last states."""
        require_inside(sequence_lengths, 0, X.shape[1], "sequence_lengths", f" of {X.shape[1]} time steps")
        backwards = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[self.direction]
        outputs = []
        for index, reverse in enumerate(backwards):
            direction_weights = Weights(weights.W[index], weights.R[index], weights.B[index])
            begin = tuple(state[:, index] for state in states)
            outputs.append(self._one_direction(X, begin, sequence_lengths, direction_weights, reverse))
        return tuple(np.stack(parts, axis=1) for parts in zip(*outputs, strict=True))

    def _one_direction(
        self, X: Array, states: States, lengths: Array, weights: Weights, reverse: bool
    ) -> tuple[Array, ...]:
        batch, time, _ = X.shape
        steps = np.arange(time)
        inside = steps < lengths.reshape(-1, 1)
        order = np.where(inside, lengths.reshape(-1, 1).astype(np.int64) - 1 - steps, steps)[..., None]
        projected = project(X.reshape(batch * time, -1), weights).reshape(batch, time, -1)
        if reverse:
            projected = np.take_along_axis(projected, order, axis=1)
        Y = np.zeros((batch, time, self.hidden_size), X.dtype)
        is_full = bool(inside.all())
        for step in range(int(lengths.max()) if lengths.size else 0):
            following = self.advance(projected[:, step], states, weights)
            if not is_full:
                running = inside[:, step, None]
                pairs = zip(following, states, strict=True)
                states = tuple(np.where(running, following_state, previous) for following_state, previous in pairs)
                Y[:, step] = np.where(running, following[0], 0)
            else:
                states = following
                Y[:, step] = following[0]
        ended = tuple(np.where(lengths.reshape(-1, 1) > 0, state, 0).astype(X.dtype) for state in states)
        return (np.take_along_axis(Y, order, axis=1) if reverse else Y, *ended)

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the range of the sequence lengths."""
        return {1 + self.state_count: Range(1, inputs.length(0, 1))}


class HiddenSeries(Series):
    """A series of which the hidden state is the only one."""

    def infer(
        self,
        X: TensorInfo,
        initial_hidden_state: TensorInfo,
        sequence_lengths: TensorInfo,
        W: TensorInfo,
        R: TensorInfo,
        B: TensorInfo,
    ) -> tuple[TensorInfo, TensorInfo]:
        """Return the types and shapes of all hidden states and of the last hidden states."""
        states = {"initial_hidden_state": initial_hidden_state}
        return self.infer_series(X, states, sequence_lengths, {"W": W, "R": R, "B": B})

    def evaluate(
        self, X: Array, initial_hidden_state: Array, sequence_lengths: Array, W: Array, R: Array, B: Array
    ) -> tuple[Array, ...]:
        """Return all hidden states and the last hidden states."""
        return self.run(X, (initial_hidden_state,), sequence_lengths, Weights(W, R, B))


class LSTM(Recurrent):
    """Long short-term memory; gates in the order forget, input, cell, output (fico)."""

    gates = 4
    default_activations = ("sigmoid", "tanh", "tanh")
    state_count = 2

    def advance(self, projected: Array, states: States, weights: Weights) -> States:
        """Return the next hidden and cell state."""
        hidden, cell = states
        forget, enter, candidate, leave = np.split(projected + hidden @ weights.R.T, 4, axis=-1)
        f, g, h = self.activation(0), self.activation(1), self.activation(2, clip=False)
        cell = f(forget) * cell + f(enter) * g(candidate)
        return f(leave) * h(cell), cell


class GRU(Recurrent):
    """Gated recurrent units; gates in the order update, reset, hidden (zrh)."""

    gates = 3
    default_activations = ("sigmoid", "tanh")

    linear_before_reset: bool

    @property
    def bias_blocks(self) -> int:
        """The number of blocks of `hidden_size` elements in the bias; the fourth is R's bias of the hidden gate."""
        return 4 if self.linear_before_reset else 3

    def advance(self, projected: Array, states: States, weights: Weights) -> States:
        """Return the next hidden state."""
        (hidden,) = states
        size = hidden.shape[-1]
        f, g = self.activation(0), self.activation(1)
        gates = f(projected[..., : 2 * size] + hidden @ weights.R[: 2 * size].T)
        update, reset = gates[..., :size], gates[..., size:]
        recurrent = weights.R[2 * size :].T
        if self.linear_before_reset:
            candidate = reset * (hidden @ recurrent + weights.B[3 * size :])
        else:
            candidate = (reset * hidden) @ recurrent
        candidate = g(projected[..., 2 * size :] + candidate)
        return ((1 - update) * candidate + update * hidden,)


class RNN(Recurrent):
    """The plain recurrent network: one gate."""

    gates = 1
    default_activations = ("tanh",)

    def advance(self, projected: Array, states: States, weights: Weights) -> States:
        """Return the next hidden state."""
        (hidden,) = states
        return (self.activation(0)(projected + hidden @ weights.R.T),)
