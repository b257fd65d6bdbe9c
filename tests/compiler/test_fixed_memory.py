"""Arrays that are the same in every run: each run's numbers are its own, also behind what strides allow no view of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino
import openvino.opset13 as ops
import pytest

import ir_plugin
from tests.support.planned import PROVIDERS

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("batch", [2, 3])
@pytest.mark.parametrize("joins", ["reshape", "squeeze"])
def test_a_reshape_of_a_transposed_input_is_made_in_every_run(batch: int, joins: str, tmp_path: Path) -> None:
    x = ops.parameter([batch, 3, 4], np.float32)
    turned = ops.transpose(x, ops.constant([0, 2, 1]))
    shaped = ops.reshape(turned, ops.constant([batch, 12] if joins == "reshape" else [1, batch * 4, 3]), False)
    chosen = ops.select(ops.constant(True), shaped, ops.constant(np.float32(1)))
    outputs = [ops.topk(chosen, ops.constant(2), 1, "max", "value").output(0), ops.relu(turned).output(0)]
    outputs.append(ops.tanh(ops.squeeze(shaped, ops.constant([0])) if joins == "squeeze" else shaped).output(0))
    path = tmp_path / "m.xml"
    openvino.save_model(openvino.Model(outputs, [x]), path, compress_to_fp16=False)
    compiled = [ir_plugin.Core().compile_model(path, config={"PROVIDER": provider}) for provider in PROVIDERS]
    theirs = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    for _ in range(3):
        data = RNG.standard_normal((batch, 3, 4)).astype(np.float32)
        for model in compiled:
            for ours, their in zip(model([data]).to_dict().values(), theirs([data]).values(), strict=True):
                np.testing.assert_allclose(ours, their, rtol=1e-5, atol=1e-6)
