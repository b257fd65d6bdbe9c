"""What is known of a shape survives the operations that move it: the output shapes are those that OpenVINO infers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset8 as first
from openvino import opset15 as ops

from ir_plugin import Core
from ir_plugin.tensors import PartialShape

Build = Callable[[Any, Any], Any]


def ints(*values: int) -> Any:
    return ops.constant(np.array(values, np.int64))


def number(value: int) -> Any:
    return ops.constant(np.array(value, np.int64))


def ones(target: Any) -> Any:
    """Return an output whose shape is the values of `target`."""
    return ops.broadcast(ops.constant(np.float32(1)), target)


def strided(data: Any, begin: list[int], end: list[int], **masks: list[int]) -> Any:
    zeros = [0] * len(begin)
    all_masks = {"begin_mask": zeros, "end_mask": zeros} | masks
    return ops.strided_slice(data, ints(*begin), ints(*end), ints(*[1] * len(begin)), **all_masks)


GRAPHS: dict[str, Build] = {
    "gather": lambda _, s: ones(ops.gather(s, ints(2, 0, -1), number(0))),
    "gather scalar": lambda _, s: ones(ops.unsqueeze(ops.gather(s, number(1), number(0)), number(0))),
    "gather elements": lambda _, s: ones(ops.gather_elements(s, ints(3, 1), 0)),
    "gather nd": lambda _, s: ones(ops.gather_nd(s, ops.constant(np.array([[2], [1]], np.int64)))),
    "strided slice": lambda _, s: ones(strided(s, [1], [3])),
    "strided slice from the end": lambda _, s: ones(strided(s, [-2], [2**63 - 1])),
    "strided slice with masks": lambda _, s: ones(strided(s, [7], [3], begin_mask=[1])),
    "strided slice shrunk": lambda _, s: ones(ops.unsqueeze(strided(s, [2], [3], shrink_axis_mask=[1]), number(0))),
    "strided slice backwards": lambda _, s: ones(
        ops.strided_slice(s, ints(-1), ints(0), ints(-1), begin_mask=[0], end_mask=[0])
    ),
    "slice": lambda _, s: ones(ops.slice(s, ints(0), ints(3), ints(2))),
    "slice backwards": lambda _, s: ones(ops.slice(s, ints(3), ints(-9), ints(-1), ints(0))),
    "concat": lambda _, s: ones(ops.concat([strided(s, [0], [2]), ints(7), strided(s, [3], [4])], 0)),
    "split": lambda _, s: ones(ops.concat(ops.split(s, number(0), 2).outputs()[::-1], 0)),
    "variadic split": lambda _, s: ones(ops.variadic_split(s, number(0), ints(1, -1)).output(1)),
    "scatter update": lambda _, s: ones(ops.scatter_update(s, ints(1), ints(5), number(0))),
    "scatter elements update": lambda _, s: ones(first.scatter_elements_update(s, ints(3), ints(5), number(0))),
    "broadcast in bounds": ops.broadcast,
    "broadcast bidirectional": lambda _, s: ops.broadcast(
        ops.constant(np.ones((3, 1), np.float32)), strided(s, [1], [3]), broadcast_spec="BIDIRECTIONAL"
    ),
    "broadcast explicit": lambda _, s: ops.broadcast(
        ops.constant(np.ones(4, np.float32)), s, ints(3), broadcast_spec="EXPLICIT"
    ),
    "tile": lambda _, s: ops.tile(ops.constant(np.ones((2, 3), np.float32)), strided(s, [0], [3])),
    "pad": lambda x, s: ops.pad(x, s, ints(0, 0, 1, 2), "constant"),
    "slice of data": lambda x, s: ops.slice(x, ints(0, 0), strided(s, [1], [3]), ints(1, 1), ints(2, 3)),
    "strided slice of data": lambda x, s: ops.strided_slice(
        x, ints(0, 0), strided(s, [1], [3]), ints(1, 1), begin_mask=[0, 0], end_mask=[0, 0]
    ),
    "reshaped by a concat": lambda x, s: ops.reshape(
        x, ops.concat([ops.gather(s, ints(0), number(0)), ints(-1)], 0), special_zero=False
    ),
}

NARROWER = ("gather elements", "gather nd")
"""Operations of which OpenVINO does not follow values, not even of constants."""


@pytest.mark.parametrize("shape", ["2,3,5,4", "?,3,?,4", "1..3,3,2..,4", "2,..8,1..5,4", "?,?,?,?", "..."])
@pytest.mark.parametrize("name", GRAPHS)
def test_infers_as_openvino(name: str, shape: str, tmp_path: Path) -> None:
    data = ops.parameter(ov.PartialShape(shape), ov.Type.f32)
    model = ov.Model([GRAPHS[name](data, ops.shape_of(data))], [data])
    ov.serialize(model, tmp_path / "graph.xml")
    report = Core().validate(tmp_path / "graph.xml")
    assert report.ok, [finding.message for finding in report.findings]
    assert report.model is not None
    inferred = report.model.results[0].inputs[0].tensor
    assert inferred is not None
    expected = str(model.outputs[0].get_partial_shape())
    if name in NARROWER:
        assert inferred.shape.refines(PartialShape(expected))
    else:
        assert str(inferred.shape) == expected
