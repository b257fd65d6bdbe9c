"""`convert_model` and `ir-plugin convert`: the forms of OpenVINO's arguments, cuts, and IRs that OpenVINO reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import onnx
from click.testing import CliRunner, Result
from onnx import parser

import ir_plugin as ours
from ir_plugin import Error
from ir_plugin.cli.app import app

TWO = """<ir_version: 8, opset_import: ["" : 17]>
    two (float[N, 3] a, float[N, 3] b) => (float[N, 3] r, float[N, 3] n)
    { [add] s = Add(a, b)  [relu] r = Relu(s)  [neg] n = Neg(b) }"""
FORMS = [
    "", "input='a'", "input=['a','b']", "input=('a','b')", "input=['b','a']", "input=[]", "input={}", "output=[]",
    "input=[[2,3],[2,3]]", "input=[[2,3]]", "input=[ov.PartialShape([2,3]),ov.Shape([2,3])]", "input=(2,3)",
    "input=ov.PartialShape([-1,3])", "input=ov.PartialShape.dynamic()", "input=[ov.Dimension(1,8),3]",
    "input=[('b',[2,3]),('a',ov.Type.f32)]", "input=[([2,3],ov.Type.f32),ov.Type.f32]",
    "input=(('a',[2,3]),('b',[2,3]))",
    "input={'a':[2,3]}", "input={'b':[2,3],'a':[2,3]}", "input={'b':([2,3],ov.Type.f32)}", "input={'b':('b',[2,3])}",
    "input=[ov.Type.f16,ov.Type.f16]", "input=[np.float64,np.float64]", "input=[float,float]", "input=[int,np.int64]",
    "input={'a':np.float16,'b':([4,3],ov.Type.f16)}", "output='r'", "output='n'", "output=['n','r']",
    "input=['b','a'],output=['n','r']", "share_weights=False", "verbose=True", "example_input=np.zeros((2,3))",
]  # fmt: skip
"""Arguments that OpenVINO takes."""


def called(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.onnx"
    onnx.save(parser.parse_model(TWO), path)
    return path


def ends(model: Any) -> list[Any]:
    return [
        [(sorted(port.names), str(port.partial_shape), str(port.element_type.to_string())) for port in ports]
        for ports in (model.inputs, model.outputs)
    ]


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_arguments_give_openvinos_inputs_and_outputs(form: str, two: Path) -> None:
    openvino = pytest.importorskip("openvino")
    converted = [eval(f"ov.convert_model(path,{form})", {"ov": ov, "np": np, "path": two}) for ov in (ours, openvino)]
    assert ends(converted[0]) == ends(converted[1])


@pytest.mark.parametrize(("form", "message"), [
    ("input='x'", "no tensor 'x'"), ("input={'a':('q',[1])}", "'a' is called 'q'"), ("input={1:[1]}", "names as keys"),
    ("input=[[1,3],[1,3],[1]]", "3 inputs are described; the model has 2"), ("input=3", "a name, a shape"),
    ("input=('a',[1],[2])", "some inputs have a name"), ("input=('a',3.5)", "not float"),
    ("input='a[1,3]'", "'a[1,3]'"),
    ("input=['a','a']", "twice"), ("output='zz'", "no tensor 'zz'"), ("output=3", "a name or a list"),
    ("input=[('a',[2,3]),[2,3]]", "name all of them"), ("input=[ov.Type.f16]", '"add" (Add-14)'),
    ("input=[[2,3],[4,3]]", "cannot be broadcast"),
])  # fmt: skip
def test_wrong_arguments_are_errors(form: str, message: str, two: Path) -> None:
    with pytest.raises(ours.Error) as fault:
        eval(f"ov.convert_model(path,{form})", {"ov": ours, "path": two})
    assert message in str(fault.value)


@pytest.mark.parametrize("kind", [".onnx", ".xml"])
def test_names_of_inner_tensors_cut(kind: str, two: Path) -> None:
    path = two.with_suffix(kind)
    if kind == ".xml":
        ours.save_model(ours.convert_model(two), path)
    from_s = ours.convert_model(path, input="s", output="r")
    assert ends(from_s) == [[(["s"], "[?,3]", "f32")], [(["r"], "[?,3]", "f32")]]
    assert ends(ours.convert_model(path, output="s"))[1] == [(["s"], "[?,3]", "f32")]
    sized = ours.convert_model(path, input=("s", [2, 3]), output=["r"])
    assert ours.compile_model(sized)([-np.ones((2, 3), np.float32)])[0].tolist() == np.zeros((2, 3)).tolist()


def test_what_lies_before_a_cut_need_not_be_known() -> None:
    proto = parser.parse_model(TWO)
    proto.graph.node[0].op_type = "Unheard"
    with pytest.raises(ours.UnsupportedError):
        ours.convert_model(proto)
    model = ours.convert_model(proto, input=("s", [2, 3], ours.Type.f32), output="r")
    assert ends(model)[0] == [(["s"], "[2,3]", "f32")]


def test_an_ir_takes_the_same_arguments(two: Path) -> None:
    ours.save_model(ours.convert_model(two), two.with_suffix(".xml"))
    model = ours.convert_model(two.with_suffix(".xml"), input={"a": ([2, 3], ours.Type.f16), "b": ours.Type.f16})
    assert ends(model)[0] == [(["a"], "[2,3]", "f16"), (["b"], "[?,3]", "f16")]
    assert ends(ours.convert_model(two.with_suffix(".xml"), output="n"))[1] == [(["n"], "[?,3]", "f32")]


def test_the_command_writes_an_ir_that_openvino_reads(two: Path) -> None:
    openvino = pytest.importorskip("openvino")
    out = two.with_name("out.xml")
    result = called("convert", two, "-o", out, "--input", "a[2,3],b[2,3]", "--layout", "a=NC", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["inputs"][0] == {"names": ["a"], "type": "f32", "shape": "[2,3]"}
    model = openvino.Core().read_model(out)
    assert str(openvino.layout_helpers.get_layout(model.input("a"))) == "[N,C]"
    values = np.arange(6, dtype=np.float32).reshape(2, 3) - 3
    np.testing.assert_array_equal(
        openvino.compile_model(model, "CPU")([values, values])["r"], np.maximum(values * 2, 0)
    )


@pytest.mark.parametrize(("arguments", "name", "type"), [
    ([], "weighted.xml", "f16"), (["--compress_to_fp16=False"], "weighted.xml", "f32"),
    (["--compress_to_fp16", "-o", "folder/"], "folder/weighted.xml", "f16"), (["-o", "other"], "other.xml", "f16"),
])  # fmt: skip
def test_names_and_compression_are_ovcs(
    arguments: list[str], name: str, type: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    proto = parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        g (float[N, 64] x) => (y) { y = Add(x, w) }""")
    proto.graph.initializer.append(onnx.numpy_helper.from_array(np.linspace(0, 1, 64, dtype=np.float32), "w"))
    onnx.save(proto, "weighted.onnx")
    assert called("convert", "weighted.onnx", *arguments).exit_code == 0
    constants = [node for node in ours.Core().read_model(name).get_ops() if node.get_type_name() == "Constant"]
    assert constants[0].get_element_type().to_string() == type


@pytest.mark.parametrize(("arguments", "message"), [
    (["--output", "zz"], "no tensor 'zz'"), (["--input", "a[1][2]"], "write it as images[1,3,?,8..16]"),
    (["--input", "a->[1]"], "write it as"), (["--layout", "q=NC"], "names no input or output"),
])  # fmt: skip
def test_wrong_options_are_errors(arguments: list[str], message: str, two: Path) -> None:
    result = called("convert", two, "-o", two.with_name("o.xml"), *arguments)
    assert isinstance(result.exception, Error)
    assert message in str(result.exception)
