"""Nodes of functions in another order than theirs are sorted, as those of graphs are."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

import ir_plugin as ov


def test_nodes_of_a_function_are_sorted() -> None:
    nodes = [helper.make_node("Neg", ["c"], ["b"]), helper.make_node("Relu", ["a"], ["c"])]
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    function = helper.make_function("own", "F", ["a"], ["b"], nodes, imports[:1])
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in "xy")
    graph = helper.make_graph([helper.make_node("F", ["x"], ["y"], domain="own")], "g", [x], [y])
    model = helper.make_model(graph, opset_imports=imports, functions=[function])
    data = np.array([-1, 0, 2, 3], np.float32)
    assert ov.compile_model(ov.Core().read_model(model))([data])[0].tolist() == [0, 0, -2, -3]
