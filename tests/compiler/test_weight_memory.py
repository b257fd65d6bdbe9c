"""Plans of a model for other batches share its packed and transformed weights."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin.compiler import weight_cache
from ir_plugin.tensors import Array
from tests.support.passes import compiled
from tests.support.planned import PROVIDERS

RNG = np.random.default_rng(5)


def network() -> ov.Model:
    """Return 3x3, 1x1 and grouped convolutions with a bias."""
    x = ops.parameter([-1, 512, 7, 7], np.float32)
    y = x
    for shape in ((512, 512, 3, 3), (128, 512, 1, 1), (4, 32, 32, 3, 3)):
        weights = ops.constant(RNG.standard_normal(shape, np.float32) / 30)
        pads = [shape[-1] // 2] * 2
        convolve = ops.group_convolution if len(shape) == 5 else ops.convolution
        y = convolve(y, weights, [1, 1], pads, pads, [1, 1])
        channels = int(np.prod(shape[:-3]))
        y = ops.relu(ops.add(y, ops.constant(RNG.random((1, channels, 1, 1), np.float32))))
    return ov.Model([ops.result(y)], [x])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_another_batch_keeps_no_more_weights(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[weakref.ref[Array]] = []

    class Counted(weight_cache._Entry):
        def __init__(self, derived: Sequence[Array], sources: Sequence[Array]) -> None:
            made.extend(map(weakref.ref, derived))
            super().__init__(derived, sources)

    monkeypatch.setattr(weight_cache, "_Entry", Counted)
    model = network()
    engine = compiled(model, PROVIDER=provider)
    reference = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    living = []
    for batch in (1, 4, 3):
        image = RNG.standard_normal((batch, 512, 7, 7), np.float32)
        np.testing.assert_allclose(engine([image])[0], reference([image])[0], rtol=1e-3, atol=1e-4)
        gc.collect()
        living.append(sum(array() is not None for array in made))
    assert living[0] >= living[1] == living[2] > 2
