"""`check x.onnx --fix`: faults with one right answer are corrected in the file, every other one leaves it as it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import onnx
from click.testing import CliRunner, Result
from onnx import TensorProto, helper, numpy_helper, parser

import ir_plugin as ov
from ir_plugin.cli.app import app

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
Change = Callable[[Any], None]


def checked(*words: object) -> Result:
    return CliRunner().invoke(app, ["check", *map(str, words)])


def model(*nodes: Any, opset: int = 22, shape: tuple[int, ...] = (2, 3), **initializers: Any) -> Any:
    """Return a model from x of [2, 3] to y."""
    x, y = (helper.make_tensor_value_info(name, FLOAT, dims) for name, dims in (("x", [2, 3]), ("y", shape)))
    tensors = [numpy_helper.from_array(np.asarray(values), name) for name, values in initializers.items()]
    graph = helper.make_graph([*nodes] or [node("Relu", "x", "y")], "main", [x], [y], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def node(op: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def changed(proto: Any, change: Change) -> Any:
    change(proto)
    return proto


def negative(proto: Any) -> None:
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_value = -1


def value_info(name: str, type: int, shape: list[int]) -> Change:
    return lambda proto: proto.graph.value_info.append(helper.make_tensor_value_info(name, type, shape))


def untyped(proto: Any) -> None:
    proto.graph.output[0].ClearField("type")


def twice(field: str) -> Change:
    return lambda proto: getattr(proto.graph, field).extend([getattr(proto.graph, field)[0]])


def double_attribute(proto: Any) -> None:
    proto.graph.node[0].attribute.extend([proto.graph.node[0].attribute[0]])


def in_a_body(proto: Any) -> None:
    """Let the branch of an If have its nodes in the wrong order."""
    branch = parser.parse_graph("g () => (float[2, 3] p) { p = Neg(q)  q = Relu(x) }")
    other = parser.parse_graph("h () => (float[2, 3] r) { r = Abs(x) }")
    proto.graph.initializer.append(numpy_helper.from_array(np.array(True), "c"))
    proto.graph.node[0].CopyFrom(helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=other))


def no_opset(proto: Any) -> None:
    proto.ClearField("opset_import")


def own_function(proto: Any) -> None:
    body = [node("Neg", "a", "b")]
    function = helper.make_function("own", "Flip", ["a"], ["b"], body, [helper.make_opsetid("", 22)])
    proto.functions.append(function)
    proto.graph.node[0].CopyFrom(node("Flip", "x", "y", domain="own"))


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "order": (
        lambda: model(node("Neg", "z", "y", name="last"), node("Relu", "x", "z")),
        "main/last: fixed: the nodes of 'main' are in topological order",
    ),
    "order in a body": (lambda: changed(model(), in_a_body), "the nodes of 'g' are in topological order"),
    "shape of a value": (
        lambda: changed(model(node("Relu", "x", "z"), node("Neg", "z", "y")), value_info("z", FLOAT, [2, 4])),
        'fixed: "z" f32[2,4] → f32[2,3]',
    ),
    "type of a value": (
        lambda: changed(model(node("Relu", "x", "z"), node("Neg", "z", "y")), value_info("z", INT64, [2, 3])),
        'fixed: "z" i64[2,3] → f32[2,3]',
    ),
    "shape of an output": (lambda: model(node("Transpose", "x", "y")), 'fixed: "y" f32[2,3] → f32[3,2]'),
    "rank of an output": (lambda: model(shape=(6,)), 'fixed: "y" f32[6] → f32[2,3]'),
    "output without a type": (lambda: changed(model(), untyped), 'fixed: "y" without a type → f32[2,3]'),
    "negative length": (lambda: changed(model(), negative), 'fixed: "x" f32[-1,3] → f32[?,3]'),
    "default of another shape": (
        lambda: changed(
            model(node("Add", "x w", "y"), w=np.ones(3, np.float32)),
            lambda proto: proto.graph.input.append(helper.make_tensor_value_info("w", FLOAT, [4])),
        ),
        'fixed: "w" f32[4] → f32[3]',
    ),
    "no opset": (lambda: changed(model(), no_opset), "fixed: version 22 of the opset 'ai.onnx' is imported"),
    "no opset of a domain": (
        lambda: model(node("Gelu", "x", "y", domain="com.microsoft")),
        "fixed: version 1 of the opset 'com.microsoft' is imported",
    ),
    "no opset of ai.onnx.ml": (
        lambda: model(node("Scaler", "x", "y", domain="ai.onnx.ml", scale=[2.0], offset=[1.0])),
        "fixed: version 5 of the opset 'ai.onnx.ml' is imported",
    ),
    "no opset of a function": (lambda: changed(model(), own_function), "version 1 of the opset 'own' is imported"),
    "unused initializer": (
        lambda: model(spare=np.ones(3, np.float32)), 'main: fixed: the initializer "spare" is deleted'
    ),
    "unused nodes": (
        lambda: model(node("Relu", "x", "y"), node("Add", "x w", "a"), node("Neg", "a", "b"), w=np.ones(1, np.float32)),
        'fixed: the node "b" is deleted',
    ),
    "equal names of nodes": (
        lambda: model(node("Relu", "x", "z", name="n"), node("Neg", "z", "y", name="n")), 'fixed: "n" → n_1'
    ),
    "copy of an initializer": (
        lambda: changed(model(node("Add", "x w", "y"), w=np.ones(3, np.float32)), twice("initializer")),
        'fixed: the copy of the initializer "w" is deleted',
    ),
    "copy of an input": (lambda: changed(model(), twice("input")), 'fixed: the copy of the input "x" is deleted'),
    "copy of a node": (lambda: changed(model(), twice("node")), 'fixed: the copy "y" of "y" is deleted'),
    "copy of an attribute": (
        lambda: changed(model(node("Softmax", "x", "y", axis=1)), double_attribute),
        'fixed: the copy of the attribute "axis" is deleted',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_has_one_right_answer_is_fixed(name: str, tmp_path: Path) -> None:
    build, line = CASES[name]
    path = tmp_path / "m.onnx"
    before = build().SerializeToString()
    path.write_bytes(before)
    shown = checked(path, "--diff")
    assert shown.exit_code == 0
    assert shown.stdout.startswith(f"--- {path}\n+++ {path} (fixed)\n@@ ")
    assert path.read_bytes() == before
    assert "fixable with --fix" in checked(path).stdout
    fixed = checked(path, "--fix")
    assert line in fixed.stderr
    assert (fixed.exit_code, fixed.stdout) == (0, "1 model checked, nothing found\n")
    proto = onnx.load(path)
    if not any(entry.domain == "com.microsoft" for entry in proto.opset_import):
        onnx.checker.check_model(proto, full_check=True)
    array = np.ones((2, 3), np.float32)
    assert len(ov.compile_model(ov.Core().read_model(path))(array)) == 1
    assert checked(path, "--diff").stdout == ""


def ambiguous_values(proto: Any) -> None:
    proto.graph.initializer.append(numpy_helper.from_array(np.zeros(3, np.float32), "w"))


UNTOUCHED: dict[str, tuple[Callable[[], Any], str]] = {
    "no model": (lambda: b"\x08\x0a\xff", "ON001"),
    "a cycle": (lambda: model(node("Add", "x y", "z"), node("Neg", "z", "y")), "ON205"),
    "two definitions": (lambda: model(node("Relu", "x", "y"), node("Neg", "x", "y")), "ON201"),
    "two values": (
        lambda: changed(model(node("Add", "x w", "y"), w=np.ones(3, np.float32)), ambiguous_values), "ON201"
    ),
    "an opset that may be two": (lambda: changed(model(node("Softmax", "x", "y")), no_opset), "ON002"),
    "an unknown domain": (lambda: model(node("Strange", "x", "y", domain="nobody")), "ON002"),
    "shapes that do not fit": (
        lambda: changed(model(node("MatMul", "x x", "z"), node("Neg", "z", "y")), value_info("y", FLOAT, [9])), "ON301"
    ),
    "an initializer whose name may be mistyped": (
        lambda: model(node("Add", "x ww", "y"), w=np.ones(3, np.float32)), "ON204"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNTOUCHED)
def test_what_has_no_single_answer_is_left_with_its_finding(name: str, tmp_path: Path) -> None:
    build, code = UNTOUCHED[name]
    content = build()
    before = content if isinstance(content, bytes) else content.SerializeToString()
    path = tmp_path / "m.onnx"
    path.write_bytes(before)
    result = checked(path, "--fix", "--format", "concise")
    assert result.exit_code in (1, 2)
    assert code in result.stdout
    assert "fixed:" not in result.stderr
    assert path.read_bytes() == before
    assert checked(path, "--diff").stdout == ""


def test_faults_of_several_kinds_are_fixed_at_once(tmp_path: Path) -> None:
    proto = model(
        node("Neg", "z", "y", name="n"), node("Relu", "x", "z", name="n"), node("Abs", "x", "a"),
        spare=np.ones(3, np.float32), shape=(7,),
    )  # fmt: skip
    no_opset(proto)
    value_info("z", INT64, [2, 3])(proto)
    path = tmp_path / "m.onnx"
    onnx.save(proto, path)
    result = checked(path, "--fix")
    assert (result.exit_code, result.stdout) == (0, "1 model checked, nothing found\n")
    assert result.stderr.count("fixed:") == 7
    onnx.checker.check_model(str(path), full_check=True)


def external(location: str) -> Any:
    proto = model(node("Add", "x w", "y"))
    tensor = TensorProto(name="w", data_type=FLOAT, dims=[3], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", "4"), ("length", "12")):
        tensor.external_data.add(key=key, value=value)
    proto.graph.initializer.append(tensor)
    return proto


@pytest.mark.parametrize("location", ["data/w.bin", "../w.bin", "/home/export/w.bin", "C:\\export\\w.bin"])
@pytest.mark.parametrize("folder", ["", "weights"])
def test_external_data_in_the_folder_are_found(location: str, folder: str, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(external(location), path)
    values = np.arange(4, dtype=np.float32)
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / "w.bin").write_bytes(values.tobytes())
    assert f'"w" in {location!r} → ' in checked(path, "--fix").stderr
    assert checked(path).exit_code == 0
    result = ov.compile_model(ov.Core().read_model(path))(np.zeros((2, 3), np.float32))[0]
    np.testing.assert_array_equal(result, [values[1:]] * 2)


@pytest.mark.parametrize("files", [[], ["a/w.bin", "b/w.bin"], ["short/w.bin"]])
def test_external_data_that_are_nowhere_or_in_two_places_stay(files: list[str], tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(external("data/w.bin"), path)
    before = path.read_bytes()
    for name in files:
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(bytes(8 if name.startswith("short") else 16))
    result = checked(path, "--fix")
    assert result.exit_code == 1
    assert "ON401" in result.stdout
    assert path.read_bytes() == before


def test_a_link_that_leads_elsewhere_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(bytes(16))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "w.bin").symlink_to(tmp_path / "secret.bin")
    onnx.save(external("../w.bin"), folder / "m.onnx")
    assert "ON402" in checked(folder / "m.onnx", "--fix").stdout


def test_without_the_package_onnx_the_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(CASES["order"][0](), path)
    before = path.read_bytes()
    monkeypatch.setitem(sys.modules, "onnx", None)
    result = checked(path, "--fix")
    assert result.exit_code == 2
    assert "pip install onnx" in result.stdout
    with pytest.raises(ov.UnsupportedError, match="pip install onnx"):
        CliRunner().invoke(app, ["check", str(path), "--diff"], catch_exceptions=False)
    assert path.read_bytes() == before


def test_the_difference_is_text_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(model(node("Neg", "z", "y", name="last"), node("Elu", "x", "z", alpha=2.0)), path)
    shown = checked(path, "--diff").stdout
    assert "+  z = Elu<alpha: 2.0>(x)\n   [last] y = Neg(z)\n-  z = Elu<alpha: 2.0>(x)\n" in shown


def test_an_impossible_opset_of_a_function_is_a_finding(tmp_path: Path) -> None:
    proto = changed(model(), own_function)
    proto.functions[0].opset_import[0].version = 0
    path = tmp_path / "m.onnx"
    onnx.save(proto, path)
    result = checked(path, "--fix", "--format", "concise")
    assert result.exit_code == 1
    assert "ON002" in result.stdout


def test_the_difference_of_a_model_with_an_operator_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(changed(model(), no_opset).SerializeToString().replace(b"Relu", b"R\xff\xfeu"))
    assert checked(path, "--diff").exit_code == 0
    assert checked(path, "--fix").exit_code == 1
