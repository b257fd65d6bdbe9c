"""Structured mutations of ONNX models: fields of protobuf messages set to what no exporter writes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import onnx
from onnx import helper

Mutation: TypeAlias = "Callable[[random.Random, Any], None]"

LENGTHS = (-(2**63), -2, -1, 0, 1, 2, 7, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1)
NAMES = ("", "x", "y", "no such value", "\u202e", "a" * 5000, "/", "0")
OPERATORS = ("Relu", "Add", "If", "Loop", "Scan", "Reshape", "Gather", "Concat", "Cast", "ConstantOfShape", "Range",
             "Tile", "Expand", "Pad", "Split", "Unheard", "", "Constant",
             "Identity", "MatMul", "ReduceSum")  # fmt: skip
DEEP = 28
"""Levels of bodies; protobuf refuses messages that are nested deeper than 100."""


def graphs(model: Any) -> list[Any]:
    """Return the graph of a model and those in attributes."""
    listed, waiting = [], [model.graph]
    while waiting:
        graph = waiting.pop()
        listed.append(graph)
        waiting += [inner for node in graph.node for entry in node.attribute for inner in (entry.g, *entry.graphs)
                    if inner.node]  # fmt: skip
    return listed


def _node(chance: random.Random, model: Any) -> Any:
    nodes = [node for graph in graphs(model) for node in graph.node]
    return chance.choice(nodes) if nodes else model.graph.node.add(op_type="Relu")


def _values(model: Any) -> list[Any]:
    return [value for graph in graphs(model) for value in (*graph.input, *graph.output, *graph.value_info)]


def _tensors(model: Any) -> list[Any]:
    listed = [tensor for graph in graphs(model) for tensor in graph.initializer]
    return listed + [entry.t for graph in graphs(model) for node in graph.node for entry in node.attribute
                     if entry.HasField("t")]  # fmt: skip


def _length_of_value(chance: random.Random, model: Any) -> None:
    values = _values(model)
    if values:
        dims = chance.choice(values).type.tensor_type.shape.dim
        (chance.choice(list(dims)) if dims and chance.random() < 0.8 else dims.add()).dim_value = chance.choice(LENGTHS)


def _type_of_value(chance: random.Random, model: Any) -> None:
    values = _values(model)
    if not values:
        return
    type = chance.choice(values).type
    kind = chance.randrange(4)
    if kind == 0:
        type.Clear()
    elif kind == 1:
        type.sequence_type.elem_type.tensor_type.elem_type = 1
    else:
        type.tensor_type.elem_type = chance.choice([*range(28), 99, 2**31 - 1])


def _tensor(chance: random.Random, model: Any) -> None:
    tensors = _tensors(model)
    if not tensors:
        return
    tensor = chance.choice(tensors)
    kind = chance.randrange(5)
    if kind == 0:
        tensor.dims.append(chance.choice(LENGTHS))
    elif kind == 1 and tensor.dims:
        tensor.dims[chance.randrange(len(tensor.dims))] = chance.choice(LENGTHS)
    elif kind == 2:
        tensor.raw_data = tensor.raw_data[: chance.randrange(len(tensor.raw_data) + 1)]
    elif kind == 3:
        tensor.data_type = chance.choice([*range(28), 99])
    else:
        tensor.data_location = 1
        location = chance.choice(["/etc/passwd", "../x", "x", "", "\0"])
        tensor.external_data.add(key="location", value=location)
        tensor.external_data.add(key="offset", value=chance.choice(["0", "-1", "9" * 30, "x"]))


def _attribute(chance: random.Random, model: Any) -> None:
    node = _node(chance, model)
    if not node.attribute:
        node.attribute.append(helper.make_attribute(chance.choice(["axis", "to", "perm", "body", "value"]), 3))
        return
    entry = chance.choice(list(node.attribute))
    kind = chance.randrange(6)
    if kind == 0:
        entry.type = chance.randrange(15)
    elif kind == 1:
        entry.i = chance.choice(LENGTHS)
        entry.type = 2
    elif kind == 2:
        entry.ints.extend(chance.choices(LENGTHS, k=3))
    elif kind == 3:
        entry.name = chance.choice(["axis", "axes", "to", "then_branch", "", "\u202e"])
    elif kind == 4:
        node.attribute.remove(entry)
    else:
        node.attribute.append(entry)


def _name(chance: random.Random, model: Any) -> None:
    node = _node(chance, model)
    known = [name for graph in graphs(model) for other in graph.node for name in (*other.input, *other.output)]
    names = node.input if chance.random() < 0.6 else node.output
    name = chance.choice([*NAMES, *known])
    if names and chance.random() < 0.8:
        names[chance.randrange(len(names))] = name
    else:
        names.append(name)


def _operator(chance: random.Random, model: Any) -> None:
    node = _node(chance, model)
    if chance.random() < 0.8:
        node.op_type = chance.choice(OPERATORS)
    else:
        node.domain = chance.choice(["ai.onnx", "ai.onnx.ml", "com.microsoft", "own", "\0"])


def _nodes(chance: random.Random, model: Any) -> None:
    nodes = chance.choice(graphs(model)).node
    kind = chance.randrange(3)
    if kind == 0 and nodes:
        del nodes[chance.randrange(len(nodes))]
    elif kind == 1 and nodes:
        nodes.append(chance.choice(list(nodes)))
    else:
        reordered = sorted(nodes, key=lambda _: chance.random())
        del nodes[:]
        nodes.extend(reordered)


def _opset(chance: random.Random, model: Any) -> None:
    versions = [-1, 0, 1, 5, 6, 7, 9, 10, 11, 12, 13, 18, 22, 28, 29, 2**31, 2**62]
    if model.opset_import and chance.random() < 0.8:
        chance.choice(list(model.opset_import)).version = chance.choice(versions)
    else:
        model.opset_import.add(domain=chance.choice(["", "own"]), version=1)


def _function(chance: random.Random, model: Any) -> None:
    """Add functions that call each other, in a cycle or twice at each level, and let a node call the first."""
    levels = chance.choice([1, 3, 40])
    for level in range(levels):
        called = 0 if level == levels - 1 and chance.random() < 0.5 else level + 1
        calls = [helper.make_node(f"f{called}", [source], [target], domain="own") for source, target in
                 (("x", "m"), ("m", "y"))]  # fmt: skip
        imports = [helper.make_opsetid("own", 1), helper.make_opsetid("", 22)]
        model.functions.append(helper.make_function("own", f"f{level}", ["x"], ["y"], calls, imports))
    model.functions.append(helper.make_function(
        "own", f"f{levels}", ["x"], ["y"], [helper.make_node("Relu", ["x"], ["y"])], [helper.make_opsetid("", 22)]
    ))  # fmt: skip
    model.opset_import.add(domain="own", version=1)
    node = _node(chance, model)
    node.op_type, node.domain = "f0", "own"


def _body(chance: random.Random, model: Any) -> None:
    """Nest a graph in itself by bodies of If."""
    graph = onnx.GraphProto()
    graph.CopyFrom(model.graph)
    if graph.ByteSize() > 4000 or len(graphs(model)) > 1:
        return
    for _ in range(chance.choice([1, 2, DEEP])):
        inner = onnx.GraphProto()
        inner.CopyFrom(graph)
        del inner.input[:]
        condition = helper.make_node("Constant", [], ["c"], value=helper.make_tensor("", 9, [], [1]))
        outputs = [value.name for value in inner.output]
        node = helper.make_node("If", ["c"], outputs, then_branch=inner, else_branch=inner if chance.random() < 0.1 else
                                onnx.GraphProto(name="empty"))  # fmt: skip
        del graph.node[:]
        graph.node.extend([condition, node])
        if graph.ByteSize() > 100_000:
            break
    model.graph.CopyFrom(graph)


MUTATIONS: Sequence[Mutation] = (
    _length_of_value, _type_of_value, _tensor, _tensor, _attribute, _attribute, _name, _name, _operator, _nodes, _opset,
    _function, _body,
)  # fmt: skip


def mutated(data: bytes, seed: int) -> bytes:
    """Return an ONNX model with one to four mutations that `seed` chooses."""
    chance = random.Random(seed)
    model = onnx.ModelProto.FromString(data)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 4])):
        chance.choice(MUTATIONS)(chance, model)
    return bytes(model.SerializeToString())
