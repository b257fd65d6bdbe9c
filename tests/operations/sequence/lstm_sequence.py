"""Samples of LSTMSequence-5."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param


def inputs(
    lengths: Sequence[int] = (5, 5, 5), directions: int = 1, time: int = 5, type: str = "f32", constant: bool = True,
    lengths_type: str = "i32", size: int = 2, hidden: int = 3,
) -> list[In]:  # fmt: skip
    random = np.random.default_rng(directions + time)
    make = const if constant else param
    batch = len(lengths)
    data = [(batch, time, size), (batch, directions, hidden), (batch, directions, hidden)]
    weights = [(directions, 4 * hidden, size), (directions, 4 * hidden, hidden), (directions, 4 * hidden)]
    return [
        *(param(random.standard_normal(shape), type) for shape in data),
        make(lengths, lengths_type),
        *(make(random.standard_normal(shape), type) for shape in weights),
    ]


def naive(*directions: str) -> Callable[..., list[Array]]:
    """Return the sequence computed one batch and one step after the other."""

    def step(x: Array, h: Array, c: Array, weights: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        W, R, B = weights
        forget, enter, candidate, leave = np.split(W @ x + R @ h + B, 4)
        c = c / (1 + np.exp(-forget)) + np.tanh(candidate) / (1 + np.exp(-enter))
        return np.tanh(c) / (1 + np.exp(-leave)), c

    def compute(X: Array, H: Array, C: Array, lengths: Array, W: Array, R: Array, B: Array) -> list[Array]:
        batch, time, _ = X.shape
        Y = np.zeros((batch, len(directions), time, H.shape[2]), X.dtype)
        Ho, Co = np.zeros_like(H), np.zeros_like(C)
        for b in range(batch):
            for d, direction in enumerate(directions):
                h, c = H[b, d], C[b, d]
                steps = range(int(lengths[b]))
                for t in steps if direction == "forward" else reversed(steps):
                    h, c = step(X[b, t], h, c, (W[d], R[d], B[d]))
                    Y[b, d, t] = Ho[b, d] = h
                    Co[b, d] = c
        return [Y, Ho, Co]

    return compute


BOTH = ("forward", "reverse")
FORWARD = {"hidden_size": 3, "direction": "forward", "activations": "sigmoid,tanh,tanh", "clip": 0}
REVERSE = FORWARD | {"direction": "reverse"}
BIDIRECTIONAL = FORWARD | {"direction": "bidirectional"}
DEFAULTS = "OpenVINO does not know the default of activations of sequences"


def sample(inputs: list[In], attributes: Mapping[str, object], **more: object) -> Sample:
    return Sample("LSTMSequence", 5, inputs, attributes, outputs=3, **more)  # type: ignore[arg-type]


SAMPLES = [
    sample(inputs(), FORWARD, oracle=naive("forward")),
    sample(inputs(), REVERSE, oracle=naive("reverse")),
    sample(inputs(directions=2), BIDIRECTIONAL, oracle=naive(*BOTH)),
    sample(inputs((5, 3, 1)), FORWARD, oracle=naive("forward")),
    sample(inputs((2, 4, 1), lengths_type="i64"), REVERSE, oracle=naive("reverse")),
    sample(inputs((2, 5, 0), directions=2), BIDIRECTIONAL, oracle=naive(*BOTH), name="a length of 0"),
    sample(inputs((3, 1, 2), constant=False), FORWARD),
    sample(inputs(directions=2, constant=False), BIDIRECTIONAL),
    sample(inputs(), FORWARD | {"clip": 0.4}),
    sample(inputs(), FORWARD | {"activations": "tanh,relu,sigmoid"}),
    sample(inputs((1,), time=1), FORWARD, oracle=naive("forward")),
    sample(inputs(type="f16"), FORWARD, rtol=4e-3, atol=4e-3),
    sample(
        inputs(), {"hidden_size": 3, "direction": "forward"}, oracle=naive("forward"), openvino=DEFAULTS,
    ),
    sample(inputs(), FORWARD, shapes=[("?,?,2", "3,1,3", "?,1,3"), ("?,2..,2", "?,?,?", "?,1,3")], name="merged"),
]  # fmt: skip

TEXTS = ["f32[2,5,3]", "f32[2,1,4]", "f32[2,1,4]", "i32[2]", "f32[1,16,3]", "f32[1,16,4]", "f32[1,16]"]
FOUR = {"hidden_size": 4, "direction": "forward"}


def refused(index: int, text: str, part: str, says: str, **attributes: object) -> ErrorSample:
    inputs: list[In | str] = [text if position == index else shape for position, shape in enumerate(TEXTS)]
    return ErrorSample("LSTMSequence", 5, inputs, FOUR | attributes, part, says, outputs=3)


ERRORS = [
    refused(3, "i32[3]", "sequence_lengths", "the batch size is 3"),
    refused(3, "string[2]", "sequence_lengths", "numeric"),
    refused(3, "i32[2,1]", "sequence_lengths", "the rank must be 1"),
    refused(1, "f32[2,2,4]", "initial_hidden_state", "direction forward has 1"),
    refused(0, "f32[2,5,3]", "initial_hidden_state", "direction bidirectional has 2", direction="bidirectional"),
    refused(4, "f32[2,16,3]", "W", "it must be [1,16,3]"),
    refused(6, "f32[1,12]", "B", "it must be [1,16]"),
    refused(0, "f32[2,3]", "X", "the rank must be 3"),
    refused(0, "f32[2,5,3]", "activations", "names 0 functions of 3", activations=""),
    ErrorSample(
        "LSTMSequence", 5, inputs((5, 6, 1), constant=False), FORWARD, says="[1] is 6", code="IR701", outputs=3
    ),
    ErrorSample(
        "LSTMSequence", 5, inputs((5, 1, -2), constant=False), FORWARD, says="[2] is -2", code="IR701", outputs=3
    ),
]
