"""Nodes of functions in another order than theirs are sorted, as those of graphs are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import ir_plugin as ov
from ir_plugin.frontends import fix_onnx


def test_nodes_of_a_function_are_sorted() -> None:
    nodes = [helper.make_node("Neg", ["c"], ["b"]), helper.make_node("Relu", ["a"], ["c"])]
    model = function_model(nodes)
    data = np.array([-1, 0, 2, 3], np.float32)
    assert ov.compile_model(ov.Core().read_model(model))([data])[0].tolist() == [0, 0, -2, -3]


def function_model(nodes: list[onnx.NodeProto]) -> onnx.ModelProto:
    """Return a model that calls a function of these nodes from a to b."""
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    function = helper.make_function("own", "F", ["a"], ["b"], nodes, imports[:1])
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in "xy")
    graph = helper.make_graph([helper.make_node("F", ["x"], ["y"], domain="own")], "g", [x], [y])
    return helper.make_model(graph, opset_imports=imports, functions=[function], ir_version=8)


@pytest.mark.parametrize(
    ("nodes", "code"),
    [
        ([("Neg", "c", "b"), ("Relu", "a", "c")], "ON203"),
        ([("Neg", "c", "b")], "ON204"),
        ([("Neg", "a", "b"), ("Relu", "a", "b")], "ON201"),
        ([("Neg", "c", "b"), ("Relu", "b", "c")], "ON205"),
    ],
)
def test_names_and_order_of_a_function_are_checked_as_onnx_checks_them(
    nodes: list[tuple[str, str, str]], code: str
) -> None:
    model = function_model([helper.make_node(op, [read], [given]) for op, read, given in nodes])
    with pytest.raises(onnx.checker.ValidationError):
        onnx.checker.check_model(model)
    findings = ov.Core().validate(model).findings
    assert code in [finding.code for finding in findings]
    assert findings[0].span.path.startswith("F")


def test_the_order_of_a_function_is_fixed(tmp_path: Path) -> None:
    nodes = [helper.make_node("Neg", ["c"], ["b"]), helper.make_node("Relu", ["a"], ["c"])]
    path = tmp_path / "model.onnx"
    onnx.save(function_model(nodes), path)
    fixed = fix_onnx(path)
    assert [node.op_type for node in onnx.ModelProto.FromString(fixed.after).functions[0].node] == ["Relu", "Neg"]
    onnx.checker.check_model(onnx.ModelProto.FromString(fixed.after))
