"""Models of which one weight is changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np

import ir_plugin
from ir_plugin import Node
from ir_plugin import model as graph

SAMPLES = Path(__file__).parents[2] / "samples"
DIGITS = SAMPLES / "digits" / "digits.xml"
WIDTH, LENGTH, HEADS = 16, 6, 4


def change_weight(model: Path, constant: str, element: int, by: float, out: Path) -> Path:
    """Write a copy of a model with one element of one f32 constant changed."""
    node = next(node for node in _nodes(ir_plugin.read_model(model)) if node.name == constant)
    weights = bytearray(model.with_suffix(".bin").read_bytes())
    array = np.frombuffer(weights, np.float32, 1, int(node.attributes["offset"]) + 4 * element)
    array += np.float32(by)
    copyfile(model, out)
    out.with_suffix(".bin").write_bytes(bytes(weights))
    return out


def _nodes(model: graph.Model) -> Iterator[Node]:
    yield from model.nodes
    for _, _, subgraph in model.bodies():
        yield from _nodes(subgraph.body)


def transformer(out: Path) -> Path:
    """Write a transformer's block, made by OpenVINO: attention with several heads, GELU, layer normalization."""
    import openvino as ov
    from openvino import opset13 as op

    rng = np.random.default_rng(1)

    def weight(name: str, *shape: int) -> Any:
        values = (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)
        return op.constant(values, name=name)

    def dense(data: Any, name: str, *shape: int) -> Any:
        return op.matmul(data, weight(f"{name}/weight", *shape), False, False, name=name)

    def heads(data: Any, name: str) -> Any:
        split = op.reshape(data, np.array([0, LENGTH, HEADS, WIDTH // HEADS]), True)
        return op.transpose(split, np.array([0, 2, 1, 3]), name=name)

    def norm(data: Any, name: str) -> Any:
        return op.mvn(data, np.array([-1]), True, 1e-5, "inside_sqrt", name=name)

    tokens = op.parameter([1, LENGTH, WIDTH], np.float32, name="tokens")
    query, key, value = (
        heads(dense(tokens, name, WIDTH, WIDTH), f"{name}/heads") for name in ("query", "key", "value")
    )
    scores = op.matmul(query, key, False, True, name="scores")
    mixed = op.matmul(op.softmax(scores, -1, name="attention"), value, False, False, name="mixed")
    merged = op.reshape(op.transpose(mixed, np.array([0, 2, 1, 3])), np.array([0, LENGTH, WIDTH]), True, name="merged")
    first = norm(op.add(tokens, dense(merged, "projection", WIDTH, WIDTH), name="residual"), "norm")
    wide = op.gelu(dense(first, "wide", WIDTH, 4 * WIDTH), "erf", name="gelu")
    last = norm(op.add(first, dense(wide, "narrow", 4 * WIDTH, WIDTH), name="residual2"), "norm2")
    model = ov.Model([op.result(last, name="out")], [tokens], "transformer")
    ov.serialize(model, out, out.with_suffix(".bin"))
    return out


def with_bodies(out: Path) -> Path:
    """Write a model, made by OpenVINO: a Loop of dense layers over slices, in it a TensorIterator, behind it an If."""
    import openvino as ov
    from openvino import opset13 as op

    rng = np.random.default_rng(2)

    def dense(data: Any, name: str) -> Any:
        weight = op.constant((rng.standard_normal((WIDTH, WIDTH)) / 4).astype(np.float32), name=f"{name}/weight")
        return op.tanh(op.matmul(data, weight, False, False, name=name), name=f"{name}/tanh")

    def iterator(data: Any) -> Any:
        column, before = (op.parameter(shape, np.float32) for shape in ([1, 4], [1, 4]))
        weight = op.constant(np.full((4, 4), 0.2, np.float32), name="inner/weight")
        total = op.add(op.matmul(column, weight, False, False, name="inner"), before, name="total")
        layer = op.tensor_iterator()
        layer.set_friendly_name("columns")
        layer.set_body(ov.Model([op.result(total)], [column, before], "columns_body"))
        layer.set_sliced_input(column, data.output(0), 0, 4, 4, -1, 1)
        layer.set_merged_input(before, op.constant(np.zeros((1, 4), np.float32)).output(0), total.output(0))
        return layer.get_concatenated_slices(total.output(0), 0, 4, 4, -1, 1)

    def branch(name: str) -> tuple[Any, Any]:
        data = op.parameter([1, WIDTH], np.float32)
        return data, op.result(dense(data, name))

    rows = op.parameter([3, WIDTH], np.float32, name="rows")
    row, state = op.parameter([1, WIDTH], np.float32, name="row"), op.parameter([1, WIDTH], np.float32, name="state")
    mixed = op.add(dense(row, "step"), iterator(dense(state, "carry")), name="mixed")
    going = op.constant(np.array(True), name="going")
    loop = op.loop(op.constant(np.int64(3)), op.constant(np.array(True)))
    loop.set_friendly_name("loop")
    loop.set_function(ov.Model([op.result(going), op.result(mixed)], [row, state], "body"))
    loop.set_special_body_ports([-1, 0])
    loop.set_sliced_input(row, rows.output(0), 0, 1, 1, -1, 0)
    loop.set_merged_input(state, op.constant(np.ones((1, WIDTH), np.float32)).output(0), mixed.output(0))
    last = loop.get_iter_value(mixed.output(0), -1)
    positive = op.greater(op.reduce_sum(rows, np.array([0, 1]), False), np.float32(-1000), name="positive")
    choice = op.if_op(positive.output(0))
    choice.set_friendly_name("choice")
    (then, then_result), (otherwise, else_result) = branch("then"), branch("else")
    choice.set_then_body(ov.Model([then_result], [then], "then"))
    choice.set_else_body(ov.Model([else_result], [otherwise], "else"))
    choice.set_input(last, then, otherwise)
    model = ov.Model(
        [op.result(op.relu(choice.set_output(then_result, else_result), name="end"), name="out")], [rows], "bodies"
    )
    ov.serialize(model, out, out.with_suffix(".bin"))
    return out
