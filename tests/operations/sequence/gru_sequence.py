"""Samples of GRUSequence-5."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ir_plugin.tensors import Array
from tests.operations.sequence.gru_cell import naive as naive_cell
from tests.support.sample import ErrorSample, In, Sample, const, param


def inputs(
    lengths: Sequence[int] = (5, 5, 5), directions: int = 1, linear: bool = False, type: str = "f32",
    constant: bool = True, lengths_type: str = "i32", size: int = 2, hidden: int = 3,
) -> list[In]:  # fmt: skip
    random = np.random.default_rng(directions)
    make = const if constant else param
    batch = len(lengths)
    biases = (4 if linear else 3) * hidden
    weights = [(directions, 3 * hidden, size), (directions, 3 * hidden, hidden), (directions, biases)]
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
                h = H[b : b + 1, d]
                steps = range(int(length))
                for t in steps if direction == "forward" else reversed(steps):
                    h = naive_cell(X[b : b + 1, t], h, W[d], R[d], B[d])
                    Y[b, d, t] = Ho[b, d] = h[0]
        return [Y, Ho]

    return compute


BOTH = ("forward", "reverse")
FORWARD = {"hidden_size": 3, "direction": "forward", "activations": "sigmoid,tanh", "clip": 0}
REVERSE = FORWARD | {"direction": "reverse"}
BIDIRECTIONAL = FORWARD | {"direction": "bidirectional"}
LINEAR = {"linear_before_reset": True}


def sample(inputs: list[In], attributes: Mapping[str, object], **more: object) -> Sample:
    return Sample("GRUSequence", 5, inputs, attributes, outputs=2, **more)  # type: ignore[arg-type]


SAMPLES = [
    sample(inputs(), FORWARD, oracle=naive("forward")),
    sample(inputs(), REVERSE, oracle=naive("reverse")),
    sample(inputs(directions=2), BIDIRECTIONAL, oracle=naive(*BOTH)),
    sample(inputs((5, 3, 1), linear=True), FORWARD | LINEAR, oracle=naive("forward")),
    sample(inputs((2, 4, 1), linear=True, lengths_type="i64"), REVERSE | LINEAR, oracle=naive("reverse")),
    sample(inputs((2, 5, 0), directions=2, linear=True), BIDIRECTIONAL | LINEAR, oracle=naive(*BOTH)),
    sample(inputs((3, 1, 2), constant=False), FORWARD),
    sample(inputs(), FORWARD | {"clip": 0.4}),
    sample(inputs(), FORWARD | {"activations": "tanh,relu"}),
    sample(inputs(type="f16"), FORWARD, rtol=4e-3, atol=4e-3),
]

TEXTS = ["f32[2,5,3]", "f32[2,1,4]", "i32[2]", "f32[1,12,3]", "f32[1,12,4]", "f32[1,12]"]
FOUR = {"hidden_size": 4, "direction": "forward"}

ERRORS = [
    ErrorSample("GRUSequence", 5, list(TEXTS), FOUR | LINEAR, "B", "it must be [1,16]", outputs=2),
    ErrorSample(
        "GRUSequence", 5, [*TEXTS[:2], "i32[3]", *TEXTS[3:]], FOUR, "sequence_lengths", "batch size", outputs=2
    ),
    ErrorSample("GRUSequence", 5, list(TEXTS), {"hidden_size": 5, "direction": "forward"}, "hidden_size", outputs=2),
    ErrorSample("GRUSequence", 5, inputs((6,), constant=False), FORWARD, says="is 6", code="IR701", outputs=2),
]
