"""Interval values that sub-graphs carry from ShapeOf to Reshape, held against OpenVINO's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset15 as ops

from ir_plugin import Core

SHAPES = ["?,2..5,7", "1..3,2..5,7", "2,3,7", "1..,2..5,7", "0..2,4,2..", "?,?,?"]


def whole(*values: int) -> Any:
    return ops.constant(np.array(values, np.int64))


def some(shape: Any, *positions: int) -> Any:
    return ops.gather(shape, whole(*positions), ops.constant(np.int64(0)))


def joined(*parts: Any) -> Any:
    return ops.concat(list(parts), 0)


def filled(shape: Any) -> Any:
    return ops.broadcast(ops.constant(np.float32(1)), shape)


GRAPHS: dict[str, Callable[[Any, Any], Any]] = {
    "flatten": lambda data, shape: ops.reshape(data, joined(some(shape, 0), whole(-1)), False),
    "product": lambda data, shape: ops.reshape(
        data, joined(some(shape, 0), ops.reduce_prod(some(shape, 1, 2), whole(0), True)), False
    ),
    "all": lambda data, shape: ops.reshape(data, ops.reduce_prod(shape, whole(0), True), False),
    "swapped": lambda data, shape: ops.reshape(data, joined(some(shape, 1), whole(-1), some(shape, 0)), False),
    "copied": lambda data, shape: ops.reshape(data, joined(whole(0), some(shape, 1), whole(-1)), True),
    "max": lambda _, shape: filled(ops.reduce_max(shape, whole(0), True)),
    "min": lambda _, shape: filled(ops.reduce_min(shape, whole(0), True)),
    "sum": lambda _, shape: filled(ops.reduce_sum(shape, whole(0), True)),
    "mean": lambda _, shape: filled(ops.reduce_mean(shape, whole(0), True)),
    "prod": lambda _, shape: filled(ops.reduce_prod(shape, whole(0), True)),
    "scalar prod": lambda _, shape: filled(ops.unsqueeze(ops.reduce_prod(shape, whole(0), False), whole(0))),
    "squeeze": lambda _, shape: filled(ops.squeeze(ops.unsqueeze(shape, whole(0, 2)), whole(0, 2))),
    "reshaped": lambda _, shape: filled(ops.reshape(ops.reshape(shape, whole(3, 1), False), whole(-1), False)),
    "i32": lambda data, _: filled(ops.reduce_prod(ops.shape_of(data, "i32"), whole(0), True)),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", GRAPHS)
def test_intervals_as_openvino(name: str, shape: str, tmp_path: Path) -> None:
    data = ops.parameter(ov.PartialShape(shape), ov.Type.f32)
    node = GRAPHS[name](data, ops.shape_of(data))
    ov.serialize(ov.Model([node], [data]), tmp_path / "model.xml", tmp_path / "model.bin")
    report = Core().validate(tmp_path / "model.xml")
    assert report.ok, report.findings
    assert report.model is not None
    assert str(report.model.results[0].inputs[0].tensor.shape) == str(node.output(0).get_partial_shape())
