"""Tensors, external data and functions of ONNX models that no exporter writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import FunctionProto, NodeProto, TensorProto, helper, numpy_helper

from tests.onnx.odd_models import Edit, Odd, W, imports


def tensor(**fields: Any) -> Edit:
    """Change fields of the initializer; None clears one, and `raw` changes its bytes."""

    def edit(model: Any) -> None:
        weights = model.graph.initializer[0]
        for name, value in fields.items():
            if value is None:
                weights.ClearField(name)
            elif name in ("dims", "float_data", "int32_data", "int64_data"):
                weights.ClearField(name)
                getattr(weights, name).extend(value)
            else:
                setattr(weights, name, value)

    return edit


def typed(type: int, field: str, values: Sequence[float], count: int = 6) -> Edit:
    """Give the initializer values of another type in a field; a Cast makes them f32."""

    def edit(model: Any) -> None:
        weights = model.graph.initializer[0]
        weights.Clear()
        weights.name, weights.data_type = "v", type
        weights.dims.extend([2, 3] if count == W.size else [count])
        getattr(weights, field).extend(values)
        nodes = [NodeProto.FromString(node.SerializeToString()) for node in model.graph.node]
        del model.graph.node[:]
        model.graph.node.extend([helper.make_node("Cast", ["v"], ["w"], "cast", to=1), *nodes])
        model.ir_version = 10
        imports(("", 23))(model)

    return edit


def sparse(values: Any, indices: Any, dims: Sequence[int], dtype: Any = np.int64) -> Edit:
    def edit(model: Any) -> None:
        del model.graph.initializer[:]
        item = model.graph.sparse_initializer.add()
        item.values.CopyFrom(numpy_helper.from_array(np.array(values, np.float32), "w"))
        item.indices.CopyFrom(numpy_helper.from_array(np.array(indices, dtype), "w_indices"))
        item.dims.extend(dims)

    return edit


RAW = W.tobytes()
HALF, FLOAT8 = TensorProto.FLOAT16, TensorProto.FLOAT8E4M3FN
TENSORS = [
    Odd("bytes that are too few", tensor(raw_data=RAW[:-1]), "ON404"),
    Odd("bytes that are too many", tensor(raw_data=RAW + bytes(4)), "ON404"),
    Odd("no bytes", tensor(raw_data=b""), "ON404"),
    Odd("no data", tensor(raw_data=None), "ON404"),
    Odd("bytes and numbers", tensor(float_data=[9] * 6)),
    Odd("numbers that are too few", tensor(raw_data=None, float_data=[9] * 5), "ON404"),
    Odd("numbers that are too many", tensor(raw_data=None, float_data=[9] * 7), "ON404"),
    Odd("numbers in the field of another type", tensor(raw_data=None, int64_data=[9] * 6), "ON404"),
    Odd("a negative length", tensor(dims=[-2, 3]), "ON404"),
    Odd("a length of 2**62", tensor(dims=[2**62, 3]), "ON404"),
    Odd("lengths whose product overflows", tensor(dims=[2**32, 2**32, 6]), "ON404"),
    Odd("5000 lengths", tensor(dims=[1] * 5000), "ON404"),
    Odd("a length of 0", tensor(dims=[0, 3]), "ON404"),
    Odd("type 0", tensor(data_type=0), "ON404"),
    Odd("type 99", tensor(data_type=99), "ON404"),
    Odd("texts in bytes", tensor(data_type=8), "ON404"),
    Odd("f16 beyond 16 bits", typed(HALF, "int32_data", [1, 2, 3, 4, 5, 70000]), "ON404"),
    Odd("f16 below 0", typed(HALF, "int32_data", [1, 2, 3, 4, 5, -1]), "ON404"),
    Odd("f16", typed(HALF, "int32_data", [15360] * 6)),
    Odd("f8 beyond 8 bits", typed(FLOAT8, "int32_data", [1, 2, 3, 4, 5, 300]), "ON404"),
    Odd("bf16 beyond 16 bits", typed(TensorProto.BFLOAT16, "int32_data", [1, 2, 3, 4, 5, 1 << 16]), "ON404"),
    Odd("i8 beyond 8 bits, which wraps", typed(TensorProto.INT8, "int32_data", [1, 2, 3, 4, 5, 300])),
    Odd("booleans of 7", typed(TensorProto.BOOL, "int32_data", [0, 1, 2, 3, 4, 7])),
    Odd("i4", typed(TensorProto.INT4, "int32_data", [0x21, 0x43, 0xF5])),
    Odd("i4 with a byte too many", typed(TensorProto.INT4, "int32_data", [0x21, 0x43, 0x65, 1]), "ON404"),
    Odd("an odd number of u4", typed(TensorProto.UINT4, "int32_data", [0x21, 0xF3], 3)),
    Odd("u4 with a byte too few", typed(TensorProto.UINT4, "int32_data", [0x21, 0x43]), "ON404"),
]
SPARSE = [
    Odd("positions", sparse([1, 2], [0, 5], [2, 3])),
    Odd("positions in pairs", sparse([1, 2], [[0, 0], [1, 2]], [2, 3])),
    Odd("no values", sparse([], [], [2, 3])),
    Odd("a position beyond the end", sparse([1, 2], [0, 6], [2, 3]), "ON404"),
    Odd("a negative position", sparse([1, 2], [-1, 5], [2, 3]), "ON404"),
    Odd("too few positions", sparse([1, 2], [5], [2, 3]), "ON404"),
    Odd("too many positions", sparse([1, 2], [0, 1, 5], [2, 3]), "ON404"),
    Odd("a pair beyond the end", sparse([1, 2], [[0, 0], [2, 2]], [2, 3]), "ON404"),
    Odd("triples", sparse([1, 2], [[0, 0, 0], [1, 1, 1]], [2, 3]), "ON404"),
    Odd("singles in two dimensions", sparse([1, 2], [[0], [1]], [2, 3]), "ON404"),
    Odd("positions that are real numbers", sparse([1, 2], [0, 5], [2, 3], np.float32), "ON404"),
    Odd("a matrix of values", sparse([[1, 2]], [0, 5], [2, 3]), "ON404"),
    Odd("lengths whose product overflows", sparse([1, 2], [0, 5], [2**31, 2**31]), "ON005"),
    Odd("lengths of 40 GB", sparse([1, 2], [0, 5], [100_000, 100_000]), "ON005"),
    Odd("a negative length", sparse([1, 2], [0, 5], [-2, 3]), "ON404"),
]

Entries = list[tuple[str, str]]
PLAIN = ("location", "w.bin")
EXTERNAL: list[tuple[Entries, str]] = [
    ([PLAIN], ""),
    ([PLAIN, ("offset", "0"), ("length", "24")], ""),
    ([PLAIN, ("length", "0")], ""),
    ([PLAIN, ("checksum", "0" * 40)], ""),
    ([PLAIN, ("colour", "red")], ""),
    ([("location", "./w.bin")], ""),
    *(([PLAIN, ("offset", text)], "ON403") for text in ("100", "-4", "a", " 0", "1.0", "0x0", "", "9" * 30)),
    *(([PLAIN, ("length", text)], "ON403") for text in ("20", "400", "-1", "x", "")),
    *(([("location", text)], "ON402") for text in ("", ".", "/etc/passwd", "../w.bin", "sub/../w.bin", "w.bin\0x")),
    *(([("location", text)], "ON402") for text in ("outer.bin", "loop.bin", "C:\\w.bin")),
    *(([("location", text)], "ON402") for text in ("inner.bin", "inside/w.bin", "hard.bin")),
    *(([("location", text)], "ON401") for text in ("nope.bin", "sub", "pipe.bin", "~/w.bin", "file:///w.bin")),
    *(([("location", text)], "ON401") for text in ("x" * 300, "sub/" + "x" * 300, "sub/" * 3000, "w.bin/w.bin")),
    ([], "ON402"),
    ([("offset", "0")], "ON402"),
]
"""Entries of external data, and the finding."""


def function(*nodes: NodeProto, name: str = "f", inputs: Sequence[str] = ("a",), outputs: Sequence[str] = ("b",),
             attributes: Sequence[str] = ()) -> FunctionProto:  # fmt: skip
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    body = nodes or (helper.make_node("Relu", ["a"], ["b"]),)
    return helper.make_function("own", name, inputs, outputs, body, opsets, attributes)


def calls(*functions: FunctionProto, **fields: Any) -> Edit:
    """Let the second node call the function f."""

    def edit(model: Any) -> None:
        node = model.graph.node[1]
        node.op_type, node.domain = "f", "own"
        for name, values in fields.items():
            getattr(node, name).extend(values)
        model.functions.extend(functions)
        imports(("", 18), ("own", 1))(model)

    return edit


def scaled() -> FunctionProto:
    node = helper.make_node("Softmax", ["a"], ["b"])
    node.attribute.add(name="axis", type=2, ref_attr_name="axis")
    return function(node, attributes=["axis"])


FUNCTIONS = [
    Odd("a function", calls(function())),
    Odd("two of a name", calls(function(), function(helper.make_node("Neg", ["a"], ["b"]))), "ON201"),
    Odd("one that calls itself", calls(function(helper.make_node("f", ["a"], ["b"], domain="own"))), "ON206"),
    Odd("a call with an input too many", calls(function(), input=["x"]), "ON106"),
    Odd("a call with an output too many", calls(function(), output=["z"]), "ON106"),
    Odd("a call without an input that it reads", calls(
        function(helper.make_node("Add", ["a", "c"], ["b"]), inputs=["a", "c"])), "ON301"),
    Odd("a call without an input that it does not read", calls(function(inputs=["a", "c"]))),
    Odd("an output that nothing computes", calls(function(outputs=["q"])), "ON301"),
    Odd("an attribute that the call leaves out", calls(scaled())),
    Odd("an attribute of another type", calls(scaled(), attribute=[helper.make_attribute("axis", 1.5)]), "ON104"),
    Odd("an unknown operator in one that nothing calls", calls(
        function(), function(helper.make_node("Nope", ["a"], ["b"]), name="g")), "ON501", True),
]  # fmt: skip
