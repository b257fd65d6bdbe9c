"""Models near the patterns of all passes, each of which a name and a number give."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import openvino as ov

from ir_plugin.tensors import Array
from tests.compiler.passes import (
    test_activation_fusion,
    test_epilogue_fusion,
    test_low_precision,
    test_normalization_fusion,
    test_pad_fusion,
    test_quantize_dequantize_fusion,
    test_rms_norm_fusion,
    test_scale_folding,
)
from tests.docs.passes import EXAMPLES
from tests.support.neighbours import Neighbour
from tests.support.passes import data, model_of


def _around(build: Any, *shape: int) -> Callable[[], ov.Model]:
    """Return a builder of a model of one input, whose result `build` computes."""
    function = build[0] if isinstance(build, tuple) and callable(build[0]) else build
    function = function[1] if isinstance(function, tuple) else function

    def model() -> ov.Model:
        x = data(*shape)
        return model_of(function(x), [x])

    return model


SEEDS: dict[str, Callable[[], ov.Model]] = {
    **EXAMPLES,
    **{f"activation, {name}": _around(item, 2, 3) for name, item in test_activation_fusion.FUSED.items()},
    **{f"epilogue, {name}": _around(item, 2, 4, 6, 6) for name, item in test_epilogue_fusion.FUSED.items()},
    **{f"integer, {name}": _around(item, 2, 6, 6, 9) for name, item in test_low_precision.LOWERED.items()},
    **{f"norm, {name}": _around(item, 2, 3, 8) for name, item in test_normalization_fusion.FUSED.items()},
    **{f"rms, {name}": _around(item, 2, 3, 8) for name, item in test_rms_norm_fusion.FUSED.items()},
    **{f"pad, {name}": _around(item, 2, 4, 9, 8) for name, item in test_pad_fusion.MERGED.items()},
    **{f"pair, {name}": _around(item, 2, 3, 8) for name, item in test_quantize_dequantize_fusion.FUSED.items()},
    **{f"scale, {name}": _around(item, 2, 4, 7, 6) for name, item in test_scale_folding.FOLDED.items()},
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
