"""Written files: names, open lengths, metadata, shared and external weights, errors, and the verb `convert`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import onnx
from click.testing import CliRunner

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.cli.app import app
from ir_plugin.frontends.onnx_writer.writing import onnx_bytes
from tests.onnx_writer.test_bodies import run


def dense() -> ov.Model:
    """Return x · w + w with one weight matrix for both, and a result for the sum and for the product."""
    x = ops.parameter([-1, 4], ov.Type.f32, "x")
    w = ops.constant(np.arange(16, dtype=np.float32).reshape(4, 4), name="w")
    product = ops.matmul(x, w, False, False, name="product")
    product.output(0).set_names({"p"})
    x.output(0).set_names({"x"})
    total = ops.add(product, ops.reduce_sum(w, ops.constant(0)), name="total")
    total.output(0).set_names({"y"})
    model = ov.Model([total, product], [x], "dense")
    model.set_rt_info("images", "purpose")
    return model


def test_names_shapes_metadata_and_shared_weights_survive(tmp_path: Path) -> None:
    path = tmp_path / "dense.onnx"
    ov.save_onnx(dense(), path)
    proto = onnx.load(path)
    onnx.checker.check_model(proto, full_check=True)
    graph = proto.graph
    assert [value.name for value in (*graph.input, *graph.output)] == ["x", "y", "p"]
    assert graph.name == "dense"
    assert proto.opset_import[0].version == 21
    assert {node.name for node in graph.node} >= {"product", "total"}
    first = [value.type.tensor_type.shape.dim[0].dim_param for value in (*graph.input, *graph.output)]
    assert first[0]
    assert [tensor.name for tensor in graph.initializer].count("w") == 1
    assert {entry.key: entry.value for entry in proto.metadata_props}["rt_info.purpose"] == "images"
    assert list(tmp_path.iterdir()) == [path]
    again = ov.Core().read_model(path)
    data = np.ones((2, 4), np.float32)
    results = [list(ov.compile_model(model)(data).to_dict().values()) for model in (dense(), again)]
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_external_data_is_beside_the_model(tmp_path: Path) -> None:
    weights = ops.constant(np.arange(4096, dtype=np.float32).reshape(64, 64), name="w")
    x = ops.parameter([1, 64], ov.Type.f32, "x")
    model = ov.Model([ops.matmul(x, weights, False, False)], [x])
    path = tmp_path / "big.onnx"
    ov.save_onnx(model, path, external_data=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["big.onnx", "big.onnx.data"]
    assert path.stat().st_size < 2000
    onnx.checker.check_model(str(path), full_check=True)
    data = np.ones((1, 64), np.float32)
    np.testing.assert_array_equal(
        ov.compile_model(ov.Core().read_model(path))(data)[0], ov.compile_model(model)(data)[0]
    )


def test_an_error_names_all_layers_that_cannot_be_written(tmp_path: Path) -> None:
    x = ops.parameter([4], ov.Type.i64, "x")
    low, high = (ops.constant(np.float32(number)) for number in (0, 1))
    first, second = (ops.random_uniform(x, low, high, "f32", name=name) for name in "ab")
    model = ov.Model([first, second], [x])
    with pytest.raises(ov.UnsupportedError) as caught:
        ov.save_onnx(model, tmp_path / "random.onnx")
    assert 'layer "a" (RandomUniform)' in str(caught.value)
    assert 'layer "b" (RandomUniform)' in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [("x.onnx", 5, "opset 5"), ("x.onnx", 99, "opset 99"), ("x.xml", 21, ".onnx")])
def test_wrong_opsets_and_paths_are_errors(tmp_path: Path, arguments: tuple[str, int, str]) -> None:
    name, opset, part = arguments
    with pytest.raises(ov.InputError, match=part):
        ov.save_onnx(dense(), tmp_path / name, opset)


def test_convert_writes_onnx_from_an_ir_and_from_onnx(tmp_path: Path) -> None:
    xml, first, second = (str(tmp_path / name) for name in ("m.xml", "m.onnx", "n.onnx"))
    ov.save_model(dense(), xml, compress_to_fp16=False)
    for source, target, options in ((xml, first, []), (first, second, ["--opset", "17"])):
        result = CliRunner().invoke(app, ["convert", source, "-o", target, *options])
        assert result.exit_code == 0, result.output
    proto = onnx.load(second)
    assert proto.opset_import[0].version == 17
    onnx.checker.check_model(proto, full_check=True)
    assert [value.name for value in proto.graph.output] == ["y", "p"]
    result = CliRunner().invoke(app, ["convert", first, "-o", xml, "--opset", "17"])
    assert result.exit_code != 0


def test_an_output_has_the_name_of_its_result(tmp_path: Path) -> None:
    model = dense()
    product = next(node for node in model.get_ops() if node.get_friendly_name() == "product")
    product.output(0).add_names({"a", "b"})
    total = model.output("y").node.input_value(0)
    total.replace(product.output(0))
    model.outputs[0].set_names({"b"})
    model.outputs[1].set_names({"p"})
    ov.save_onnx(model, tmp_path / "m.onnx")
    proto = onnx.load(tmp_path / "m.onnx")
    onnx.checker.check_model(proto, full_check=True)
    assert [value.name for value in proto.graph.output] == ["b", "p"]


def test_a_part_is_cut_into_onnx(tmp_path: Path) -> None:
    whole, part = tmp_path / "m.onnx", tmp_path / "part.onnx"
    ov.save_onnx(dense(), whole, 17)
    result = CliRunner().invoke(app, ["cut", str(whole), "--to", "p", "-o", str(part)])
    assert result.exit_code == 0, result.output
    proto = onnx.load(part)
    assert ([value.name for value in proto.graph.output], proto.opset_import[0].version) == (["p"], 17)


def described() -> ov.Model:
    """Return a model with layouts, several names of tensors, names of its ends, and runtime information."""
    x = ops.parameter([1, 3, 4, 4], ov.Type.f32, "picture")
    x.output(0).set_names({"images", "data"})
    x.layout = ov.Layout("NCHW")
    inner = ops.negative(x, name="turned")
    inner.output(0).set_names({"inner", "between"})
    activated = ops.relu(inner, name="activated")
    activated.output(0).set_names({"y", "features", "activations"})
    model = ov.Model([ops.result(activated, name="end")], [x])
    model.outputs[0].node.layout = "N..."
    model.set_rt_info("32", ["framework", "stride"])
    model.set_rt_info("images", "purpose")
    model.set_rt_info("f32", ["conversion", "options.v2", "type"])
    model.set_rt_info(True, ["conversion", "is_quick"])
    return model


def test_layouts_names_and_runtime_information_are_metadata() -> None:
    proto = onnx.ModelProto.FromString(onnx_bytes(described()))
    metadata = {entry.key: entry.value for entry in proto.metadata_props}
    assert [value.name for value in (*proto.graph.input, *proto.graph.output)] == ["data", "activations"]
    assert metadata == {
        "layout.data": "[N,C,H,W]", "names.data": '["images"]', "layer.data": "picture",
        "layout.activations": "[N,...]", "names.activations": '["features", "y"]', "result.activations": "end",
        "layer.activations": "activated",
        "names.between": '["inner"]', "stride": "32", "rt_info.purpose": "images",
        "rt_info.conversion.options\\.v2.type": "f32", "rt_info.conversion.is_quick": "YES",
    }  # fmt: skip
    onnx.checker.check_model(proto, full_check=True)


def test_what_an_ir_says_comes_back_from_onnx(tmp_path: Path) -> None:
    ov.save_model(described(), tmp_path / "first.xml", compress_to_fp16=False)
    first = ov.Core().read_model(tmp_path / "first.xml")
    ov.save_onnx(first, tmp_path / "model.onnx")
    ov.save_model(ov.Core().read_model(tmp_path / "model.onnx"), tmp_path / "second.xml", compress_to_fp16=False)
    second = ov.Core().read_model(tmp_path / "second.xml")
    for ours, theirs in zip((*first.inputs, *first.outputs), (*second.inputs, *second.outputs), strict=True):
        assert theirs.names == ours.names
        assert theirs.node.layout == ours.node.layout
        assert theirs.node.get_friendly_name() == ours.node.get_friendly_name()
    names, nodes = ([node.get_friendly_name() for node in model.get_ordered_ops()] for model in (first, second))
    assert nodes == names
    inner = next(node for node in second.get_ops() if node.get_friendly_name() == "turned")
    assert inner.output(0).names == {"inner", "between"}
    for path, value in ((["framework", "stride"], "32"), (["conversion", "options.v2", "type"], "f32"),
                        (["conversion", "is_quick"], "YES"), (["purpose"], "images")):  # fmt: skip
        assert second.get_rt_info(path).astype(str) == first.get_rt_info(path).astype(str) == value


def test_metadata_of_others_is_runtime_information_of_the_framework(tmp_path: Path) -> None:
    proto = onnx.ModelProto.FromString(onnx_bytes(dense()))
    del proto.metadata_props[:]
    odd = {"stride": "32", "layout.x": "no layout [", "names.x": "5", "rt_info.": "empty", "names.y": '["p", "x", 7]'}
    for key, value in odd.items():
        proto.metadata_props.add(key=key, value=value)
    model = ov.Core().read_model(proto)
    assert model.get_rt_info(["framework", "stride"]).astype(str) == "32"
    assert [port.names for port in (*model.inputs, *model.outputs)] == [{"x"}, {"y"}, {"p"}]
    again = onnx.ModelProto.FromString(onnx_bytes(model))
    assert ("stride", "32") in [(entry.key, entry.value) for entry in again.metadata_props]
    openvino = pytest.importorskip("openvino")
    onnx.save(proto, tmp_path / "model.onnx")
    judge = openvino.Core().read_model(tmp_path / "model.onnx")
    assert judge.get_rt_info(["framework", "stride"]).astype(str) == "32"


def test_inputs_in_place_of_variables_say_what_these_start_as() -> None:
    x = ops.parameter([1, 3], ov.Type.f32, "x")
    plain = ops.read_value("plain", ov.Type.f32, ov.PartialShape([1, -1]))
    begun = ops.read_value(ops.multiply(x, x, name="square"), "begun", ov.Type.f32, [1, 3])
    total = ops.add(begun, x)
    grown = ops.concat([plain, x], 1)
    sinks = [ops.assign(total, "begun"), ops.assign(grown, "plain")]
    proto = onnx.ModelProto.FromString(onnx_bytes(ov.Model([total, grown], sinks, [x])))
    texts = {value.name: value.doc_string for value in proto.graph.input}
    assert texts == {
        "x": "",
        "past.begun": 'The variable "begun", which starts as what the layer "square" computes.',
        "past.plain": 'The variable "plain", which starts as zeros of the shape [1, 0].',
    }


def test_nodes_have_names_of_their_own_in_all_graphs() -> None:
    x, condition = ops.parameter([2, 3], ov.Type.f32, "x"), ops.parameter([], ov.Type.boolean, "c")
    branches = []
    for activate in (ops.relu, ops.sigmoid):
        inner = ops.parameter([2, 3], ov.Type.f32)
        branches.append(ov.Model([activate(inner, name="same")], [inner]))
    chosen = ops.if_op(condition)
    chosen.set_then_body(branches[0])
    chosen.set_else_body(branches[1])
    chosen.set_input(x.output(0), *(branch.get_parameters()[0] for branch in branches))
    output = chosen.set_output(*(branch.get_results()[0] for branch in branches))
    model = ov.Model([ops.tanh(ops.exp(output, name="same"), name="same")], [x, condition])
    feeds = {"x": np.ones((2, 3), np.float32), "c": np.array(True)}
    (result,) = run(onnx_bytes(model), feeds)
    np.testing.assert_allclose(result, ov.compile_model(model)(list(feeds.values()))[0], rtol=1e-6)


def test_known_lists_of_numbers_are_initializers() -> None:
    x = ops.parameter([2, 6], ov.Type.f32, "x")
    begins, ends = ops.split(ops.constant([0, 1, 1, 0]), ops.constant(0), 2).outputs()
    shape = ops.concat([ops.gather(ops.shape_of(x), ops.constant([0]), ops.constant(0)), ops.constant([2, -1])], 0)
    padded = ops.pad(ops.reshape(x, shape, False), ops.constant([0, 0, 1]), ops.constant([1, 0, 0]), "constant")
    model = ov.Model([padded, ops.pad(x, begins, ends, "edge")], [x])
    proto = onnx.ModelProto.FromString(onnx_bytes(model))
    assert sorted(node.op_type for node in proto.graph.node) == ["Pad", "Pad", "Reshape"]
    data = np.arange(12, dtype=np.float32).reshape(2, 6)
    for ours, theirs in zip(
        ov.compile_model(model)(data).to_tuple(), run(proto.SerializeToString(), {"x": data}), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
