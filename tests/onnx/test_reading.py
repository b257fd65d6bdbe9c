"""Reading ONNX models: sources, names, external data, functions, and errors that name the node."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import onnx
from onnx import helper, parser

import ir_plugin as ov
from ir_plugin import onnx_backend
from tests.onnx.models import model

TEXT = """<ir_version: 8, opset_import: ["" : 18]>
g (float[N, 3] x, float[3] y, float[2] unused) =>
    (float[N,3] out, float[N,?] out2, float[N,?] s1, float[3] again, float[3] u)
<float[3] w = {1,2,3}, int64[2] sp={1,2}, int64[1] k={1}>
{
  a = Add(x, w)
  [mul] m = Mul(a, y)
  [noname] out = Relu(m)
  h = Gelu(m)
  s0, s1 = Split<axis=1>(h, sp)
  [top] t, i = TopK<axis=0>(y, k)
  u = Add(t, y)
  out2 = Identity(s0)
  again = Identity(y)
}"""
X, Y = np.array([[1, -2, 3]], np.float32), np.array([1, 2, 3], np.float32)


def add(name: str = "the_add", **changes: Any) -> Any:
    return model([helper.make_node("Add", ["x", "w"], ["y"], name=name)], {"x": (1, [3])}, ["y"], **changes)


def external(folder: Path, location: str, **entries: Any) -> Path:
    """Return the path of a model whose initializer `w` is in a file."""
    proto = add()
    tensor = proto.graph.initializer.add(name="w", data_type=1, dims=[3], data_location=1)
    for key, value in ({"location": location} | entries).items():
        tensor.external_data.add(key=key, value=str(value))
    path = folder / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


SOURCES: dict[str, Callable[[Any, Path], Any]] = {
    "path": lambda _, path: path,
    "text": lambda _, path: str(path),
    "bytes": lambda proto, _: proto.SerializeToString(),
    "stream": lambda proto, _: io.BytesIO(proto.SerializeToString()),
    "proto": lambda proto, _: proto,
}


@pytest.mark.parametrize("source", SOURCES)
def test_sources(source: str, tmp_path: Path) -> None:
    proto = add(initializers={"w": Y})
    (tmp_path / "model.ONNX").write_bytes(proto.SerializeToString())
    compiled = ov.Core().compile_model(SOURCES[source](proto, tmp_path / "model.ONNX"))
    np.testing.assert_array_equal(compiled([X[0]])[0], X[0] + Y)


def described(read: Any) -> list[Any]:
    ports = [*read.inputs, *read.outputs]
    nodes = sorted(
        (node.friendly_name, node.get_type_name())
        for node in read.get_ordered_ops()
        if node.get_type_name() != "Constant"
    )
    return [
        read.get_friendly_name() if hasattr(read, "get_friendly_name") else read.name,
        *[(port.get_node().friendly_name, sorted(port.names), str(port.partial_shape)) for port in ports],
        *nodes,
    ]


def test_names_are_openvinos(tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino")
    path = tmp_path / "model.onnx"
    onnx.save(parser.parse_model(TEXT), path)
    assert described(ov.Core().read_model(path)) == described(openvino.Core().read_model(path))


def test_an_ir_of_a_model_runs_in_openvino(tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino")
    read = ov.Core().read_model(parser.parse_model(TEXT))
    ov.save_model(read, tmp_path / "model.xml", compress_to_fp16=False)
    inputs = [X, Y, np.zeros(2, np.float32)]
    ours = ov.Core().compile_model(read)(inputs)
    theirs = openvino.Core().compile_model(tmp_path / "model.xml", "CPU")(inputs)
    for name in ("out", "out2", "s1", "again"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-5)


def test_external_data_is_mapped(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(b"1234" + Y.tobytes())
    path = external(tmp_path, "weights.bin", offset=4, length=12)
    np.testing.assert_array_equal(ov.Core().compile_model(path)([X[0]])[0], X[0] + Y)
    read = ov.Core().read_model(path)
    (constant,) = [node for node in read.get_ops() if node.get_type_name() == "Constant"]
    assert not constant.data.flags.owndata
    assert not constant.data.flags.writeable


def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(Y.tobytes())
    return folder


@pytest.mark.parametrize(
    "location", ["../secret.bin", "a/../../secret.bin", "..\\secret.bin", "/etc/passwd", "C:\\x", ""]
)
def test_external_data_outside_the_folder_is_refused(location: str, tmp_path: Path) -> None:
    with pytest.raises(ov.ReadError, match="the external data of"):
        ov.Core().read_model(external(outside(tmp_path), location))


def test_a_symbolic_link_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    folder = outside(tmp_path)
    os.symlink(tmp_path / "secret.bin", folder / "link.bin")
    with pytest.raises(ov.ReadError, match="symbolic link"):
        ov.Core().read_model(external(folder, "link.bin"))
    (folder / "deep").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(ov.ReadError, match="symbolic link"):
        ov.Core().read_model(external(folder, "deep/secret.bin"))


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({"offset": 4}, "takes 12 bytes, not 8"),
        ({"offset": 400}, "which has 12 bytes"),
        ({"offset": 0, "length": 13}, "which has 12 bytes"),
        ({"offset": -1}, "not a number of bytes"),
        ({"length": "1e3"}, "not a number of bytes"),
        ({"length": 8}, "takes 12 bytes, not 8"),
    ],
)
def test_a_wrong_part_of_external_data_is_refused(entries: dict[str, Any], says: str, tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(Y.tobytes())
    with pytest.raises(ov.ReadError, match=says):
        ov.Core().read_model(external(tmp_path, "weights.bin", **entries))


def test_missing_external_data(tmp_path: Path) -> None:
    with pytest.raises(ov.ReadError, match="keep both files together"):
        ov.Core().read_model(external(tmp_path, "weights.bin"))


FUNCTION = """<ir_version: 8, opset_import: ["" : 18, "own" : 1]>
g (float[3] x) => (float[3] y) { t = own.twice<factor=3.0>(x)  y = own.twice(t) }
<domain: "own", opset_import: ["" : 18]>
twice <factor: float = 2.0> (a) => (b) {
    f = Constant<value_float: float = @factor>()
    c = own.product(a, f)
    b = Identity(c)
}
<domain: "own", opset_import: ["" : 18]>
product (a, f) => (b) { b = Mul(a, f) }"""


def test_functions_of_the_model() -> None:
    proto = parser.parse_model(FUNCTION)
    (found,) = onnx_backend.run_model(proto, [Y])
    np.testing.assert_array_equal(found, Y * 6)


def test_a_function_that_calls_itself_is_refused() -> None:
    proto = parser.parse_model(FUNCTION)
    proto.functions[1].node[0].op_type = "twice"
    del proto.functions[1].node[0].input[1]
    proto.functions[1].node[0].domain = "own"
    with pytest.raises(ov.Error, match="calls itself"):
        ov.Core().read_model(proto)


REFUSED = {
    "unknown operator": (
        model([helper.make_node("Rellu", ["x"], ["y"], name="r")], {"x": (1, [3])}, ["y"]),
        'ONNX node "r" .*the operator Rellu is not known in opset 23; did you mean "Relu"',
    ),
    "unknown value": (
        model([helper.make_node("Relu", ["z"], ["y"], name="r")], {"x": (1, [3])}, ["y"]),
        'ONNX node "r" .*nothing before it has the value "z"',
    ),
    "missing input": (
        model([helper.make_node("Add", ["x"], ["y"], name="a")], {"x": (1, [3])}, ["y"]),
        'ONNX node "a" \\(Add-14\\): input 1 \\(B\\) is required and absent',
    ),
    "shapes": (
        model([helper.make_node("Add", ["x", "z"], ["y"], name="a")], {"x": (1, [3]), "z": (1, [4])}, ["y"]),
        'ONNX node "a" \\(Add-14\\):',
    ),
    "attribute type": (
        model([helper.make_node("Elu", ["x"], ["y"], name="e", alpha="no")], {"x": (1, [3])}, ["y"]),
        "ONNX node \"e\" \\(Elu-22\\): the attribute 'alpha' is of the type string; it must be float",
    ),
    "missing attribute": (
        model([helper.make_node("Cast", ["x"], ["y"], name="c")], {"x": (1, [3])}, ["y"]),
        "ONNX node \"c\" \\(Cast-23\\): the attribute 'to' \\(int\\) is required and absent",
    ),
    "domain": (
        model([helper.make_node("Cast", ["x"], ["y"], name="c", domain="theirs")], {"x": (1, [3])}, ["y"]),
        "imports no opset of the domain 'theirs'",
    ),
    "defined twice": (
        model([helper.make_node("Relu", ["x"], ["y"], name=name) for name in "ab"], {"x": (1, [3])}, ["y"]),
        'ONNX node "b" .*"y" is defined twice',
    ),
    "result": (model([], {"x": (1, [3])}, ["y"]), 'ONNX output "y": nothing before it'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    proto, says = REFUSED[name]
    with pytest.raises(ov.Error, match=says):
        ov.Core().read_model(proto)


@pytest.mark.parametrize("data", [b"\x08", b"\x08\x08", b"\x08\xff\xff", b"\x08\x07\x3a\xff\xff\xff\xff\x7f"])
def test_bytes_that_are_no_model(data: bytes) -> None:
    with pytest.raises(ov.ReadError, match="not an ONNX model"):
        ov.Core().read_model(data)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ov.ReadError, match="cannot be read"):
        ov.Core().read_model(tmp_path / "none.onnx")


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ov.UnsupportedError, match=r"pip install onnx"):
        ov.Core().read_model(b"\x08\x07")


def test_initializers_of_every_kind_of_field() -> None:
    values: list[Any] = [b"x", "é".encode()]
    tensors = [
        helper.make_tensor("a", onnx.TensorProto.FLOAT16, [2], [1.5, -2]),
        helper.make_tensor("b", onnx.TensorProto.BFLOAT16, [2], [1.5, -2]),
        helper.make_tensor("c", onnx.TensorProto.INT4, [3], [-8, 7, 1]),
        helper.make_tensor("d", onnx.TensorProto.BOOL, [2], [True, False]),
        helper.make_tensor("e", onnx.TensorProto.STRING, [2], values),
        helper.make_tensor("f", onnx.TensorProto.FLOAT8E4M3FN, [2], [1.5, -2]),
        helper.make_tensor("g", onnx.TensorProto.UINT64, [1], [2**64 - 1]),
        helper.make_tensor("h", onnx.TensorProto.COMPLEX64, [1], [*values, 1 + 2j][2:]),
    ]
    names = [tensor.name for tensor in tensors]
    proto = model(
        [helper.make_node("Identity", [name], [f"{name}_out"]) for name in names], {}, [f"{n}_out" for n in names]
    )
    proto.graph.initializer.extend(tensors)
    found = onnx_backend.run_model(proto, [])
    for value, tensor in zip(found, tensors, strict=True):
        expected = onnx.numpy_helper.to_array(tensor)
        if tensor.name == "e":
            expected = np.array(["x", "é"], object)
        np.testing.assert_array_equal(value, expected)


def test_run_node() -> None:
    node = helper.make_node("Add", ["x", "y"], ["z"])
    np.testing.assert_array_equal(onnx_backend.run_node(node, [X, Y])[0], X + Y)
    assert onnx_backend.run_node(node, {"x": X, "y": Y}, opset_version=7).z.tolist() == (X + Y).tolist()


def test_the_backend_interface() -> None:
    assert onnx_backend.supports_device("CPU")
    assert not onnx_backend.supports_device("CUDA")
    assert onnx_backend.is_compatible(add(initializers={"w": Y}))
    assert not onnx_backend.is_compatible(REFUSED["unknown operator"][0])
    with pytest.raises(ov.Error, match="there is no device"):
        onnx_backend.prepare(add(initializers={"w": Y}), "CUDA")
    np.testing.assert_array_equal(onnx_backend.prepare(add(initializers={"w": Y})).run(X[0])["y"], X[0] + Y)
