"""Parts of models compute what the whole computes, here and in OpenVINO."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import openvino
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.model.graph import order_of
from ir_plugin.openvino.surgery import extract
from tests.surgery.models import MODELS

PRECISE = {"INFERENCE_PRECISION_HINT": "f32"}
FOLDER = TemporaryDirectory()
CUTS = {"squeezenet": 4, "shufflenet": 4, "inception_v1": 3}


@cache
def model_of(name: str) -> ov.Model:
    return ov.Core().read_model(MODELS[name](Path(FOLDER.name) / f"{name}.xml"))


def snapshot(model: ov.Model) -> list[Any]:
    """Return all that a cut might change of a model."""
    return [
        (node, node.name, node.operation, [port.source for port in node.inputs],
         [(port.names, port.tensor_info, list(port.readers)) for port in node.outputs])
        for node in model.nodes
    ]  # fmt: skip


def random_value(port: ov.Output, rng: np.random.Generator) -> Any:
    shape = [dim.get_length() if dim.is_static else 3 for dim in port.partial_shape]
    return rng.standard_normal(shape).astype(np.float32)


def upstream_ports(port: ov.Output) -> list[ov.Output]:
    """Return the outputs that an output is computed from, apart from those whose values are known.

    OpenVINO's CPU fails where a length is fed that its fusions take for a constant one.
    """
    seen: dict[ov.Output, None] = {}
    waiting = [port]
    while waiting:
        for reader in waiting.pop().node.inputs:
            source = reader.source
            if source is not None and source not in seen:
                seen[source] = None
                waiting.append(source)
    return [output for output in seen if depends_on_inputs(output.node) and output.tensor_info.value is None]


@cache
def depends_on_inputs(node: ov.Node) -> bool:
    return node.get_type_name() in ("Parameter", "ReadValue") or any(
        depends_on_inputs(port.source.node) for port in node.inputs if port.source is not None
    )


def both(part: ov.Model, inputs: list[Any], path: Path) -> tuple[list[Any], list[Any]]:
    """Return what this library and OpenVINO compute with a part that is written and read."""
    ov.serialize(part, path)
    assert ov.validate(path).ok, str(ov.validate(path))
    read = openvino.Core().read_model(path)
    assert [str(port.get_partial_shape()) for port in read.outputs] == [
        str(port.partial_shape) for port in part.outputs
    ]
    theirs = openvino.Core().compile_model(read, "CPU", PRECISE)(inputs)
    ours = ov.compile_model(part)(inputs)
    return list(ours.values()), list(theirs.values())


def close(actual: Any, expected: Any) -> None:
    scale = float(np.abs(expected).max(initial=1e-3))
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-4 * scale)


@pytest.mark.parametrize("name", MODELS)
def test_random_parts_compute_what_the_whole_computes(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    model = model_of(name)
    before = snapshot(model)
    values = [random_value(port, rng) for port in model.inputs]
    recorded = ov.compile_model(model).intermediates(values)
    ends = [port for node in model.get_ordered_ops() if node.get_type_name() not in ("Result", "Assign", "Constant")
            for port in node.outputs if upstream_ports(port)]  # fmt: skip
    for _ in range(CUTS.get(name, 12)):
        end = ends[rng.integers(len(ends))]
        sources = upstream_ports(end)
        chosen = [sources[k] for k in rng.choice(len(sources), min(len(sources), int(rng.integers(1, 4))), False)]
        try:
            part = extract(model, chosen, [end])
        except ov.InputError:
            continue
        feeds = [value_of(port, model, values, recorded) for port in part.model.inputs]
        for port, start in zip(part.model.inputs, chosen, strict=False):
            assert str(port.partial_shape) == str(start.partial_shape)
            assert port.element_type == start.element_type
        ours, theirs = both(part.model, feeds, tmp_path / "part.xml")
        assert len(ours) == len(theirs) == 1
        close(ours[0], recorded[end])
        close(theirs[0], recorded[end])
    assert snapshot(model) == before


def value_of(port: ov.Output, model: ov.Model, values: list[Any], recorded: Any) -> Any:
    for own, value in zip(model.inputs, values, strict=True):
        if own.node.name == port.node.name:
            return value
    return recorded[port.node.name]


def test_the_names_and_shapes_of_a_part() -> None:
    model = model_of("shapes")
    part = ov.cut(model, "first", "top")
    assert [port.any_name for port in part.inputs] == ["first", "x"]
    assert [str(port.partial_shape) for port in part.inputs] == ["[?,4,6]", "[?,4,6]"]
    assert [port.any_name for port in part.outputs] == ["v", "i"]
    assert part.get_friendly_name() == model.get_friendly_name()
    assert [port.any_name for port in ov.cut(model, "x", "flat").inputs] == ["x"]


def test_lengths_that_are_known_become_constants() -> None:
    part = extract(model_of("static_shapes"), "first", "flat")
    assert not part.notes
    assert [port.any_name for port in part.model.inputs] == ["first"]
    assert "ShapeOf" not in {node.get_type_name() for node in part.model.nodes}
    assert str(part.model.outputs[0].partial_shape) == "[2,24]"
    whole = ov.cut(model_of("static_shapes"), outputs="flat")
    assert "ShapeOf" in {node.get_type_name() for node in whole.nodes}


def test_an_input_that_the_part_needs_besides_is_noted(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ir_plugin")
    ov.cut(model_of("shapes"), "first", "flat")
    assert [record.message for record in caplog.records] == ['the part also needs the input "x" of the model']


@pytest.mark.parametrize(
    ("key", "shape"), [("halves:1", "[?,12]"), (("halves", 1), "[?,12]"), ("flat", "[?,24]"), ("x", "[?,4,6]")]
)
def test_keys_of_inputs(key: Any, shape: str) -> None:
    model = model_of("shapes")
    assert str(ov.cut(model, key, "again").inputs[0].partial_shape) == shape
    node = next(node for node in model.nodes if node.name == "halves")
    for spelling in (f"{node.id}:1", node.output(1), ov.compile_model(model).model.nodes[0].output(0)):
        assert ov.cut(model, spelling, "again")
    assert [port.any_name for port in ov.cut(model, node, "again").inputs] == ["halves:0", "halves:1", "x"]


@pytest.mark.parametrize(
    ("inputs", "outputs", "said"),
    [
        ("frist", "flat", "no layer 'frist'; did you mean \"first\""),
        ("flat", "first", "'first' cannot be computed from 'flat'"),
        (["first", "flat"], "again", "'again' cannot be computed from 'first' without the other inputs"),
        ("halves:7", "again", "has no output 7"),
        ("v", None, "no output of the model is computed from 'v'"),
        (None, None, "name the inputs or the outputs"),
        ([], [], "name the inputs or the outputs"),
        ("first", 3, "argument 'outputs'"),
        (ops.parameter([2], np.float32, name="stranger"), None, "is not a layer of the model"),
    ],
)
def test_what_cannot_be_cut(inputs: Any, outputs: Any, said: str) -> None:
    model = model_of("shapes")
    before = snapshot(model)
    with pytest.raises(ov.Error, match=said.replace("(", r"\(")):
        ov.cut(model, inputs, outputs)
    assert snapshot(model) == before


def test_a_layer_of_a_body_is_named_as_such() -> None:
    with pytest.raises(ov.Error, match='inside the body of "loop"'):
        ov.cut(model_of("bodies"), "mixed", None)


def test_two_layers_of_a_name_are_told_by_their_ids() -> None:
    x = ops.parameter([2], np.float32, name="x")
    first = ops.relu(x, name="twin")
    second = ops.exp(first, name="twin")
    model = ov.Model([ops.tanh(second)], [x], "twins")
    with pytest.raises(ov.Error, match=f"2 layers are named 'twin'; name one by its id: {first.id}, {second.id}"):
        ov.cut(model, "twin")
    types = [node.get_type_name() for node in ov.cut(model, second.id).get_ordered_ops()]
    assert types == ["Parameter", "Tanh", "Result"]


def sequence(model: Any, feeds: list[Any]) -> list[Any]:
    """Return the first output of consecutive inferences."""
    request = model.create_infer_request()
    return [np.array(request.infer(list(feed))[0]) for feed in feeds]


STATEFUL = [
    (None, ["add"], ["total"], ["x"]),
    ("relu", ["scores"], ["total", "past"], ["relu"]),
    ("relu", ["add"], ["total"], ["relu"]),
    ("scores", None, [], ["scores"]),
    ("add", ["exp"], ["past"], ["add"]),
    (["add", "sum"], ["scores"], [], ["add", "sum"]),
    ("tanh", ["sum"], ["past"], ["tanh"]),
]


@pytest.mark.parametrize(("inputs", "outputs", "variables", "names"), STATEFUL)
def test_variables_stay_whole(
    inputs: Any, outputs: Any, variables: list[str], names: list[str], tmp_path: Path
) -> None:
    model = model_of("states")
    part = ov.cut(model, inputs, outputs)
    assert sorted(item.info.variable_id for item in part.get_variables()) == sorted(variables)
    assert len(part.get_sinks()) == len(variables)
    assert [port.any_name for port in part.inputs] == names
    rng = np.random.default_rng(3)
    runs = ov.compile_model(model).create_infer_request()
    feeds, expected = [], []
    end = part.outputs[0].result_source
    assert end is not None
    whole = model.clone()
    watched = [*names, end.node.name]
    ports = whole.add_outputs([name for name in watched if name != "x"])
    runs = ov.compile_model(whole).create_infer_request()
    for _ in range(4):
        value = rng.standard_normal(2).astype(np.float32)
        results = runs.infer([value])
        taken = {"x": value} | {name: np.array(results[port]) for name, port in
                                zip([name for name in watched if name != "x"], ports, strict=True)}  # fmt: skip
        feeds.append([taken[name] for name in names])
        expected.append(taken[watched[-1]])
    ov.serialize(part, tmp_path / "part.xml")
    theirs = sequence(openvino.Core().compile_model(tmp_path / "part.xml", "CPU", PRECISE), feeds)
    for ours, other, right in zip(sequence(ov.compile_model(part), feeds), theirs, expected, strict=True):
        close(ours, right)
        close(other, right)


def test_half_a_variable_becomes_an_input(tmp_path: Path) -> None:
    model = model_of("states")
    part = extract(model, "read_past", "sum")
    assert [port.any_name for port in part.model.inputs] == ["read_past"]
    half = extract(model, "sum", "exp")
    assert [port.any_name for port in half.model.inputs] == ["sum", "x"]
    assert half.model.get_variables()[0].info.variable_id == "total"
    alone = extract(two_states(), "gate", "out")
    assert [port.any_name for port in alone.model.inputs] == ["gate", "read"]
    assert alone.notes == ("the variable 'v' is read in the part and assigned outside of it: it is the input \"read\"",)
    assert not alone.model.get_variables()
    ours, theirs = both(alone.model, [np.ones(2, np.float32), np.full(2, 3, np.float32)], tmp_path / "part.xml")
    assert ours[0].tolist() == theirs[0].tolist() == [3, 3]


def two_states() -> ov.Model:
    """Return a model that reads a variable behind `gate` and assigns what another input says."""
    from openvino import opset13 as op
    from openvino.op.util import Variable, VariableInfo

    info = VariableInfo()
    info.data_shape, info.data_type, info.variable_id = openvino.PartialShape([2]), openvino.Type.f32, "v"
    variable = Variable(info)
    x, y = op.parameter([2], np.float32, name="x"), op.parameter([2], np.float32, name="y")
    read = openvino.opset6.read_value(op.constant(np.zeros(2, np.float32)), variable)
    read.set_friendly_name("read")
    assign = openvino.opset6.assign(op.tanh(y, name="update"), variable)
    out = op.multiply(op.relu(x, name="gate"), read, name="out")
    model = openvino.Model([op.result(out)], [assign], [x, y], "two")
    openvino.serialize(model, Path(FOLDER.name) / "two.xml")
    return ov.Core().read_model(Path(FOLDER.name) / "two.xml")


def test_a_part_of_a_part_and_of_a_built_model() -> None:
    x = ops.parameter([-1, 3], np.float32, name="x")
    model = ov.Model([ops.softmax(ops.relu(ops.multiply(x, np.float32(2)), name="relu"), 1)], [x], "built")
    part = ov.cut(ov.cut(model, outputs="relu"), "x")
    assert ov.compile_model(part)(np.array([[-1, 2, 3]], np.float32))[0].tolist() == [[0, 4, 6]]
    assert order_of(part)[1] == []


def test_the_part_of_a_file() -> None:
    model_of("digits")
    path = Path(FOLDER.name) / "digits.xml"
    assert not ov.diff(ov.cut(path, "conv2"), ov.cut(str(path), ["conv2"], ["probabilities"]))
    with pytest.raises(TypeError, match="a model of ir_plugin or a path is needed, not Model"):
        ov.cut(openvino.Core().read_model(path), "conv2")


def test_every_input_has_a_tensor_name() -> None:
    x = ops.parameter([2], np.float32, name="x")
    chosen = ops.select(ops.greater(x, np.float32(0), name="mask"), x, ops.negative(x, name="minus"))
    part = ov.cut(ov.Model([chosen], [x]), ["mask", "minus"])
    assert [(port.any_name, port.element_type.name) for port in part.inputs] == [
        ("mask", "boolean"),
        ("minus", "f32"),
        ("x", "f32"),
    ]


def test_shapes_of_inputs_stay_partial() -> None:
    for shape in ("1..4,?", "...", "?,3"):
        x = ops.parameter(ov.PartialShape(shape), np.float32, name="x")
        part = ov.cut(ov.Model([ops.exp(ops.relu(x, name="r"))], [x]), "r")
        assert str(part.inputs[0].partial_shape) == str(ov.PartialShape(shape))


def test_constants_are_shared_and_can_be_inputs() -> None:
    model = model_of("digits")
    part = ov.cut(model, ["conv1/relu", "conv2/weight"], "conv2")
    assert [str(port.partial_shape) for port in part.inputs] == ["[?,24,8,8]", "[32,24,3,3]"]
    shared = next(node for node in ov.cut(model, "conv1/relu").nodes if node.name == "conv2/weight")
    original = next(node for node in model.nodes if node.name == "conv2/weight")
    assert shared.operation is original.operation
