"""ONNX models that grow in one dimension, for tests/hostile/test_growth.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from tests.onnx.models import model

Growing = dict[str, Callable[[int], tuple[bytes, bytes]]]
INPUT = {"x0": (TensorProto.FLOAT, [2])}
DOMAIN = "growing"


def _chain(count: int, type: str, **attributes: Any) -> list[Any]:
    """Return nodes of a type, each of which reads the one before."""
    return [helper.make_node(type, [f"x{number}"], [f"x{number + 1}"], **attributes) for number in range(count)]


def nodes(count: int) -> tuple[bytes, bytes]:
    """Return a model with a chain of nodes."""
    return model(_chain(count, "Exp"), INPUT, [f"x{count}"]).SerializeToString(), b""


def broken_nodes(count: int) -> tuple[bytes, bytes]:
    """Return a model in which no node has a known operator."""
    return model(_chain(count, "Expo"), INPUT, [f"x{count}"]).SerializeToString(), b""


def functions(count: int) -> tuple[bytes, bytes]:
    """Return a model with a chain of calls of different functions."""
    calls = [
        helper.make_node(f"f{number}", [f"x{number}"], [f"x{number + 1}"], domain=DOMAIN) for number in range(count)
    ]
    proto = model(calls, INPUT, [f"x{count}"], domains={DOMAIN: 1})
    body, imports = [helper.make_node("Exp", ["a"], ["b"])], [helper.make_opsetid("", 23)]
    proto.functions.extend(
        helper.make_function(DOMAIN, f"f{number}", ["a"], ["b"], body, imports) for number in range(count)
    )
    return proto.SerializeToString(), b""


def initializers(count: int) -> tuple[bytes, bytes]:
    """Return a model that adds an initializer of its own in each node."""
    sums = [helper.make_node("Add", [f"x{number}", f"w{number}"], [f"x{number + 1}"]) for number in range(count)]
    values = {f"w{number}": np.array([number, 1], np.float32) for number in range(count)}
    return model(sums, INPUT, [f"x{count}"], initializers=values).SerializeToString(), b""


def inputs(count: int) -> tuple[bytes, bytes]:
    """Return a model with a node of many inputs, all of them the same."""
    wide = helper.make_node("Concat", ["x0"] * count, ["y"], axis=0)
    return model([wide], INPUT, ["y"]).SerializeToString(), b""


def attributes(count: int) -> tuple[bytes, bytes]:
    """Return a model with unknown attributes of a node."""
    unknown = {f"a{number}": number for number in range(count)}
    return model(_chain(1, "Exp", **unknown), INPUT, ["x1"]).SerializeToString(), b""


def bodies(count: int) -> tuple[bytes, bytes]:
    """Return a model with a chain of nodes that have two bodies each."""
    chosen = []
    for number in range(count):
        inner = [helper.make_node("Exp", [f"x{number}"], [f"b{number}"])]
        body = helper.make_graph(inner, "body", [], [helper.make_empty_tensor_value_info(f"b{number}")])
        chosen.append(helper.make_node("If", ["c"], [f"x{number + 1}"], then_branch=body, else_branch=body))
    condition = {"c": np.bool_(True)}
    return model(chosen, INPUT, [f"x{count}"], initializers=condition).SerializeToString(), b""


def declarations(count: int) -> tuple[bytes, bytes]:
    """Return a model that declares the type and the shape of each value."""
    proto = model(_chain(count, "Exp"), INPUT, [f"x{count}"])
    proto.graph.value_info.extend(
        helper.make_tensor_value_info(f"x{number}", TensorProto.FLOAT, [2]) for number in range(1, count)
    )
    return proto.SerializeToString(), b""


MODELS: Growing = {
    "ONNX nodes": nodes, "broken ONNX nodes": broken_nodes, "ONNX functions": functions,
    "ONNX initializers": initializers, "ONNX inputs": inputs, "ONNX attributes": attributes, "ONNX bodies": bodies,
    "ONNX declarations": declarations,
}  # fmt: skip
