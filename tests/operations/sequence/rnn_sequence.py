"""Samples of RNNSequence-5."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param


def inputs(
    lengths: Sequence[int] = (5, 5, 5), directions: int = 1, type: str = "f32", constant: bool = True,
    lengths_type: str = "i32", size: int = 2, hidden: int = 3,
) -> list[In]:  # fmt: skip
    random = np.random.default_rng(directions)
    make = const if constant else param
    batch = len(lengths)
    weights = [(directions, hidden, size), (directions, hidden, hidden), (directions, hidden)]
    return [
        *(param(random.standard_normal(shape), type) for shape in [(batch, 5, size), (batch, directions, hidden)]),
        make(lengths, lengths_type),
        *(make(random.standard_normal(shape), type) for shape in weights),
    ]


def naive(*directions: str) -> Callable[..., list[Array]]:
    """Return the sequence computed one batch and one step after the other."""

    def compute(X: Array, H: Array, lengths: Array, W: Array, R: Array, B: Array) -> list[Array]:
        Y = np.zeros((X.shape[0], len(directions), X.shape[1], H.shape[2]), X.dtype)
        Ho = np.zeros_like(H)
        for b, length in enumerate(lengths):
            for d, direction in enumerate(directions):
                h = H[b, d]
                steps = range(int(length))
                for t in steps if direction == "forward" else reversed(steps):
                    h = np.tanh(W[d] @ X[b, t] + R[d] @ h + B[d])
                    Y[b, d, t] = Ho[b, d] = h
        return [Y, Ho]

    return compute


FORWARD = {"hidden_size": 3, "direction": "forward", "activations": "tanh", "clip": 0}
REVERSE = FORWARD | {"direction": "reverse"}
BIDIRECTIONAL = FORWARD | {"direction": "bidirectional"}


def sample(inputs: list[In], attributes: Mapping[str, object], **more: object) -> Sample:
    return Sample("RNNSequence", 5, inputs, attributes, outputs=2, **more)  # type: ignore[arg-type]


SAMPLES = [
    sample(inputs(), FORWARD, oracle=naive("forward")),
    sample(inputs(), REVERSE, oracle=naive("reverse")),
    sample(inputs((5, 2, 3), directions=2), BIDIRECTIONAL, oracle=naive("forward", "reverse")),
    sample(inputs((5, 0, 1), lengths_type="i64"), FORWARD, oracle=naive("forward")),
    sample(inputs((3, 1, 2), constant=False), REVERSE),
    sample(inputs(), FORWARD | {"clip": 0.4, "activations": "relu"}),
    sample(inputs(type="f16"), FORWARD, rtol=4e-3, atol=4e-3),
]

TEXTS = ["f32[2,5,3]", "f32[2,1,4]", "i32[2]", "f32[1,4,3]", "f32[1,4,4]", "f32[1,4]"]
FOUR = {"hidden_size": 4, "direction": "forward"}

ERRORS = [
    ErrorSample("RNNSequence", 5, [*TEXTS[:5], "f32[1,8]"], FOUR, "B", "it must be [1,4]", outputs=2),
    ErrorSample(
        "RNNSequence", 5, list(TEXTS), FOUR | {"direction": "bidirectional"}, "initial_hidden_state", outputs=2
    ),
]
