"""Models of which one weight is changed."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np

import ir_plugin

SAMPLES = Path(__file__).parents[2] / "samples"
DIGITS = SAMPLES / "digits" / "digits.xml"
WIDTH, LENGTH, HEADS = 16, 6, 4


def change_weight(model: Path, constant: str, element: int, by: float, out: Path) -> Path:
    """Write a copy of a model with one element of one f32 constant changed."""
    read = ir_plugin.read_model(model)
    node = next(node for node in read.get_ordered_ops() if node.name == constant)
    weights = bytearray(model.with_suffix(".bin").read_bytes())
    array = np.frombuffer(weights, np.float32, 1, int(node.attributes["offset"]) + 4 * element)
    array += np.float32(by)
    copyfile(model, out)
    out.with_suffix(".bin").write_bytes(bytes(weights))
    return out


def transformer(out: Path) -> Path:
    """Write a transformer's block, made by OpenVINO: attention with several heads, GELU, layer normalization."""
    import openvino as ov
    from openvino import opset13 as op

    rng = np.random.default_rng(1)

    def weight(name: str, *shape: int) -> Any:
        values = (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)
        return op.constant(values, name=name)

    def dense(data: Any, name: str, *shape: int) -> Any:
        return op.matmul(data, weight(f"{name}/weight", *shape), False, False, name=name)

    def heads(data: Any, name: str) -> Any:
        split = op.reshape(data, np.array([0, LENGTH, HEADS, WIDTH // HEADS]), True)
        return op.transpose(split, np.array([0, 2, 1, 3]), name=name)

    def norm(data: Any, name: str) -> Any:
        return op.mvn(data, np.array([-1]), True, 1e-5, "inside_sqrt", name=name)

    tokens = op.parameter([1, LENGTH, WIDTH], np.float32, name="tokens")
    query, key, value = (
        heads(dense(tokens, name, WIDTH, WIDTH), f"{name}/heads") for name in ("query", "key", "value")
    )
    scores = op.matmul(query, key, False, True, name="scores")
    mixed = op.matmul(op.softmax(scores, -1, name="attention"), value, False, False, name="mixed")
    merged = op.reshape(op.transpose(mixed, np.array([0, 2, 1, 3])), np.array([0, LENGTH, WIDTH]), True, name="merged")
    first = norm(op.add(tokens, dense(merged, "projection", WIDTH, WIDTH), name="residual"), "norm")
    wide = op.gelu(dense(first, "wide", WIDTH, 4 * WIDTH), "erf", name="gelu")
    last = norm(op.add(first, dense(wide, "narrow", 4 * WIDTH, WIDTH), name="residual2"), "norm2")
    model = ov.Model([op.result(last, name="out")], [tokens], "transformer")
    ov.serialize(model, out, out.with_suffix(".bin"))
    return out
