"""Models near the patterns of all passes, each of which a name and a number give."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import openvino as ov
from openvino import opset13 as ops

from ir_plugin.tensors import Array
from tests.compiler.passes import (
    test_activation_fusion,
    test_attention_fusion,
    test_epilogue_fusion,
    test_low_precision,
    test_normalization_fusion,
    test_pad_fusion,
    test_qkv_fusion,
    test_quantize_dequantize_fusion,
    test_rms_norm_fusion,
    test_scale_folding,
)
from tests.docs.passes import EXAMPLES
from tests.support.neighbours import Neighbour
from tests.support.passes import data, model_of, number
from tests.support.quantized import integer_weights, rounded


def _around(build: Any, *shapes: tuple[int, ...]) -> Callable[[], ov.Model]:
    """Return a builder of a model whose result the function in an entry of a test computes of inputs."""
    function = next(item for item in build if callable(item)) if isinstance(build, tuple) else build

    def model() -> ov.Model:
        inputs = [data(*shape) for shape in shapes]
        return model_of(function(*inputs), inputs)

    return model


def _two_ranges(x: ov.Node, other: ov.Node) -> list[ov.Node]:
    """Return a quantized convolution, and the numbers of another range."""
    ranged = ops.fake_quantize(other, number(0), number(2.55), number(0), number(2.55), 256)
    return [test_low_precision.convolved(rounded(x)), ops.relu(ranged)]


def _compressed_product(x: ov.Node) -> ov.Node:
    """Return a product with weights of bytes that are expanded to f32."""
    return ops.relu(ops.matmul(x, integer_weights([60, 80], zero=100), False, True))


_ATTENDED = ((1, 2, 3, 8), (1, 2, 5, 8), (1, 2, 5, 8))

SEEDS: dict[str, Callable[[], ov.Model]] = {
    **EXAMPLES,
    **{f"activation, {name}": _around(item, (2, 3)) for name, item in test_activation_fusion.FUSED.items()},
    **{f"attention, {name}": _around(item, *_ATTENDED) for name, item in test_attention_fusion.FUSED.items()},
    **{f"epilogue, {name}": _around(item, (2, 4, 6, 6)) for name, item in test_epilogue_fusion.FUSED.items()},
    **{f"integer, {name}": _around(item, (2, 6, 6, 9)) for name, item in test_low_precision.LOWERED.items()},
    **{f"norm, {name}": _around(item, (2, 3, 8)) for name, item in test_normalization_fusion.FUSED.items()},
    **{f"rms, {name}": _around(item, (2, 3, 8)) for name, item in test_rms_norm_fusion.FUSED.items()},
    **{f"pad, {name}": _around(item, (2, 4, 9, 8)) for name, item in test_pad_fusion.MERGED.items()},
    **{f"pair, {name}": _around(item, (2, 3, 8)) for name, item in test_quantize_dequantize_fusion.FUSED.items()},
    **{f"qkv, {name}": _around(item, (1, 5, 8)) for name, item in test_qkv_fusion.FUSED.items()},
    **{f"scale, {name}": _around(item, (2, 4, 7, 6)) for name, item in test_scale_folding.FOLDED.items()},
    "integer, two ranges": _around(_two_ranges, (1, 6, 4, 5), (1, 4, 2, 2)),
    "weights of bytes": _around(_compressed_product, (2, 80)),
}
"""The models that are changed."""


class NeighbourCase(NamedTuple):
    """A model, the inputs of its runs, and how it differs from the model of its name."""

    name: str
    model: ov.Model
    runs: list[list[Array]]
    text: str


def case_of(name: str, seed: int) -> NeighbourCase:
    """Return a model near the one of this name in `SEEDS`."""
    random = Random(f"{name} {seed}")
    neighbour = Neighbour(SEEDS[name]())
    neighbour.grow(random, random.choice([1, 2, 3, 4]))
    return NeighbourCase(
        name, neighbour.model, neighbour.runs(random), f"{name}:{seed}: {'; '.join(neighbour.changes)}"
    )
