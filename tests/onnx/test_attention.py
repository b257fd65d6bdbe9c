"""ONNX's Attention with random attributes against onnxruntime, and how it is expressed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import ir_plugin as ov
from tests.onnx.runtime import assert_as_onnxruntime, single


def attention(seed: int) -> tuple[Any, dict[str, Any]]:
    """Return a model of Attention-23 with random attributes and inputs."""
    rng = np.random.default_rng(seed)
    batch, length, size, out = (int(rng.integers(1, 5)) for _ in range(4))
    past = int(rng.integers(1, 4)) if rng.random() < 0.5 else 0
    new, shared = int(rng.integers(1, 5)), int(rng.integers(1, 3))
    heads = shared * int(rng.integers(1, 3))
    is_flat = rng.random() < 0.5

    def values(count: int, steps: int, channels: int) -> Any:
        shape = (batch, steps, count * channels) if is_flat else (batch, count, steps, channels)
        return rng.standard_normal(shape).astype(np.float32)

    inputs = {"Q": values(heads, length, size), "K": values(shared, new, size), "V": values(shared, new, out)}
    kind = int(rng.integers(0, 3))
    shape = [(length, new + past), (batch, 1, length, new + past), (1, heads, length, new + past)][
        int(rng.integers(0, 3))
    ]
    truths = rng.random(shape) < 0.6
    truths[..., 0] = True
    inputs["mask"] = [None, truths, rng.standard_normal(shape).astype(np.float32)][kind]
    inputs["pk"] = rng.standard_normal((batch, shared, past, size)).astype(np.float32) if past else None
    inputs["pv"] = rng.standard_normal((batch, shared, past, out)).astype(np.float32) if past else None
    attributes: dict[str, Any] = {"q_num_heads": heads, "kv_num_heads": shared} if is_flat else {}
    if rng.random() < 0.4:
        attributes["is_causal"] = 1
    if rng.random() < 0.4:
        attributes["scale"] = 0.3
    if rng.random() < 0.3:
        attributes["softcap"] = 0.8
    outputs = ["Y", "present_key" if past else "", "present_value" if past else ""]
    if rng.random() < 0.3:
        outputs.append("scores")
        attributes["qk_matmul_output_mode"] = int(rng.choice([0, 3]))
    while not outputs[-1]:
        outputs.pop()
    return single("Attention", inputs, outputs, (), "", 23, **attributes)


@pytest.mark.parametrize("seed", range(40))
def test_as_onnxruntime(seed: int) -> None:
    assert_as_onnxruntime(*attention(seed))


def test_openvino_reads_the_attention(tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino", reason="the oracle openvino")
    values = {name: np.ones((1, 2, 3, 4), np.float32) for name in "QKV"}
    proto, feeds = single("Attention", values, 1, (), "", 23, is_causal=1)
    model = ov.Core().read_model(proto)
    assert "ScaledDotProductAttention" in {node.get_type_name() for node in model.get_ops()}
    ov.save_model(model, tmp_path / "model.xml", compress_to_fp16=False)
    theirs = openvino.Core().compile_model(tmp_path / "model.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(feeds)[0]
    np.testing.assert_allclose(ov.Core().compile_model(model)(feeds)[0], theirs, atol=1e-5)
