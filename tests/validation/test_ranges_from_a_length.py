"""Ranges that count from a length on, as decoders number the positions after their cache."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.tensors import PartialShape, TensorInfo
from ir_plugin.validation.inference import RunInference


def length_of(value: Any) -> Any:
    return ops.gather(ops.shape_of(value), ops.constant(np.int64(0)), ops.constant(np.int64(0)))


def numbered(start: Any, stop: Any, step: int = 1, kind: Any = np.int64) -> Any:
    return ops.range(start, stop, ops.constant(np.array(step, kind)), kind)


def inferred(result: Any, *parameters: tuple[Any, list[int]]) -> PartialShape:
    """Return the shape of a value in a run whose parameters have these shapes; -1 is a length that is left open."""
    nodes = [node for node, _ in parameters]
    model = ov.Model([result], nodes, "case")
    shapes = {node.get_friendly_name(): shape for node, shape in parameters}
    inference = RunInference()
    inference.run(
        model, {node: TensorInfo(node.outputs[0].element_type, shapes[node.name]) for node in model.parameters}
    )
    return inference.results_of(model)[0].shape


def cache() -> tuple[Any, Any]:
    return ops.parameter([-1, 4], np.float32), ops.parameter([-1, 4], np.float32)


@pytest.mark.parametrize(("step", "count"), [(1, 3), (2, 2), (5, 1), (-1, 0)])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_range_from_a_length_has_as_many_numbers_as_are_added(step: int, count: int, swapped: bool) -> None:
    past, new = cache()
    before, added = length_of(past), length_of(new)
    stop = ops.add(added, before) if swapped else ops.add(before, added)
    result = numbered(before, stop, step)
    assert inferred(result, (past, [-1, 4]), (new, [3, 4])) == PartialShape([count])
    request = ov.Core().compile_model(ov.Model([result], [past, new], "case"), "CPU").create_infer_request()
    got = request.infer([np.zeros((5, 4), np.float32), np.zeros((3, 4), np.float32)])[0]
    np.testing.assert_array_equal(got, np.arange(5, 8, step))


def test_others_stay_open() -> None:
    past, new = cache()
    scalar, other = ops.parameter([], np.int64), ops.parameter([], np.float32)
    three = ops.constant(np.int64(3))
    for result, *parameters in (
        (numbered(scalar, ops.add(scalar, three)), (scalar, [])),  # the sum may overflow
        (numbered(other, ops.add(other, ops.constant(np.float32(3))), 1, np.float32), (other, [])),  # or be rounded
        (numbered(length_of(past), ops.add(length_of(past), length_of(new))), (past, [-1, 4]), (new, [-1, 4])),
        (numbered(length_of(past), ops.multiply(length_of(new), three)), (past, [-1, 4]), (new, [3, 4])),
    ):
        assert inferred(result, *parameters) == PartialShape([-1])
