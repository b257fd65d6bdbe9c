"""Operations whose output shapes differ between a model that is read and its compiled model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import openvino.opset4 as op
import pytest

from ir_plugin import Core
from tests.operations.sort.non_max_suppression import TWO_BOXES, TWO_SCORES, thresholds
from tests.support.ir import BuiltIR, build
from tests.support.sample import const, param

OUTPUT = {1: {}, 3: {"output_type": "i32"}, 4: {"output_type": "i64"}}


def suppression(version: int, limit: Any) -> BuiltIR:
    inputs = [param(TWO_BOXES), param(TWO_SCORES), limit, *thresholds(0)[1:]]
    return build("NonMaxSuppression", version, inputs, OUTPUT[version], 1)


def texts(model: Any) -> list[str]:
    return [f"{port.get_element_type().to_string()}{port.get_partial_shape()}" for port in model.outputs]


@pytest.mark.parametrize("version", OUTPUT)
@pytest.mark.parametrize("limit", [const(0), const(2), const(9), param(np.int64(2))])
def test_ports_are_those_of_openvino_read_and_compiled(version: int, limit: Any) -> None:
    ir = suppression(version, limit)
    ours, theirs = Core().read_model(ir.xml, ir.weights), ov.Core().read_model(ir.xml, ir.weights)
    assert texts(ours) == texts(theirs)
    compiled = Core().compile_model(ours)
    assert texts(compiled) == texts(ov.Core().compile_model(theirs, "CPU"))
    assert texts(ours) == texts(theirs), "compiling changes the model that was read"


@pytest.mark.parametrize("version", OUTPUT)
def test_an_exported_model_has_the_ports_of_the_compiled_one(version: int) -> None:
    ir = suppression(version, const(2))
    compiled = Core().compile_model(ir.xml, weights=ir.weights)
    again = Core().import_model(compiled.export_model())
    assert texts(again) == texts(compiled)
    np.testing.assert_array_equal(again([TWO_BOXES, TWO_SCORES])[0], compiled([TWO_BOXES, TWO_SCORES])[0])


@pytest.mark.parametrize("optimize", [False, True])
def test_layers_behind_read_as_many_rows_as_are_selected(optimize: bool, tmp_path: Path) -> None:
    boxes, scores = op.parameter([2, 6, 4], np.float32), op.parameter([2, 2, 6], np.float32)
    numbers = [op.constant(value, dtype) for value, dtype in ((6, np.int64), (0.5, np.float32), (0.0, np.float32))]
    selected = op.non_max_suppression(boxes, scores, *numbers, output_type="i64")
    picked = op.gather(selected, op.constant([2]), op.constant(1))
    model = ov.Model([op.result(picked), op.result(op.relu(op.convert(selected, "f32")))], [boxes, scores])
    ov.serialize(model, tmp_path / "model.xml")
    expected = ov.Core().compile_model(model, "CPU")([TWO_BOXES, TWO_SCORES])
    compiled = Core().compile_model(tmp_path / "model.xml", {"OPTIMIZE": optimize})
    for output, array in enumerate(compiled([TWO_BOXES, TWO_SCORES]).to_tuple()):
        np.testing.assert_array_equal(array, expected[output])
