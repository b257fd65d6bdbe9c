"""The smallest failing ONNX model of every code, written as a file of this folder's tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper, parser

_HEAD = '<ir_version: 10, opset_import: ["" : 22]> main (float[2, 3] x) => ({end}) {{ {body} }} {functions}'


def text(body: str, end: str = "float[2, 3] y", functions: str = "") -> Any:
    return parser.parse_model(_HEAD.format(body=body, end=end, functions=functions))


def _opset(version: int, body: str = "y = Relu(x)") -> Any:
    proto = text(body)
    proto.opset_import[0].version = version
    return proto


def _not_utf8() -> Any:
    return text("y = Relu(x)").SerializeToString().replace(b"Relu", b"R\xff\xfeu")


def _deep() -> Any:
    """Return a model whose functions call each other 2²⁰ times."""
    calls = [f'<opset_import: ["" : 22, "own" : 1], domain: "own"> f{i} (x) => (z) {{ y = own.f{i + 1}(x) z = '
             f"own.f{i + 1}(y) }}" for i in range(20)]  # fmt: skip
    last = '<opset_import: ["" : 22], domain: "own"> f20 (x) => (z) { z = Relu(x) }'
    return parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 22, "own" : 1]> main (float[2, 3] x) => (y) { y = own.f0(x) }'
        + " ".join([*calls, last])
    )


def _changed(body: str, change: Any) -> Any:
    proto = text(body)
    change(proto.graph)
    return proto


def _missing_type(graph: Any) -> None:
    graph.input[0].type.tensor_type.elem_type = 99


def _sparse(graph: Any) -> None:
    graph.input[0].type.sparse_tensor_type.elem_type = 1


def _external(location: str, *, offset: int = 0, write: bool = False) -> Any:
    if write:
        Path(location).write_bytes(bytes(24))
    proto = text("y = Add(x, w)")
    tensor = onnx.TensorProto(name="w", data_type=1, dims=[2, 3])
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    if offset:
        tensor.external_data.add(key="offset", value=str(offset))
    proto.graph.initializer.append(tensor)
    return proto


def _weights(graph: Any) -> None:
    graph.initializer.append(numpy_helper.from_array(np.zeros(3, np.float32), "spare"))


def _broken_weights(graph: Any) -> None:
    graph.initializer.append(onnx.TensorProto(name="w", data_type=1, dims=[2, 3], raw_data=bytes(20)))


def _twice(graph: Any) -> None:
    graph.node[0].attribute.append(graph.node[0].attribute[0])


_CALLS = (
    '<opset_import: ["" : 22, "own" : 1], domain: "own"> f (x) => (z) { z = own.g(x) }'
    '<opset_import: ["" : 22, "own" : 1], domain: "own"> g (x) => (z) { z = own.f(x) }'
)
MODELS: dict[str, Any] = {
    "ON001": lambda: b"\x08\x0a\xff",
    "ON002": lambda: text("y = com.microsoft.Gelu(x)"),
    "ON003": lambda: _opset(99),
    "ON004": _not_utf8,
    "ON005": _deep,
    "ON101": lambda: text("y = Softmax<axes = 1>(x)"),
    "ON102": lambda: text("y = Softmax<axis = 1.5>(x)"),
    "ON103": lambda: text("y = Concat(x, x)"),
    "ON104": lambda: text('y = Gelu<approximate = "fast">(x)'),
    "ON105": lambda: text("y = MatMul(x)"),
    "ON106": lambda: text("y = Relu(x, x)"),
    "ON107": lambda: _changed("y = Softmax<axis = 1>(x)", _twice),
    "ON201": lambda: text("y = Relu(x) y = Neg(x)"),
    "ON202": lambda: text("[same] z = Relu(x) [same] y = Neg(z)"),
    "ON203": lambda: text("[last] y = Neg(z) [first] z = Relu(x)"),
    "ON204": lambda: text("y = Relu(xx)"),
    "ON205": lambda: text("[add] z = Add(x, y) [neg] y = Neg(z)"),
    "ON206": lambda: parser.parse_model('<ir_version: 10, opset_import: ["" : 22, "own" : 1]> main (float[2, 3] x) => '
                                        f"(float[2, 3] y) {{ y = Relu(x) }} {_CALLS}"),
    "ON207": lambda: _changed("y = Relu(x)", _weights),
    "ON301": lambda: text("[both] y = MatMul(x, x)"),
    "ON302": lambda: text("y = Relu(x)", "int64[2, 3] y"),
    "ON303": lambda: text("y = Transpose(x)", "float[2, 3] y"),
    "ON304": lambda: _changed("y = Relu(x)", _missing_type),
    "ON401": lambda: _external("weights.bin"),
    "ON402": lambda: _external("../weights.bin"),
    "ON403": lambda: _external("weights.bin", offset=8, write=True),
    "ON404": lambda: _changed("y = Add(x, w)", _broken_weights),
    "ON501": lambda: text("[act] y = Rellu(x)"),
    "ON502": lambda: _opset(13, "y = Mish(x)"),
    "ON503": lambda: text("i = Cast<to = 7>(x) y = Scatter<axis = 0>(x, i, x)"),
    "ON504": lambda: _changed("y = Relu(x)", _sparse),
}  # fmt: skip


def write(code: str, folder: Path) -> Path:
    """Return the path of the model of a code, written into a folder; external data are written into the current one."""
    made = MODELS[code]()
    path = folder / f"{code}.onnx"
    path.write_bytes(made if isinstance(made, bytes) else made.SerializeToString())
    return path
