"""ONNX models that no exporter writes, each with the finding it must give, or without one where onnxruntime runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import NodeProto, helper, numpy_helper

Edit = Callable[[Any], Any]
W = np.arange(6, dtype=np.float32).reshape(2, 3)


class Odd(NamedTuple):
    """A model with one oddity; `edit` changes a valid model, or returns other bytes."""

    name: str
    edit: Edit
    code: str = ""
    is_read: bool = False
    """Whether the model is read although there is a finding, since OpenVINO or onnxruntime reads it."""


def valid() -> Any:
    """Return the model y = Relu(x + w)."""
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["s"], "add"), helper.make_node("Relu", ["s"], ["y"], "relu")], "g",
        [helper.make_tensor_value_info("x", 1, [2, 3])], [helper.make_tensor_value_info("y", 1, [2, 3])],
        [numpy_helper.from_array(W, "w")],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def imports(*pairs: tuple[str, int]) -> Edit:
    def edit(model: Any) -> None:
        del model.opset_import[:]
        model.opset_import.extend([helper.make_opsetid(*pair) for pair in pairs])

    return edit


def ir_version(version: int) -> Edit:
    return lambda model: setattr(model, "ir_version", version)


def second(**fields: Any) -> Edit:
    """Set fields of the second node."""

    def edit(model: Any) -> None:
        node = model.graph.node[1]
        for name, value in fields.items():
            if name == "attribute":
                node.attribute.extend(value)
            else:
                setattr(node, name, value)

    return edit


def softmax(*attributes: Any) -> Edit:
    return second(op_type="Softmax", attribute=attributes)


def reference(name: str) -> Any:
    attribute = helper.make_attribute("axis", 0)
    attribute.ref_attr_name = name
    return attribute


def added(field: str, *items: Any, **fields: Any) -> Edit:
    """Add messages to a field of the graph, or one with these fields."""

    def edit(model: Any) -> None:
        held = getattr(model.graph, field)
        held.extend(items) if items else held.add(**fields)

    return edit


def info(name: str, type: int, shape: Sequence[int]) -> Any:
    return helper.make_tensor_value_info(name, type, shape)


def tensor_type(change: Callable[[Any], Any], field: str = "input") -> Edit:
    return lambda model: change(getattr(model.graph, field)[0].type.tensor_type) and None


def reads(node: int, position: int, name: str) -> Edit:
    def edit(model: Any) -> None:
        model.graph.node[node].input[position] = name

    return edit


def twice_from_one_node(model: Any) -> None:
    split = helper.make_node("Split", ["x"], ["s", "s"], "split", num_outputs=2)
    model.graph.node[0].CopyFrom(split)


def reversed_nodes(model: Any) -> None:
    nodes = [NodeProto.FromString(node.SerializeToString()) for node in model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes[::-1])


def without_nodes(name: str) -> Edit:
    def edit(model: Any) -> None:
        del model.graph.node[:]
        model.graph.output[0].name = name

    return edit


def spoiled(set_text: Callable[[Any], Any]) -> Edit:
    """Write a text, and make it invalid UTF-8."""

    def edit(model: Any) -> bytes:
        set_text(model)
        return bytes(model.SerializeToString()).replace(b"abcdef", b"ab\xff\xfeef")

    return edit


def unknown_text(model: Any) -> None:
    model.graph.input[0].name = model.graph.node[0].input[0] = "abcdef"


OPSETS = [
    Odd("no import", imports(), "ON002"),
    Odd("an import twice", imports(("", 18), ("", 18))),
    Odd("the default domain by its long name", imports(("ai.onnx", 18))),
    Odd("the default domain by both names", imports(("", 18), ("ai.onnx", 13))),
    *(Odd(f"version {version}", imports(("", version)), "ON002") for version in (0, -1, 2**31, 2**62)),
    *(Odd(f"version {version}", imports(("", version)), "ON003", True) for version in (99, 1000)),
    Odd("another domain only", imports(("ai.onnx.ml", 3)), "ON002"),
    Odd("an unknown domain beside", imports(("", 18), ("nope", 3))),
    *(Odd(f"IR version {version}", ir_version(version)) for version in (-1, 0, 1, 3, 13)),
    Odd("IR version 100", ir_version(100), "ON003", True),
]
GRAPHS = [
    Odd("an output that is an input", without_nodes("x")),
    Odd("an output that is an initializer", without_nodes("w")),
    Odd("no name", lambda model: setattr(model.graph, "name", "")),
    Odd("an input twice", added("input", info("x", 1, [2, 3])), "ON201"),
    Odd("an input that is absent", lambda model: model.graph.ClearField("input"), "ON204"),
    Odd("an output that nothing computes", added("output", info("nope", 1, [2])), "ON204"),
    Odd("an input without type", lambda model: model.graph.input[0].ClearField("type"), "ON304", True),
    Odd("an input of type 0", tensor_type(lambda tensor: setattr(tensor, "elem_type", 0)), "ON304", True),
    Odd("an input of type 99", tensor_type(lambda tensor: setattr(tensor, "elem_type", 99)), "ON304"),
    Odd("an input of 100 dimensions", tensor_type(lambda tensor: [tensor.shape.dim.add() for _ in range(98)]), "ON304"),
    Odd("a negative length", tensor_type(lambda tensor: setattr(tensor.shape.dim[0], "dim_value", -3)), "ON304", True),
    Odd("an output without type", lambda model: model.graph.output[0].ClearField("type")),
    Odd("an output of another type", tensor_type(lambda tensor: setattr(tensor, "elem_type", 7), "output"),
        "ON302", True),
    Odd("an output of another rank", tensor_type(lambda tensor: tensor.shape.dim.add(), "output"), "ON303", True),
    Odd("an initializer that is an input", added("input", info("w", 1, [2, 3]))),
    Odd("an initializer that is an input of another type", added("input", info("w", 7, [2, 3])), "ON302", True),
    Odd("an initializer that is an input of another shape", added("input", info("w", 1, [5, 3])), "ON303", True),
    Odd("an initializer twice", added("initializer", numpy_helper.from_array(W, "w")), "ON201", True),
    Odd("a declared type of a value", added("value_info", info("s", 7, [2, 3])), "ON302", True),
    Odd("a declared shape of a value", added("value_info", info("s", 1, [7, 3])), "ON303", True),
    Odd("a declared value that is not there", added("value_info", info("z", 1, [7, 3]))),
    Odd("a value declared twice", added("value_info", info("s", 1, [2, 3]), info("s", 1, [2, 3]))),
    Odd("quantization of an unknown tensor", added("quantization_annotation", tensor_name="nope")),
    Odd("training of an unknown operator",
        lambda model: model.training_info.add().algorithm.node.add(op_type="Nope") and None),
    Odd("metadata twice", lambda model: model.metadata_props.extend(
        [onnx.StringStringEntryProto(key="a", value=value) for value in "12"])),
]  # fmt: skip
NODES = [
    Odd("a value defined twice", added("node", helper.make_node("Relu", ["x"], ["s"], "again")), "ON201"),
    Odd("an output twice", twice_from_one_node, "ON201"),
    Odd("an output with the name of an input", added("node", helper.make_node("Relu", ["s"], ["x"], "back")), "ON201"),
    Odd("a name twice", second(name="add"), "ON202", True),
    Odd("no output", added("node", helper.make_node("Relu", ["x"], [], "idle")), "ON106", True),
    Odd("an output without name", added("node", helper.make_node("Relu", ["x"], [""], "idle")), "ON106", True),
    Odd("no operator", second(op_type=""), "ON501"),
    Odd("the default domain by its long name", second(domain="ai.onnx")),
    Odd("an unknown domain", second(domain="nope"), "ON002"),
    Odd("a cycle", reads(0, 1, "y"), "ON205"),
    Odd("a node that reads itself", reads(0, 1, "s"), "ON205"),
    Odd("the wrong order", reversed_nodes, "ON203", True),
    Odd("an attribute twice", softmax(*[helper.make_attribute("axis", axis) for axis in (0, 1)]), "ON107", True),
    Odd("a real number for an integer", softmax(helper.make_attribute("axis", 1.0)), "ON102"),
    Odd("an integer for a real number",
        second(op_type="LeakyRelu", attribute=[helper.make_attribute("alpha", 1)]), "ON102"),
    Odd("an unknown attribute", second(attribute=[helper.make_attribute("axis", 1)]), "ON101", True),
    Odd("an attribute of a function outside of one", softmax(reference("q"))),
    Odd("a name that is not UTF-8", spoiled(unknown_text), "ON004"),
    Odd("a producer that is not UTF-8", spoiled(lambda model: setattr(model, "producer_name", "abcdef"))),
    Odd("a description that is not UTF-8", spoiled(lambda model: setattr(model.graph, "doc_string", "abcdef"))),
    Odd("an unknown field", lambda model: model.SerializeToString() + b"\xa2\x3e\x03abc"),
    Odd("a truncated file", lambda model: model.SerializeToString()[:-5], "ON001"),
    Odd("bytes behind the end", lambda model: model.SerializeToString() + b"\xff\xff\xff", "ON001"),
]  # fmt: skip
