"""Layers that select other elements of equal value are ties in a comparison, not culprits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import ir_plugin
from ir_plugin import opset13 as ops
from ir_plugin.cli.app import app
from ir_plugin.report.store import save_arrays
from ir_plugin.tensors import Array

X = np.array([[1, 5, 5, 2, 0, 5, 3, 3]], np.float32)


def _routed() -> Any:
    """The indices of the four largest numbers, the rows of a table that they select, and a product of these."""
    x = ops.parameter([1, 8], np.float32, name="x")
    top = ops.topk(x, np.int64(4), 1, "max", "value", name="top")
    table = ops.constant(np.random.default_rng(0).standard_normal((8, 3)).astype(np.float32), name="table")
    rows = ops.gather(table, top.output(1), np.int64(0), name="rows")
    weight = ops.constant(np.eye(3, dtype=np.float32) * 2, name="weight")
    product = ops.matmul(rows, weight, False, False, name="product")
    return ir_plugin.Model([ops.result(product), ops.result(top.output(0))], [x], "routed")


def _run(model: Any, inputs: list[Array], replaced: dict[str, Array]) -> dict[str, Array]:
    """Return the outputs of all layers of a run in which outputs of layers are replaced."""
    request = ir_plugin.compile_model(model).create_infer_request()
    arrays = {
        port.any_name if port.names else port.node.name: array for port, array in zip(model.inputs, inputs, strict=True)
    }
    for layer, _, outputs in request.steps(inputs):
        for index, array in enumerate(outputs):
            key = layer.name if len(outputs) == 1 else f"{layer.name}:{index}"
            outputs[index] = replaced.get(key, array)
            arrays[key] = outputs[index]
    return arrays


def test_a_tie_of_top_k_and_what_inherits_it() -> None:
    model = _routed()
    other = np.array([[5, 1, 2, 7]])
    comparison = ir_plugin.compare(model, _run(model, [X], {"top:1": other}), [X])
    assert comparison.agrees
    assert not comparison.culprits
    assert [output.label for output in comparison.ties] == ["top:1", "rows", "product"]
    text = str(comparison)
    assert 'a tie, no fault: "top" selects other elements of equal value; 2 downstream inherit that' in text
    assert "CULPRIT" not in text
    document = json.loads(comparison.to_json())
    assert document["ties"] == ["top:1", "rows", "product"]
    assert document["agrees"] is True


def test_a_view_in_a_plan_reads_the_indices_of_the_reference() -> None:
    x = ops.parameter([1, 8], np.float32, name="x")
    top = ops.topk(x, np.int64(4), 1, "max", "value", name="top")
    column = ops.unsqueeze(top.output(1), np.int64(2), name="column")
    weight = ops.constant(np.eye(8, 16, dtype=np.float32), name="weight")
    product = ops.matmul(ops.relu(x), weight, False, False, name="product")
    rows = ops.gather_elements(ops.unsqueeze(product, np.int64(2)), column, 1, name="rows")
    model = ir_plugin.Model([ops.result(rows), ops.result(column)], [x], "viewed")
    reference = _run(model, [X], {"top:1": np.array([[5, 1, 2, 7]])})
    comparison = ir_plugin.compare(model, reference, [X], fed=True, planned=True)
    assert comparison.agrees
    assert [output.label for output in comparison.ties] == ["top:1"]


@pytest.mark.parametrize("other", [[[5, 1, 2, 3]], [[5, 1, 1, 7]], [[5, 1, 2, 8]], [[1, 2, 5, -1]]])
def test_other_elements_of_another_value_are_no_tie(other: list[list[int]]) -> None:
    model = _routed()
    values = _run(model, [X], {"top:1": np.array([[1, 2, 5, 6]])}) | {"top:1": np.array(other)}
    comparison = ir_plugin.compare(model, values, [X])
    assert not comparison.agrees
    assert comparison.culprits[0].label == "top:1"


def test_a_culprit_behind_a_tie() -> None:
    model = _routed()
    values = _run(model, [X], {"top:1": np.array([[2, 1, 5, 7]])})
    values["product"] = values["product"] + 1
    comparison = ir_plugin.compare(model, values, [X])
    assert [output.label for output in comparison.culprits] == ["product"]
    assert [output.label for output in comparison.ties] == ["top:1", "rows"]
    assert "CULPRIT" in str(comparison)


def test_nearly_equal_values_that_change_places() -> None:
    """The inputs agree within the tolerance, and so do the values that are selected."""
    model = _routed()
    near = X.copy()
    near[0, 5] += 1e-5
    comparison = ir_plugin.compare(model, {**_run(model, [near], {}), "x": near}, [X])
    assert comparison.agrees
    assert [output.label for output in comparison.ties] == ["top:1", "rows", "product"]


def test_without_order_any_permutation_is_a_tie() -> None:
    x = ops.parameter([1, 8], np.float32, name="x")
    top = ops.topk(x, np.int64(3), 1, "min", "none", name="top")
    model = ir_plugin.Model([ops.result(top.output(0)), ops.result(top.output(1))], [x], "m")
    array = np.arange(8, dtype=np.float32)[None]
    values = {"top:0": np.array([[2, 0, 1]], np.float32), "top:1": np.array([[2, 0, 1]])}
    comparison = ir_plugin.compare(model, values, [array])
    assert [output.label for output in comparison.ties] == ["top", "top:1"]
    assert comparison.agrees


def _suppressed() -> Any:
    boxes, scores = (
        ops.parameter([1, 4, 4], np.float32, name="boxes"),
        ops.parameter([1, 1, 4], np.float32, name="scores"),
    )
    limits = ops.constant(np.int64(3)), ops.constant(np.float32(0.5)), ops.constant(np.float32(0.1))
    nms = ops.non_max_suppression(boxes, scores, *limits, name="nms")
    return ir_plugin.Model([ops.result(nms.output(index)) for index in range(3)], [boxes, scores], "m")


def test_equal_scores_of_boxes() -> None:
    model = _suppressed()
    boxes = np.array([[[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5], [6, 6, 7, 7]]], np.float32)
    inputs = [boxes, np.array([[[0.5, 0.9, 0.9, 0.9]]], np.float32)]
    swapped = np.array([[0, 0, 3], [0, 0, 2], [0, 0, 1]])
    comparison = ir_plugin.compare(model, _run(model, inputs, {"nms:0": swapped}), inputs)
    assert [output.label for output in comparison.ties] == ["nms"]
    assert comparison.agrees
    wrong = np.array([[0, 0, 3], [0, 0, 2], [0, 0, 0]])
    assert not ir_plugin.compare(model, _run(model, inputs, {"nms:0": wrong}), inputs).agrees


def test_equal_elements_of_unique() -> None:
    x = ops.parameter([6], np.float32, name="x")
    unique = ir_plugin.opset10.unique(x, None, True, "i64", "i64", name="unique")
    model = ir_plugin.Model([ops.result(unique.output(index)) for index in range(3)], [x], "m")
    inputs = [np.array([3, 1, 3, 2, 1, 1], np.float32)]
    comparison = ir_plugin.compare(model, _run(model, inputs, {"unique:1": np.array([4, 3, 2])}), inputs)
    assert [output.label for output in comparison.ties] == ["unique:1"]
    assert not ir_plugin.compare(model, _run(model, inputs, {"unique:1": np.array([4, 3, 1])}), inputs).agrees


def test_rows_of_detections() -> None:
    boxes, scores = (
        ops.parameter([1, 3, 4], np.float32, name="boxes"),
        ops.parameter([1, 2, 3], np.float32, name="scores"),
    )
    nms = ops.matrix_nms(
        boxes, scores, sort_result_type="score", background_class=-1, keep_top_k=-1, nms_top_k=-1, name="nms"
    )
    model = ir_plugin.Model([ops.result(nms.output(0))], [boxes, scores], "m")
    corners = np.array([[[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5]]], np.float32)
    inputs = [corners, np.array([[[0.8, 0.8, 0.1], [0.8, 0.2, 0.3]]], np.float32)]
    rows = _run(model, inputs, {})["nms:0"]
    swapped = rows[[2, 1, 0, *range(3, len(rows))]]
    assert ir_plugin.compare(model, {"nms:0": swapped}, inputs).ties
    moved = rows.copy()
    moved[0, 2] += 1
    assert not ir_plugin.compare(model, {"nms:0": moved}, inputs).agrees


def test_the_command_exits_with_0(tmp_path: Path) -> None:
    model = _routed()
    ir_plugin.save_model(model, tmp_path / "m.xml", compress_to_fp16=False)
    save_arrays(tmp_path / "run.npz", _run(model, [X], {"top:1": np.array([[5, 1, 2, 7]])}))
    call = ["compare", str(tmp_path / "m.xml"), "--with", str(tmp_path / "run.npz")]
    done = CliRunner().invoke(app, call, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert [line.split()[:2] for line in done.output.splitlines() if line.startswith("tie")] == [
        ["tie", "top:1"], ["tie", "rows"], ["tie", "product"],
    ]  # fmt: skip
    assert "all 4 outputs of layers agree" in done.output
    planned = CliRunner().invoke(app, [*call, "--planned"], catch_exceptions=False)
    assert planned.exit_code == 0, planned.output
    assert "tie  " in planned.output
