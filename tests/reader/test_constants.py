"""Constants: every element type as OpenVINO writes it, and every way to give the weights."""

from __future__ import annotations

import io
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.model import Node
from ir_plugin.tensors import Array, ElementType
from tests.hostile.bases import conv, edge, layer, net, port

WRITTEN = [found for found in ElementType.all if found.is_static and found is not ElementType.string]


def constants(model: Any) -> list[Node]:
    return [node for node in model.nodes if node.type == "Const"]


def values(node: Node) -> Array:
    return np.asarray(node.operation.evaluate())


def raw_of(type: ElementType, count: int) -> bytes:
    chance = np.random.default_rng(7)
    return chance.integers(0, 256, -(-count * max(type.bits, 1) // 8) + 3, np.uint8).tobytes()


@pytest.mark.parametrize("type", WRITTEN, ids=lambda type: type.name)
@pytest.mark.parametrize("count", [1, 5, 8, 13])
def test_every_element_type_as_openvino_writes_it(type: ElementType, count: int, tmp_path: Path) -> None:
    kind = getattr(ov.Type, type.name)
    numbers = (np.arange(count) * 7 % 2 if type.bits == 1 else np.arange(count) % min(2 ** (type.bits - 1), 8)).astype(
        np.float32
    )
    constant = ops.constant(numbers, dtype=kind)
    ov.serialize(ov.Model([ops.result(constant)], [], "model"), tmp_path / "model.xml")
    model = Core().read_model(tmp_path / "model.xml")
    found = values(constants(model)[0])
    assert found.dtype == type.dtype
    expected = numbers.astype(bool) if type.name == "boolean" else numbers
    if type.name == "nf4":
        expected = np.asarray(ov.Core().compile_model(_as_f32(constant), "CPU")([])[0])
    if type.name == "f8e8m0":
        expected = np.where(numbers > 0, 2.0 ** np.round(np.log2(np.maximum(numbers, 1))), 2.0**-127)
    if type.name == "f8e8m0" or type.name == "f4e2m1":
        expected = np.asarray(constant.data, np.float32) if type.name == "f8e8m0" else expected
        if type.name == "f4e2m1":
            expected = np.asarray([0, 1, 2, 3, 4, 4, 6, 6], np.float32)[np.arange(count) % 8]
            found = found[: len(expected)]
    np.testing.assert_array_equal(np.asarray(found, np.float32).reshape(-1)[:5], np.float32(expected).reshape(-1)[:5])


def _as_f32(constant: Any) -> ov.Model:
    return ov.Model([ops.result(ops.convert(constant, "f32"))], [], "model")
