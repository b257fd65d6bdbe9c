"""Older versions of operators: attributes that became inputs, axes, legacy broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from onnx import helper

import ir_plugin as ov
from ir_plugin import onnx_backend
from ir_plugin.frontends.onnx.registry import translators
from ir_plugin.frontends.onnx.types import number_of
from ir_plugin.tensors import ElementType
from tests.onnx.models import model

CUBE = np.linspace(-3, 4, 24, dtype=np.float32).reshape(2, 3, 4)
ROW = np.array([1, 2, 3], np.float32)
I64 = np.int64

Case = tuple[str, int, list[Any], dict[str, Any], int]

JUDGED: list[Case] = [
    ("Softmax", 7, [CUBE], {"axis": 1}, 1),
    ("Softmax", 11, [CUBE], {}, 1),
    ("Softmax", 11, [CUBE], {"axis": -1}, 1),
    ("LogSoftmax", 11, [CUBE], {"axis": 2}, 1),
    ("LogSoftmax", 7, [CUBE], {"axis": 0}, 1),
    ("Hardmax", 11, [CUBE], {"axis": 1}, 1),
    ("Hardmax", 13, [CUBE], {"axis": 1}, 1),
    ("Clip", 7, [CUBE], {"min": -1.0, "max": 2.0}, 1),
    ("Clip", 7, [CUBE], {"max": 2.0}, 1),
    ("Slice", 9, [CUBE], {"starts": [1, 0], "ends": [3, -1], "axes": [1, 2]}, 1),
    ("Slice", 9, [CUBE], {"starts": [1], "ends": [1000]}, 1),
    ("Slice", 10, [CUBE, np.array([-1]), np.array([-100]), np.array([2]), np.array([-2])], {}, 1),
    ("Slice", 13, [CUBE, np.array([0], np.int32), np.array([2], np.int32)], {}, 1),
    ("Pad", 7, [CUBE], {"pads": [0, 1, 2, 0, 0, 1], "value": 1.5}, 1),
    ("Pad", 7, [CUBE], {"pads": [0, 1, 2, 0, 0, 1], "mode": "reflect"}, 1),
    ("Pad", 11, [CUBE, np.array([0, 1, 2, 0, 0, 1])], {"mode": "edge"}, 1),
    ("Pad", 18, [CUBE, np.array([1, 2, 0, -1]), np.array(2, np.float32), np.array([2, 0])], {}, 1),
    ("Pad", 19, [CUBE, np.array([0, 1, 5, 0, 4, 1])], {"mode": "wrap"}, 1),
    ("Split", 7, [CUBE], {"split": [1, 3], "axis": 2}, 2),
    ("Split", 7, [CUBE], {"axis": 2}, 2),
    ("Split", 13, [CUBE, np.array([3, 1])], {"axis": -1}, 2),
    ("Split", 18, [CUBE], {"axis": 1, "num_outputs": 2}, 2),
    ("Squeeze", 7, [CUBE[:1]], {"axes": [0]}, 1),
    ("Squeeze", 7, [CUBE[:1]], {}, 1),
    ("Squeeze", 13, [CUBE[:1], np.array([-3])], {}, 1),
    ("Unsqueeze", 7, [CUBE], {"axes": [0, 4]}, 1),
    ("Unsqueeze", 13, [CUBE, np.array([-1, 0])], {}, 1),
    ("Reshape", 7, [CUBE, np.array([0, -1])], {}, 1),
    ("Flatten", 7, [CUBE], {"axis": 0}, 1),
    ("Flatten", 9, [CUBE], {"axis": 3}, 1),
    ("Flatten", 11, [CUBE], {"axis": -1}, 1),
    ("Flatten", 13, [CUBE], {"axis": 2}, 1),
    ("TopK", 7, [CUBE], {"k": 2, "axis": 1}, 2),
    ("TopK", 10, [CUBE, np.array([2])], {"axis": 2}, 2),
    ("TopK", 11, [CUBE, np.array([2])], {"axis": -1, "largest": 0}, 2),
    ("ArgMax", 7, [CUBE], {"axis": 1, "keepdims": 0}, 1),
    ("ArgMin", 13, [np.zeros((2, 3), np.float32)], {"axis": 1, "select_last_index": 1}, 1),
    ("ReduceSum", 7, [CUBE], {"axes": [0, 2]}, 1),
    ("ReduceSum", 7, [CUBE], {"keepdims": 0}, 1),
    ("ReduceSum", 13, [CUBE, np.array([], I64)], {"noop_with_empty_axes": 1}, 1),
    ("ReduceSum", 13, [CUBE, np.array([-1])], {"keepdims": 0}, 1),
    ("ReduceMean", 11, [CUBE], {"axes": [-1]}, 1),
    ("ReduceLogSumExp", 11, [CUBE * 100], {"axes": [1], "keepdims": 0}, 1),
    ("ReduceL2", 13, [CUBE], {"axes": [1]}, 1),
    ("ReduceMax", 12, [(CUBE * 10).astype(np.int8)], {"axes": [1]}, 1),
    ("Tile", 7, [CUBE, np.array([1, 2, 3])], {}, 1),
    ("Transpose", 7, [CUBE], {}, 1),
    ("Transpose", 13, [CUBE], {"perm": [1, 0, 2]}, 1),
    ("Concat", 7, [CUBE, CUBE], {"axis": 1}, 1),
    ("Dropout", 7, [CUBE], {"ratio": 0.3}, 1),
    ("Dropout", 10, [CUBE], {"ratio": 0.3}, 1),
    ("Dropout", 12, [CUBE], {}, 2),
    ("Gemm", 7, [CUBE[0], CUBE[1], ROW], {"transB": 1, "alpha": 0.5, "beta": 2.0}, 1),
    ("Gemm", 9, [CUBE[0], CUBE[1], ROW], {"transB": 1}, 1),
    ("Gemm", 11, [CUBE[0], CUBE[1]], {"transA": 1}, 1),
    ("PRelu", 7, [CUBE, ROW[:, None]], {}, 1),
    ("PRelu", 9, [CUBE, np.array([0.1, 0.2, 0.3, 0.4], np.float32)], {}, 1),
    ("Scatter", 9, [CUBE[0], np.array([[0, 2, 1, 0]]), CUBE[1][:1]], {"axis": 0}, 1),
    ("ScatterElements", 18, [CUBE[0], np.array([[0, -1, 1, 0]]), CUBE[1][:1]], {"reduction": "max"}, 1),
    ("ScatterND", 16, [CUBE[0], np.array([[0], [-1], [0]]), CUBE[1]], {"reduction": "add"}, 1),
    ("Compress", 9, [CUBE, np.array([True, False, True])], {"axis": 1}, 1),
    ("Compress", 11, [CUBE, np.array([False, True, True])], {}, 1),
    ("OneHot", 9, [np.array([0, 2, -1]), np.array(3), np.array([5, 7], np.float32)], {"axis": 0}, 1),
    ("Mod", 10, [np.array([-7, 7, 5]), np.array([3, -3, 5])], {}, 1),
    ("Mod", 10, [np.array([-7, 7, 5]), np.array([3, -3, 5])], {"fmod": 1}, 1),
    ("Pow", 12, [ROW, np.array([2, 3, 1], np.int64)], {}, 1),
    ("Div", 7, [np.array([-7, 7], np.int32), np.array([2, -2], np.int32)], {}, 1),
    ("Range", 11, [np.array(5), np.array(-2), np.array(-3)], {}, 1),
    ("Trilu", 14, [CUBE, np.array(1)], {"upper": 0}, 1),
    ("EyeLike", 9, [np.zeros((3, 4), np.float32)], {"k": 1}, 1),
    ("CumSum", 11, [CUBE, np.array(-1)], {"exclusive": 1, "reverse": 1}, 1),
    ("Shape", 13, [CUBE], {}, 1),
    ("Shape", 15, [CUBE], {"start": -2, "end": 3}, 1),
    ("Size", 7, [CUBE], {}, 1),
    ("Expand", 8, [ROW, np.array([2, 1, 1])], {}, 1),
    ("Where", 9, [np.array([True, False, True]), ROW, -ROW], {}, 1),
    ("DepthToSpace", 7, [np.arange(16, dtype=np.float32).reshape(1, 4, 2, 2)], {"blocksize": 2}, 1),
    ("DepthToSpace", 11, [np.arange(16, dtype=np.float32).reshape(1, 4, 2, 2)], {"blocksize": 2, "mode": "CRD"}, 1),
    ("SpaceToDepth", 7, [np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)], {"blocksize": 2}, 1),
    ("ReverseSequence", 10, [CUBE[0].T.copy(), np.array([1, 2, 4])], {"time_axis": 0, "batch_axis": 1}, 1),
    ("Unique", 11, [np.array([2, 1, 1, 3, 4, 3], np.float32)], {}, 4),
    ("ThresholdedRelu", 10, [CUBE], {"alpha": 1.5}, 1),
    ("Shrink", 9, [CUBE], {"bias": 0.5, "lambd": 1.5}, 1),
    ("Celu", 12, [CUBE], {"alpha": 2.0}, 1),
    ("HardSigmoid", 7, [CUBE], {"alpha": 0.3}, 1),
    ("Selu", 7, [CUBE], {}, 1),
    ("IsInf", 10, [np.array([1, np.inf, -np.inf], np.float32)], {"detect_negative": 0}, 1),
]


def of_case(case: Case) -> Any:
    type, opset, inputs, attributes, outputs = case
    ports = {f"i{n}": (number_of(ElementType(value.dtype)), value.shape) for n, value in enumerate(inputs)}
    names = [f"o{n}" for n in range(outputs)]
    return model([helper.make_node(type, list(ports), names, name="node", **attributes)], ports, names, opset)


@pytest.mark.parametrize("case", JUDGED, ids=lambda case: f"{case[0]}-{case[1]}")
def test_as_in_onnxruntime(case: Case) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    proto, inputs = of_case(case), case[2]
    proto.ir_version = 8
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    expected = session.run(None, {f"i{n}": value for n, value in enumerate(inputs)})
    found = onnx_backend.run_model(proto, inputs)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


OLDEST: list[tuple[Case, Any]] = [
    (("Add", 6, [CUBE, ROW], {"broadcast": 1, "axis": 1}, 1), CUBE + ROW[:, None]),
    (("Sub", 1, [CUBE, ROW], {"broadcast": 1, "axis": -2}, 1), CUBE - ROW[:, None]),
    (("Mul", 6, [CUBE, CUBE[0, 0]], {"broadcast": 1}, 1), CUBE * CUBE[0, 0]),
    (("Div", 6, [CUBE, np.array([2, 4], np.float32)], {"broadcast": 1, "axis": 0}, 1), CUBE / [[[2]], [[4]]]),
    (("Greater", 1, [CUBE, ROW], {"broadcast": 1, "axis": 1}, 1), ROW[:, None] < CUBE),
    (("Pow", 1, [CUBE, ROW], {"broadcast": 1, "axis": 1}, 1), CUBE ** ROW[:, None]),
    (("Reshape", 1, [CUBE], {"shape": [0, -1]}, 1), CUBE.reshape(2, -1)),
    (("Concat", 1, [CUBE, CUBE], {}, 1), np.concatenate([CUBE, CUBE], 1)),
    (("Tile", 1, [CUBE, np.array(2, np.float32), np.array(1, np.float32)], {}, 1), np.tile(CUBE, (1, 2, 1))),
    (("Cast", 1, [CUBE], {"to": "INT32"}, 1), CUBE.astype(np.int32)),
    (("Pad", 1, [CUBE], {"paddings": [0, 0, 1, 0, 0, 0]}, 1), np.pad(CUBE, ((0, 0), (0, 0), (1, 0)))),
    (("Split", 1, [CUBE, np.array([1, 2], np.float32)], {"axis": 1}, 2), [CUBE[:, :1], CUBE[:, 1:]]),
    (("Gemm", 6, [CUBE[0], CUBE[1].T.copy(), ROW], {"broadcast": 1}, 1), CUBE[0] @ CUBE[1].T + ROW),
    (("PRelu", 1, [CUBE, ROW], {}, 1), np.where(CUBE < 0, CUBE * ROW[:, None], CUBE)),
    (("Elu", 1, [CUBE], {"consumed_inputs": [0]}, 1), np.where(CUBE < 0, np.expm1(CUBE), CUBE)),
    (("Sum", 1, [CUBE, CUBE, CUBE], {}, 1), CUBE * 3),
    (("Mean", 6, [CUBE, CUBE * 3], {}, 1), CUBE * 2),
    (("Dropout", 6, [CUBE], {"is_test": 1}, 2), [CUBE, np.ones_like(CUBE)]),
]


@pytest.mark.parametrize(("case", "expected"), OLDEST, ids=[f"{case[0]}-{case[1]}" for case, _ in OLDEST])
def test_the_oldest_versions(case: Case, expected: Any) -> None:
    found = onnx_backend.run_model(of_case(case), case[2])
    for ours, theirs in zip(found, expected if isinstance(expected, list) else [expected], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_every_translator_begins_with_a_version_of_its_schema() -> None:
    from onnx import defs

    versions: dict[tuple[str, str], set[int]] = {}
    for schema in defs.get_all_schemas_with_history():
        versions.setdefault((schema.domain, schema.name), set()).add(schema.since_version)
    known = [item for item in translators() if (item.domain, item.type) in versions]
    assert [item[:3] for item in known if item.since not in versions[item.domain, item.type]] == []
    of_runtime = ("", "SimplifiedLayerNormalization", 1)  # onnxruntime's, which it puts into this domain
    others = [item[:3] for item in translators() if item.domain in ("", "ai.onnx.ml") and item not in known]
    assert others == [of_runtime]


def test_wrong_attributes_are_named() -> None:
    for type, name, value in (("Gelu", "approximate", "x"), ("Pad", "mode", "x"), ("BitShift", "direction", "UP")):
        proto = of_case((type, 20, [CUBE, np.zeros(6, I64)][: 1 + (type != "Gelu")], {name: value}, 1))
        with pytest.raises(ov.Error, match=f"attribute '{name}' is 'x|attribute '{name}' is 'UP"):
            ov.Core().read_model(proto)
