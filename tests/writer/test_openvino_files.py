"""Files that OpenVINO wrote, read and written again: layer by layer they are spelled the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from lxml import etree
from openvino import opset13 as op

import ir_plugin
from tests.writer.same import require_same

F32 = np.float32


def attributes_model() -> Any:
    x = op.parameter(ov.PartialShape("1,4,?,1..8"), F32, name="x")
    x.output(0).set_names({"x", "a,b", "q\\w"})
    x.set_layout(ov.Layout("NCHW"))
    weights = op.constant(np.random.default_rng(0).random((4, 4, 3, 3), F32), name="w")
    same = op.constant(weights.data.copy(), name="w2")
    first = op.convolution(x, weights, [1, 1], [0, 0], [0, 0], [1, 1])
    second = op.convolution(x, same, [1, 1], [0, 0], [0, 0], [1, 1])
    total = op.add(first, second)
    total.set_friendly_name('su<m&"é>')
    total.output(0).set_names({"s"})
    clamp = op.clamp(total, 0.7, 3.4e38)
    parts = op.split(clamp, 1, 2)
    gelu = op.gelu(total, "tanh")
    normal = op.mvn(total, op.constant(np.array([1])), True, 1e-9, "inside_sqrt")
    soft = op.softmax(total, 1)
    prelu = op.prelu(total, op.constant(F32(0.1)))
    xor = op.logical_xor(op.constant(np.array(True)), op.constant(np.array([True, False])))
    low = op.convert(op.constant(np.array([1, 2, 3], np.uint8), dtype=ov.Type.u4), "f32")
    outputs = [parts.output(0), total, gelu, normal, soft, prelu, xor, low, op.constant(ov.Tensor(["ab", "ü", ""])), x]
    model = ov.Model([op.result(output) for output in outputs], [x], "net<")
    for value, path in (("v", ["a", "b"]), ([1, 2], ["list"]), (True, ["flag"]), ("x y", ["c", "1x"]), (1.5, ["f"])):
        model.set_rt_info(value, path)
    return model


def bodies_model() -> Any:
    x = op.parameter([2, 3], F32, name="x")
    iteration, piece, state = op.parameter([], np.int64), op.parameter([1, 3], F32, name="p"), op.parameter([1, 3], F32)
    total, go_on = op.add(piece, state), op.constant(np.array(True))
    loop = op.loop(op.constant(np.array(2, np.int64)), op.constant(np.array(True)))
    loop.set_function(ov.Model([op.result(go_on), op.result(total, name="rs")], [iteration, piece, state], "body"))
    loop.set_special_body_ports([0, 0])
    loop.set_sliced_input(piece, x.output(0), 0, 1, 1, -1, 0)
    loop.set_merged_input(state, op.constant(np.zeros((1, 3), F32)).output(0), total.output(0))
    last = loop.get_iter_value(total.output(0), -1)
    every = loop.get_concatenated_slices(total.output(0), 0, 1, 1, -1, 0)
    row, fixed = op.parameter([1, 3], F32), op.parameter([1], F32)
    added = op.add(row, fixed)
    iterator = op.tensor_iterator()
    iterator.set_function(ov.Model([op.result(added)], [row, fixed], "ti"))
    iterator.set_sliced_input(row, x.output(0), -1, -1, 1, 0, 0)
    iterator.set_invariant_input(fixed, op.constant(np.ones(1, F32)).output(0))
    rows = iterator.get_concatenated_slices(added.output(0), 0, 1, 1, -1, 0)
    chosen = op.if_op(op.constant(np.array(True)).output(0))
    yes, no = op.parameter([2, 3], F32), op.parameter([2, 3], F32)
    positive, negative = op.result(op.relu(yes)), op.result(op.abs(no))
    chosen.set_then_body(ov.Model([positive], [yes], "then"))
    chosen.set_else_body(ov.Model([negative], [no], "else"))
    chosen.set_input(x.output(0), yes, no)
    picked = chosen.set_output(positive, negative)
    read = op.read_value(x, "v1", ov.Type.f32, ov.PartialShape("2,3"))
    assign = op.assign(op.add(read, x), "v1")
    results = [op.result(output) for output in (last, every, rows, picked, read)]
    return ov.Model(results, [assign], [x], "bodies")


MODELS = {"attributes": attributes_model, "bodies": bodies_model}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("how", ["serialize", "save_model"])
def test_spelled_as_openvino(name: str, how: str, tmp_path: Path) -> None:
    getattr(ov, how)(MODELS[name](), tmp_path / "theirs.xml")
    model = ir_plugin.Core().read_model(tmp_path / "theirs.xml")
    ir_plugin.serialize(model, tmp_path / "ours.xml")
    require_same(model, ir_plugin.Core().read_model(tmp_path / "ours.xml"))
    ov.serialize(ov.Core().read_model(tmp_path / "theirs.xml"), tmp_path / "reread.xml")
    theirs, ours = root_of(tmp_path / "reread.xml"), root_of(tmp_path / "ours.xml")
    assert dict(ours.attrib) == dict(theirs.attrib)
    assert graph_of(ours) == graph_of(theirs)
    assert etree.tostring(ours.find("rt_info")) == etree.tostring(theirs.find("rt_info"))
    assert (tmp_path / "ours.bin").stat().st_size == (tmp_path / "theirs.bin").stat().st_size
    again = ov.Core().read_model(tmp_path / "ours.xml")
    assert [str(port.partial_shape) for port in again.outputs] == [str(port.partial_shape) for port in model.outputs]


def root_of(path: Path) -> Any:
    return etree.parse(path).getroot()


def graph_of(element: Any) -> dict[str, Any]:
    """Return layers and edges by name, as ids depend on the order."""
    names = {layer.get("id"): layer.get("name") for layer in element.iterfind("layers/layer")}
    layers = {layer.get("name"): layer_of(layer) for layer in element.iterfind("layers/layer")}
    edges = sorted(
        (names[edge.get("from-layer")], edge.get("from-port"), names[edge.get("to-layer")], edge.get("to-port"))
        for edge in element.iterfind("edges/edge")
    )
    return {"layers": layers, "edges": edges}


def layer_of(layer: Any) -> dict[str, Any]:
    document: dict[str, Any] = {key: value for key, value in layer.attrib.items() if key != "id"}
    for child in layer:
        if child.tag in ("input", "output"):
            document[child.tag] = [port_of(port) for port in child]
        elif child.tag.endswith("body"):
            document[child.tag] = graph_of(child)
        elif child.tag.endswith("port_map") or child.tag == "back_edges":
            body = layer.find(child.tag.replace("port_map", "body") if child.tag != "back_edges" else "body")
            inner = {item.get("id"): item.get("name") for item in body.iterfind("layers/layer")}
            document[child.tag] = [(entry.tag, mapped(entry, inner)) for entry in child]
        elif child.tag == "rt_info":
            document["rt_info"] = etree.tostring(child).split()
        else:
            document[child.tag] = {key: value for key, value in child.attrib.items() if key != "offset"}
    document["children"] = [child.tag for child in layer]
    return document


def mapped(entry: Any, inner: dict[str, str]) -> dict[str, str]:
    words = ("internal_layer_id", "from-layer", "to-layer")
    return {key: inner[value] if key in words else value for key, value in entry.attrib.items()}


def port_of(port: Any) -> tuple[Any, ...]:
    info = port.find("rt_info")
    return (
        port.get("id"),
        port.get("precision"),
        sorted(port.get("names", "").split(",")),
        [dim.text for dim in port.iterfind("dim")],
        None if info is None else etree.tostring(info).split(),
    )


@pytest.mark.parametrize("name", MODELS)
def test_computes_as_before(name: str, tmp_path: Path) -> None:
    ov.serialize(MODELS[name](), tmp_path / "theirs.xml")
    ir_plugin.serialize(ir_plugin.Core().read_model(tmp_path / "theirs.xml"), tmp_path / "ours.xml")
    core = ov.Core()
    x = np.random.default_rng(1).normal(size=(1, 4, 6, 5) if name == "attributes" else (2, 3)).astype(F32)
    config = {"INFERENCE_PRECISION_HINT": "f32"}
    theirs, ours = (core.compile_model(tmp_path / f"{file}.xml", "CPU", config) for file in ("theirs", "ours"))
    for left, right in zip(theirs([x]).to_tuple(), ours([x]).to_tuple(), strict=True):
        np.testing.assert_array_equal(left, right)


CONSTANTS = {
    "plain": np.array([1.5, 2.25], F32),
    "f64": np.array([1.5, 1e-3], np.float64),
    "large": np.array([1e6], F32),
    "some large": np.array([1e6, 1, 2, 3, 4], F32),
    "mostly large": np.array([1e6, 1e6, 1e6, 1], F32),
    "infinite": np.array([np.inf, 1, 2, 3, 4], F32),
    "small": np.array([1e-9], F32),
    "some small": np.array([1e-9, 1, 2, 3, 4], F32),
    "zeros": np.zeros(3, F32),
    "integers": np.array([1, 2]),
    "f16": np.array([1], np.float16),
    "scalar": np.array(3, F32),
    "a factor": np.array(0.2, F32),
    "some factors": np.array([0.2, 0.3], F32),
    "f64 factor": np.array([1 / 3], np.float64),
    "subnormal": np.array([4.1e-7, 2.5e-14, 2.4e-6, 1.2e-7], F32),
    "far off": np.array([1, 2, 3, 40001], F32),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_compressed_as_openvino(name: str, tmp_path: Path) -> None:
    constant = op.constant(CONSTANTS[name], name="c")
    ov.serialize(ov.Model([op.result(op.abs(constant))], [], "net"), tmp_path / "plain.xml")
    ov.save_model(ov.Core().read_model(tmp_path / "plain.xml"), tmp_path / "theirs.xml")
    model = ir_plugin.Core().read_model(tmp_path / "plain.xml")
    ir_plugin.save_model(model, tmp_path / "ours.xml")
    theirs, ours = root_of(tmp_path / "theirs.xml"), root_of(tmp_path / "ours.xml")
    assert graph_of(ours) == graph_of(theirs)
    assert (tmp_path / "ours.bin").read_bytes() == (tmp_path / "theirs.bin").read_bytes()
    assert [node.name for node in model.get_ops() if node.get_type_name() == "Convert"] == []


def test_not_a_number_stays_one(tmp_path: Path) -> None:
    """OpenVINO makes the largest number of it."""
    values = np.array([np.nan, 1, 2, 3, 4], F32)
    ov.serialize(ov.Model([op.result(op.constant(values))], [], "net"), tmp_path / "plain.xml")
    ir_plugin.save_model(ir_plugin.Core().read_model(tmp_path / "plain.xml"), tmp_path / "ours.xml")
    np.testing.assert_array_equal(ir_plugin.Core().compile_model(tmp_path / "ours.xml")([])[0], values)


def test_compresses_in_bodies(tmp_path: Path) -> None:
    ov.serialize(bodies_model(), tmp_path / "plain.xml")
    ov.save_model(ov.Core().read_model(tmp_path / "plain.xml"), tmp_path / "theirs.xml")
    ir_plugin.save_model(ir_plugin.Core().read_model(tmp_path / "plain.xml"), tmp_path / "ours.xml")
    theirs, ours = root_of(tmp_path / "theirs.xml"), root_of(tmp_path / "ours.xml")
    assert graph_of(ours) == graph_of(theirs)


def shapes_model(*, quantized: bool) -> Any:
    """Return a model with constants that shapes are computed from, and others."""

    def constant(values: object, name: str) -> Any:
        return op.constant(np.array(values, F32), name=name)

    x = op.parameter([1, 3, 8, 8], F32, name="x")
    halves = op.multiply(op.convert(op.shape_of(x), "f32"), constant([1, 1, 0.5, 0.5], "halves"))
    picked = op.gather(halves, op.constant(np.array([2, 3])), op.constant(np.array(0)))
    axes = op.constant(np.array([2, 3]))
    outputs = [
        op.interpolate(x, op.convert(picked, "i64"), "nearest", "sizes", axes=axes),
        op.interpolate(x, constant([2, 2], "scales"), "nearest", "scales", axes=axes),
        op.range(constant(0, "start"), constant(5, "stop"), constant(1, "step"), "f32"),
        op.one_hot(op.constant(np.array([1])), op.constant(np.array(3)), constant(1, "on"), constant(0, "off"), 1),
        op.power(x, constant([2], "power")),
        op.tile(x, op.convert(constant([1, 1, 1, 2], "repeats"), "i64")),
        op.reshape(x, op.convert(op.multiply(constant([3, 64], "a"), constant([1, 1], "b")), "i64"), False),
    ]
    if quantized:
        outputs.append(op.fake_quantize(x, *(constant(value, f"q{i}") for i, value in enumerate((0, 1, 0, 1))), 256))
    return ov.Model([op.result(output) for output in outputs], [x], "shapes")


@pytest.mark.parametrize("quantized", [False, True])
def test_keeps_exact_what_openvino_keeps(quantized: bool, tmp_path: Path) -> None:
    ov.serialize(shapes_model(quantized=quantized), tmp_path / "plain.xml")
    ov.save_model(ov.Core().read_model(tmp_path / "plain.xml"), tmp_path / "theirs.xml")
    ir_plugin.save_model(ir_plugin.Core().read_model(tmp_path / "plain.xml"), tmp_path / "ours.xml")
    assert types_of(root_of(tmp_path / "ours.xml")) == types_of(root_of(tmp_path / "theirs.xml"))


def types_of(root: Any) -> dict[str, tuple[str, str]]:
    layers = [(layer, layer.find("data")) for layer in root.iterfind("layers/layer")]
    return {
        layer.get("name"): (layer.get("type"), "" if data is None else data.get("element_type", ""))
        for layer, data in layers
    }
