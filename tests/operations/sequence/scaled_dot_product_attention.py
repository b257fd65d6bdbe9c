"""Samples of ScaledDotProductAttention-13."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param


def random(*shape: int, type: str = "f32") -> In:
    return param(np.random.default_rng(sum(shape)).standard_normal(shape), type)


def inputs(
    batch: Sequence[int] = (2, 4), L: int = 5, S: int = 6, E: int = 8, Ev: int = 7, type: str = "f32"
) -> list[In]:
    return [random(*batch, *tail, type=type) for tail in ((L, E), (S, E), (S, Ev))]


def naive(causal: bool = False) -> Callable[..., Array]:
    """Return the attention, one row of one matrix after the other, in f64."""

    def compute(
        q: Array, k: Array, v: Array, mask: Array | None = None, scale: Array | None = None, sink: Array | None = None
    ) -> Array:
        batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
        L, S, Ev = q.shape[-2], k.shape[-2], v.shape[-1]
        q, k, v = (np.broadcast_to(a, batch + a.shape[-2:]).astype(np.float64) for a in (q, k, v))
        factor = q.shape[-1] ** -0.5 if scale is None else float(scale.reshape(()))
        bias = np.zeros((*batch, L, S)) if mask is None else np.broadcast_to(mask, (*batch, L, S))
        out = np.zeros((*batch, L, Ev))
        for position in np.ndindex(*batch, L):
            row = np.array([factor * (q[position] @ k[position[:-1]][s]) for s in range(S)])
            if causal:
                row[position[-1] + 1 :] = -np.inf
            else:
                row = np.where(bias[position], row, -np.inf) if bias.dtype == np.bool_ else row + bias[position]
            weights = np.exp(row)
            extra = 0 if sink is None else np.exp(np.broadcast_to(sink, (*batch, L, 1)).astype(np.float64)[position][0])
            with np.errstate(invalid="ignore"):
                out[position] = weights / (weights.sum() + extra) @ v[position[:-1]]
        return out.astype(np.float32)

    return compute


PLAIN, CAUSAL = {"causal": False}, {"causal": True}


def sample(inputs: Sequence[In | None], attributes: Mapping[str, object] = PLAIN, **more: object) -> Sample:
    oracle = naive(bool(attributes["causal"]))
    return Sample("ScaledDotProductAttention", 13, inputs, attributes, oracle=oracle, **more)  # type: ignore[arg-type]


allowed = np.random.default_rng(3).random((2, 4, 5, 6)) > 0.4
allowed[..., 0] = True
nothing = allowed.copy()
nothing[0, 0, 0] = False
ZERO, SCALE = const(0.0), const(0.3)

SAMPLES = [
    sample(inputs()),
    sample(inputs(), CAUSAL),
    sample(inputs((3,), 6, 4), CAUSAL, name="causal with more queries than keys"),
    sample(inputs((2, 1, 3))),
    sample([*inputs(), random(5, 6)]),
    sample([*inputs(), random(2, 4, 5, 6)]),
    sample([*inputs(), random(2, 1, 1, 6)]),
    sample([*inputs(), random(2, 1, 5, 1)]),
    sample([*inputs(), param(allowed)]),
    sample([*inputs(), param(allowed[0, :1, :1])]),
    sample([*inputs(), param(nothing)], name="a row without any position"),
    sample([*inputs(), random(5, 6)], CAUSAL, name="the mask is ignored"),
    sample([*inputs(), ZERO]),
    sample([*inputs(), random(5, 6), SCALE]),
    sample([*inputs(), ZERO, param([0.3], "f32")]),
    sample([*inputs(), ZERO, param(-2.0)], CAUSAL),
    sample([*inputs(), random(5, 6), SCALE, random(1, 4, 1, 1)]),
    sample([*inputs(), ZERO, SCALE, random(2, 4, 5, 1)], CAUSAL),
    sample([random(2, 4, 5, 8), random(2, 1, 6, 8), random(1, 4, 6, 7)]),
    sample([random(1, 5, 8), random(2, 4, 6, 8), random(2, 4, 6, 7)], openvino="the CPU wants equal ranks"),
    sample(inputs(type="f16"), rtol=2e-3, atol=2e-3),
    sample([*inputs(type="f16"), random(5, 6, type="f16")], rtol=2e-3, atol=2e-3),
    sample(
        [*inputs(), random(5, 6)], name="merged",
        shapes=[
            ("2,?,?,8", "?,4,?,8", "2,?,6,?", "?,?"),
            ("1..4,?,5,8", "2..6,?,6,8", "?,?,6,7", "5,6"),
            ("2,4,?,8", "2,4,?,8", "2,4,?,7", "5,6"),
            ("2,4,5,8", "...", "2,4,6,7", "..."),
            ("2,4,5,8", "2,4,6,8", "...", "1,?"),
        ],
    ),
]  # fmt: skip

TEXTS = ["f32[2,4,5,8]", "f32[2,4,6,8]", "f32[2,4,6,7]"]


def refused(*texts: str, part: str, says: str, start: int = 0, causal: bool = False) -> ErrorSample:
    inputs = [*TEXTS[:start], *texts, *TEXTS[start + len(texts) :]]
    return ErrorSample("ScaledDotProductAttention", 13, inputs, {"causal": causal}, part, says)


ERRORS = [
    refused("f32[5,8]", "f32[6,8]", "f32[6,7]", part="query", says="3 or more"),
    refused("f32[2,4,6,9]", start=1, part="key", says="the last dimension of key is 9"),
    refused("f32[2,4,5,7]", start=2, part="value", says="dimension -2 of value is 5"),
    refused("f32[2,3,6,8]", start=1, part="key", says="cannot be broadcast"),
    refused("f16[2,4,5,8]", part="input 1", says="f16"),
    refused("i32[2,4,5,8]", "i32[2,4,6,8]", "i32[2,4,6,7]", part="query", says="floating-point"),
    refused("f32[6]", start=3, part="attention_mask", says="2 or more"),
    refused("f32[5,7]", start=3, part="attention_mask", says="7"),
    refused("f32[3,5,6]", start=3, part="attention_mask", says="[3,5,6]"),
    refused("f16[5,6]", start=3, part="attention_mask", says="f16"),
    refused("i32[5,6]", start=3, part="attention_mask", says="i32"),
    refused("f32[5,6]", "f32[2]", start=3, part="scale", says="[2]"),
    refused("f32[5,6]", "f32[1,1]", start=3, part="scale", says="[1,1]"),
    refused("f32[5,6]", "f16[]", start=3, part="scale", says="f16"),
    refused("f32[5,6]", "f32[]", "f32[4]", start=3, part="sink", says="[4]"),
    refused("f32[5,6]", "f32[]", "f32[1,3,1,1]", start=3, part="sink", says="[1,3,1,1]"),
    refused("f32[5,6]", "f32[]", "f16[1,4,1,1]", start=3, part="sink", says="f16"),
]
