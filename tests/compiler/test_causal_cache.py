"""Causal attention to a cache: positions count from the first key, as on the page; OpenVINO's CPU counts the cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino
import openvino.opset13 as ops
from openvino.op.util import Variable, VariableInfo

import ir_plugin as ov


def written(path: Path) -> None:
    """Write causal attention to keys and values that a state collects."""
    query, key, value = (ops.parameter([1, 1, -1, 4], np.float32) for _ in range(3))
    beams = ops.parameter([-1], np.int32)
    sinks, caches = [], []
    for name, added in (("key", key), ("value", value)):
        info = VariableInfo()
        info.data_shape, info.data_type, info.variable_id = (
            openvino.PartialShape([-1, 1, -1, 4]),
            openvino.Type.f32,
            name,
        )
        variable = Variable(info)
        past = ops.read_value(ops.constant(np.zeros((1, 1, 0, 4), np.float32)), variable)
        chosen = ops.gather(past, beams, ops.constant(np.int64(0)))
        caches.append(ops.concat([chosen, added], 2))
        sinks.append(ops.assign(caches[-1], variable))
    result = ops.scaled_dot_product_attention(query, *caches, causal=True)
    model = openvino.Model([result.output(0)], sinks, [query, key, value, beams], "attention")
    openvino.save_model(model, path, compress_to_fp16=False)


def test_a_query_after_a_cache_sees_the_first_key_only(tmp_path: Path) -> None:
    path, rng = tmp_path / "attention.xml", np.random.default_rng(1)
    written(path)
    steps = [[rng.standard_normal((1, 1, length, 4)).astype(np.float32) for _ in range(3)] for length in (3, 1)]
    beams = np.zeros(1, np.int32)
    for optimize in (True, False):
        request: Any = ov.Core().compile_model(path, "CPU", {"OPTIMIZE": optimize}).create_infer_request()
        request.infer([*steps[0], beams])
        last = request.infer([*steps[1], beams])[0]
        np.testing.assert_allclose(last[0, 0, 0], steps[0][2][0, 0, 0], rtol=1e-5)
    theirs: Any = openvino.Core().compile_model(path, "CPU").create_infer_request()
    theirs.infer([*steps[0], beams])
    assert not np.allclose(theirs.infer([*steps[1], beams])[0][0, 0, 0], steps[0][2][0, 0, 0], atol=1e-2)
