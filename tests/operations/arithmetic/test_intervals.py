"""Intervals of values through shape sub-graphs: ShapeOf, an operation, and Broadcast, against OpenVINO."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import openvino.opset16 as ops
import pytest

from ir_plugin import Core

SHAPES = ["?,2..5", "2..5,7", "3,7", "0..3,4", "?,?", "1..,..6"]


def whole(value: Any, type: str = "i64") -> Any:
    return ops.constant(np.array(value, type.replace("i", "int")))


def through(type: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda shape: ops.convert(function(ops.convert(shape, type)), "i64")


def real(value: float) -> Any:
    return ops.constant(np.float32(value))


GRAPHS: dict[str, Callable[[Any], Any]] = {
    "Add": lambda shape: ops.add(shape, whole(1)),
    "Add both": lambda shape: ops.add(shape, shape),
    "Subtract from": lambda shape: ops.subtract(whole(12), shape),
    "Multiply": lambda shape: ops.multiply(shape, whole([2, 3])),
    "Multiply by 0": lambda shape: ops.multiply(shape, whole(0)),
    "Divide": lambda shape: ops.divide(shape, whole(2)),
    "Divide by it": lambda shape: ops.divide(whole(12), shape),
    "Mod": lambda shape: ops.mod(shape, whole(4)),
    "Maximum": lambda shape: ops.maximum(shape, whole(3)),
    "Minimum": lambda shape: ops.minimum(shape, whole(3)),
    "Power": lambda shape: ops.power(shape, whole(2)),
    "Power of 2": lambda shape: ops.power(whole(2), shape),
    "Abs": ops.abs,
    "Clamp": lambda shape: ops.clamp(shape, 2, 4),
    "i32": through("i32", lambda shape: ops.subtract(whole(12, "i32"), shape)),
    "u8": through("u8", lambda shape: shape),
    "f16": through("f16", lambda shape: shape),
    "Multiply f32": through("f32", lambda shape: ops.multiply(shape, real(1.5))),
    "Divide f32": through("f32", lambda shape: ops.divide(shape, real(2))),
    "Power f32": through("f32", lambda shape: ops.power(shape, real(2))),
    "Floor": through("f32", lambda shape: ops.floor(ops.multiply(shape, real(1.5)))),
    "Ceiling": through("f32", lambda shape: ops.ceiling(ops.multiply(shape, real(0.3)))),
    "Sqrt": through("f32", ops.sqrt),
    "Equal": lambda shape: ops.select(ops.equal(shape, whole(-1)), whole(3), shape),
    "Equal as number": lambda shape: ops.add(ops.convert(ops.equal(shape, whole(3)), "i64"), whole(1)),
    "LogicalNot": lambda shape: ops.select(ops.logical_not(ops.equal(shape, whole(-1))), shape, whole(3)),
    "Greater": lambda shape: ops.select(ops.greater(shape, whole(100)), whole([3, 3]), shape),
    "Select": lambda shape: ops.select(ops.constant(np.array([True, False])), shape, whole([8, 9])),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", GRAPHS)
def test_intervals_are_those_of_openvino(name: str, shape: str, tmp_path: Path) -> None:
    data = ops.parameter(ov.PartialShape(f"[{shape}]"), ov.Type.f32)
    target = ops.broadcast(real(0), GRAPHS[name](ops.shape_of(data, "i64")))
    ov.save_model(ov.Model([target], [data]), tmp_path / "model.xml", compress_to_fp16=False)
    expected = ov.Core().read_model(tmp_path / "model.xml").outputs[0].get_partial_shape()
    report = Core().validate(tmp_path / "model.xml")
    assert report.ok
    assert report.model is not None
    inferred = report.model.results[0].inputs[0].tensor
    assert inferred is not None
    assert str(inferred.shape) == str(expected)


def test_the_interval_of_a_remainder_holds_all_of_them(tmp_path: Path) -> None:
    """OpenVINO infers [2, 1], as 2 is what both 2 and 5 leave of division by 3."""
    data = ops.parameter(ov.PartialShape("[2..5,7]"), ov.Type.f32)
    target = ops.broadcast(real(0), ops.floor_mod(ops.shape_of(data, "i64"), whole(3)))
    ov.save_model(ov.Model([target], [data]), tmp_path / "model.xml", compress_to_fp16=False)
    report = Core().validate(tmp_path / "model.xml")
    assert report.model is not None
    inferred = report.model.results[0].inputs[0].tensor
    assert inferred is not None
    assert str(inferred.shape) == "[..2,1]"
