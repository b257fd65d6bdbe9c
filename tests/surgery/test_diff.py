"""A difference is exactly the edit that was made, whatever the names, ids and order of layers."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.openvino.surgery.changes import distance
from tests.surgery.models import MODELS
from tests.surgery.test_cut import model_of

EXAMPLES = max(settings().max_examples // 4, 15)
"""Random models for each edit; `python3 dev.py fuzz` takes 2,500."""
UNARY = ["relu", "sigmoid", "tanh", "exp", "floor", "negative", "abs", "softplus"]
BINARY = ["add", "subtract", "maximum", "power"]


def random_model(random: random.Random, size: int = 20) -> ov.Model:
    """Return a model of some inputs, unary and binary layers, constants and layers with attributes."""
    shapes = [[2, 3], [2, 3], [1, 3]]
    inputs = [ops.parameter(shape, np.float32, name=f"in{k}") for k, shape in enumerate(shapes[: random.randint(1, 3)])]
    nodes: list[Any] = list(inputs)
    for k in range(size):
        kind = random.random()
        source = random.choice(nodes[-6:])
        if kind < 0.35:
            node = getattr(ops, random.choice(UNARY))(source, name=f"n{k}")
        elif kind < 0.6:
            node = getattr(ops, random.choice(BINARY))(source, random.choice(nodes), name=f"n{k}")
        elif kind < 0.8:
            values = np.array([[random.random() for _ in range(3)]], np.float32)
            node = ops.multiply(source, ops.constant(values, name=f"c{k}"), name=f"n{k}")
        elif kind < 0.9:
            node = ops.elu(source, random.randint(1, 9) / 8, name=f"n{k}")
        else:
            node = ops.clamp(source, -random.randint(1, 5), random.randint(1, 5), name=f"n{k}")
        nodes.append(node)
    read = {port.source.node for node in nodes for port in node.inputs if port.source is not None}
    return ov.Model([node for node in nodes if node not in read], inputs, "random")


def scrambled(model: ov.Model, random: random.Random) -> ov.Model:
    """Return a copy with other names, ids and another order of the layers."""
    copy = model.clone()
    nodes = list(copy.nodes)
    random.shuffle(nodes)
    copy.nodes = nodes
    ids = list(range(500, 500 + len(nodes)))
    random.shuffle(ids)
    for node, id in zip(nodes, ids, strict=True):
        node.name, node.id = f"layer{id}", str(id)
    return copy


def inner(model: ov.Model, *types: str) -> list[ov.Node]:
    ends = ("Parameter", "Result", "Constant")
    return [node for node in model.get_ordered_ops() if (node.get_type_name() in types if types else
                                                          node.get_type_name() not in ends)]  # fmt: skip


def rebuilt(model: ov.Model) -> ov.Model:
    model.validate_nodes_and_infer_types()
    return ov.Model(list(model.results), list(model.parameters), model.name)


Expected = list[tuple[str, str]]


def change_attribute(model: ov.Model, random: random.Random) -> Expected | None:
    nodes = inner(model, "Elu")
    if not nodes:
        return None
    node = random.choice(nodes)
    node.operation.alpha += 1
    return [("attribute", node.name)]


def change_constant(model: ov.Model, random: random.Random) -> Expected | None:
    nodes = inner(model, "Constant")
    if not nodes:
        return None
    node = random.choice(nodes)
    port = node.output(0)
    port.replace(ops.constant(node.data + np.float32(0.5), name=node.name).output(0))
    return [("constant", node.name)]


def insert_layer(model: ov.Model, random: random.Random) -> Expected | None:
    port = random.choice(inner(model)).output(0)
    readers = list(port.readers)
    reader = random.choice(readers)
    reader.replace_source_output(ops.hswish(port, name="inserted").output(0))
    return [("added", "inserted")]


def change_type(model: ov.Model, random: random.Random) -> Expected | None:
    nodes = [node for node in inner(model) if len(node.inputs) == 1]
    if not nodes:
        return None
    node = random.choice(nodes)
    node.output(0).replace(ops.hsigmoid(node.input_value(0), name=node.name).output(0))
    return [("type", node.name)]


def insert_before_all(model: ov.Model, random: random.Random) -> Expected | None:
    node = random.choice(inner(model))
    readers = list(node.output(0).readers)
    inserted = ops.gelu(node.output(0), "erf", name="inserted").output(0)
    for reader in readers:
        reader.replace_source_output(inserted)
    return [("added", "inserted")]


def add_output(model: ov.Model, random: random.Random) -> Expected | None:
    nodes = [node for node in inner(model) if not any(r.node.type == "Result" for r in node.output(0).readers)]
    if not nodes:
        return None
    added = ops.result(random.choice(nodes), name="extra")
    model.add_results([added])
    return [("added", "extra")]


def change_names(model: ov.Model, random: random.Random) -> Expected | None:
    results = {node.input_value(0).get_node().name for node in model.get_results()}
    node = random.choice([node for node in inner(model) if node.name not in results])
    node.output(0).set_names({"a tensor"})
    return [("names", node.name)]


def swap_inputs(model: ov.Model, random: random.Random) -> Expected | None:
    nodes = [node for node in inner(model, "Subtract", "Power") if node.input_value(0) != node.input_value(1)]
    if not nodes:
        return None
    node = random.choice(nodes)
    node.set_arguments(node.input_values()[::-1])
    return [("rewired", node.name)] * 2


def remove_layer(model: ov.Model, random: random.Random) -> Expected | None:
    nodes = [node for node in inner(model) if len(node.inputs) == 1]
    if not nodes:
        return None
    node = random.choice(nodes)
    node.output(0).replace(node.input_value(0))
    return [("removed", node.name)]


def rewire(model: ov.Model, random: random.Random) -> Expected | None:
    order = inner(model)
    nodes = [node for node in order[1:] if len(node.input_value(0).readers) > 1]
    if not nodes:
        return None
    node = random.choice(nodes)
    sources = [item for item in order[: order.index(node)] if item is not node.input_value(0).node]
    if not sources:
        return None
    node.set_argument(0, random.choice(sources))
    return [("rewired", node.name)]


def change_shape(model: ov.Model, random: random.Random) -> Expected | None:
    node = random.choice(model.parameters)
    node.set_partial_shape(ov.PartialShape("1..2,3"))
    return [("attribute", node.name)]


EDITS: dict[str, Callable[[ov.Model, random.Random], Expected | None]] = {
    "attribute": change_attribute,
    "constant": change_constant,
    "insert": insert_layer,
    "insert before all": insert_before_all,
    "type": change_type,
    "output": add_output,
    "names": change_names,
    "swap": swap_inputs,
    "remove": remove_layer,
    "rewire": rewire,
    "shape": change_shape,
}


def reported(difference: ov.Difference) -> Expected:
    return sorted((change.kind, change.name) for change in difference)


@pytest.mark.parametrize("edit", EDITS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=EXAMPLES)
def test_exactly_the_edit_is_reported(edit: str, seed: int) -> None:
    rng = random.Random(seed)
    model = random_model(rng)
    changed = model.clone()
    expected = EDITS[edit](changed, rng)
    assume(expected is not None)
    assert expected is not None
    changed = rebuilt(changed)
    difference = ov.diff(model, changed)
    if edit == "swap":  # the same graph may be had with fewer changes, or with none where the inputs are twins
        assert {change.kind for change in difference} <= {"rewired"}
        assert len(difference) <= 2
    else:
        assert reported(difference) == sorted(expected)
    if edit not in ("swap", "type"):
        hidden = ov.diff(model, scrambled(changed, rng))
        # Without names, one of two equal layers may be taken for the other.
        kinds = [change.kind for change in hidden if edit == "names" or change.kind != "names"]
        if edit in ("remove", "rewire"):  # without names, equal neighbours can be told apart in several ways
            assert set(kinds) & {"removed", "rewired"}, str(hidden)
            assert set(kinds) <= {"removed", "rewired", "added"}, str(hidden)
            assert len(kinds) <= 4, str(hidden)
        else:
            assert kinds == [kind for kind, _ in expected], str(hidden)


@given(seed=st.integers(0, 2**32), size=st.integers(1, 60))
@settings(max_examples=EXAMPLES)
def test_names_ids_and_order_do_not_count(seed: int, size: int) -> None:
    rng = random.Random(seed)
    model = random_model(rng, size)
    other = scrambled(model, rng)
    difference = ov.diff(model, other)
    assert not difference, str(difference)
    assert len(difference) == 0
    assert f"equal: {len(model.nodes)} layers" in str(difference)


@pytest.mark.parametrize("name", MODELS)
def test_saved_models_are_equal(name: str, tmp_path: Path) -> None:
    model = model_of(name)
    ov.serialize(model, tmp_path / "ours.xml")
    ov.save_model(model, tmp_path / "whole.xml", compress_to_fp16=False)
    openvino.save_model(openvino.Core().read_model(tmp_path / "ours.xml"), tmp_path / "theirs.xml", False)
    for other in ("ours", "whole", "theirs"):
        difference = ov.diff(model, tmp_path / f"{other}.xml")
        assert not difference, f"{other}: {difference}"
    assert not ov.diff(model, scrambled(model, random.Random(1)))


@pytest.mark.parametrize("name", ["digits", "transformer", "bodies", "states", "squeezenet"])
def test_compressed_constants_are_compared_as_constants(name: str, tmp_path: Path) -> None:
    model = model_of(name)
    ov.save_model(model, tmp_path / "half.xml")
    difference = ov.diff(model, tmp_path / "half.xml")
    assert {change.kind for change in difference} <= {"constant"}
    for change in difference:
        assert change.before.startswith("f32")
        assert change.after.startswith("f16")
        assert change.after.endswith("as f32")
        assert change.max_abs is not None
        assert change.max_abs < 0.01
    openvino.save_model(openvino.Core().read_model(tmp_path / "half.xml"), tmp_path / "theirs.xml")
    assert not ov.diff(tmp_path / "half.xml", tmp_path / "theirs.xml")


def test_a_change_in_a_body_is_found_there() -> None:
    model = model_of("bodies")
    changed = model.clone()
    loop = next(node for node in changed.nodes if node.name == "loop")
    body = loop.operation.subgraphs["body"].body
    tanh = next(node for node in body.nodes if node.get_type_name() == "Tanh")
    tanh.output(0).replace(ops.sigmoid(tanh.input_value(0), name="other").output(0))
    body.nodes = [node for node in body.nodes if node is not tanh]
    difference = ov.diff(model, changed)
    assert [(change.kind, change.path, change.after) for change in difference] == [
        ("type", ("loop/body",), "Sigmoid-1")
    ]
    assert "loop/body ›" in str(difference)


def test_constants_are_compared_by_their_largest_difference() -> None:
    def model(values: Any, type: Any = np.float32) -> ov.Model:
        x = ops.parameter([3], type, name="x")
        return ov.Model([ops.add(x, ops.constant(np.array(values, type), name="c"))], [x])

    (change,) = ov.diff(model([1, 2, 4]), model([1, 2.5, 3.9]))
    assert (change.kind, change.name, change.differing) == ("constant", "c", 2)
    assert (change.max_abs, change.max_rel) == (0.5, 0.25)
    assert not ov.diff(model([1, np.nan, 4]), model([1, np.nan, 4]))
    (change,) = ov.diff(model([1, np.inf, 4]), model([1, 2, 4]))
    assert change.max_abs == np.inf
    assert json.loads(ov.diff(model([1, np.inf, 4]), model([1, 2, 4])).to_json())["changes"][0]["max_abs"] == "inf"
    kinds = [change.kind for change in ov.diff(model([1, 2, 4]), model([1, 2, 4], np.float64))]
    assert kinds == ["attribute", "constant"]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([1, 2], [1, 2], (0, 0, 0)),
        ([0.0], [-0.0], (0, 0, 0)),
        ([1, 4], [2, 2], (2, 1, 2)),
        ([0.0, 1], [1, 1], (1, np.inf, 1)),
        ([True, False], [True, True], (1, np.inf, 1)),
        ([], [], (0, 0, 0)),
        ([2**53, 2**53 + 1], [2**53, 2**53], (0, 0, 1)),
        (np.array(["a", "b"], object), np.array(["a", "c"], object), (None, None, 1)),
    ],
)
def test_distances(before: Any, after: Any, expected: tuple[Any, Any, int]) -> None:
    assert distance(np.array(before), np.array(after)) == expected


def test_the_data_of_a_difference() -> None:
    model = model_of("digits")
    changed = model.clone()
    changed.reshape([5, 1, 8, 8])
    next(node for node in changed.nodes if node.name == "softmax").operation.axis = 0
    difference = ov.diff(model, changed)
    assert difference
    assert difference.counts == {"attribute": 2}
    assert [(change.part, change.before, change.after) for change in difference] == [
        ("shape", "[?,1,8,8]", "[5,1,8,8]"),
        ("axis", "1", "0"),
    ]
    assert difference[1].name == "softmax"
    assert len(difference.consequences) > 10
    assert pickle.loads(pickle.dumps(difference)) == difference
    assert json.loads(difference.to_json())["counts"] == {"attribute": 2}
    for page in (difference.to_html(), difference._repr_html_()):
        assert "axis: 1 → 0" in page
    assert "2 differences: 2 attributes; " in str(difference)
    assert repr(difference) == "<Difference: 2 attribute>"


def test_names_from_files_are_escaped() -> None:
    x = ops.parameter([2], np.float32, name="<b>\x1b[31m")
    difference = ov.diff(ov.Model([ops.relu(x)], [x]), ov.Model([ops.tanh(x)], [x]))
    assert "<b>" not in difference.to_html().replace("<p><b>", "")
    assert "\x1b" not in str(difference)


def test_rt_info_counts_only_where_it_is_asked_for() -> None:
    model = model_of("digits")
    changed = model.clone()
    changed.nodes[3].set_rt_info("yes", "marked")
    changed.set_rt_info("1", "version")
    assert not ov.diff(model, changed)
    assert [(change.kind, change.part) for change in ov.diff(model, changed, rt_info=True)] == [
        ("rt_info", "marked"),
        ("rt_info", "version"),
    ]


def test_all_weights_retrained_are_constants_only() -> None:
    model = model_of("squeezenet")
    changed = model.clone()
    weights = [node for node in changed.nodes if node.get_type_name() == "Constant" and node.data.size > 100]
    for node in weights:
        retrained = ops.constant(node.data + np.float32(1), name=f"new {node.name}").output(0)
        retrained.set_names(node.output(0).names)
        node.output(0).replace(retrained)
    changed = rebuilt(changed)
    difference = ov.diff(model, scrambled(changed, random.Random(2)))
    assert difference.counts == {"constant": len(weights)}
