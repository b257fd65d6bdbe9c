"""Operators whose inputs are known only in the run, and types that few models have, beside onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from onnx import TensorProto, helper

import ir_plugin as ov
from ir_plugin import onnx_backend
from tests.onnx.judged import by_onnxruntime
from tests.onnx.models import Port, model
from tests.onnx.runtime import assert_as_onnxruntime, single

REDUCTIONS = (
    "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
    "ReduceSum", "ReduceSumSquare",
)  # fmt: skip
X = np.arange(1, 13, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("axes", [[], [1], [0, -1]], ids=str)
@pytest.mark.parametrize("type", REDUCTIONS)
def test_as_many_axes_as_the_run_gives(type: str, axes: list[int], keepdims: int) -> None:
    values = {"data": X, "axes": np.array(axes, np.int64)}
    assert_as_onnxruntime(*single(type, values, domain="", version=20, dynamic=True, keepdims=keepdims))


def test_no_axes_are_none_where_the_node_says_so() -> None:
    values = {"data": X, "axes": np.array([], np.int64)}
    assert_as_onnxruntime(*single("ReduceSum", values, domain="", version=20, dynamic=True, noop_with_empty_axes=1))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_the_logarithm_of_a_sum_of_integers_is_cut(dtype: Any) -> None:
    values = {"data": X.astype(dtype), "axes": np.array([1])}
    assert_as_onnxruntime(*single("ReduceLogSum", values, domain="", version=20, constants=("axes",)))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.float32, np.float64])
def test_shrinking_integers_adds_the_bias_before_it_is_cut(dtype: Any) -> None:
    data = np.arange(-4 if np.dtype(dtype).kind != "u" else 0, 5).astype(dtype)
    for bias, limit in ((1.6, 1.5), (0.25, 0.5), (1.0, 2.0)):
        assert_as_onnxruntime(*single("Shrink", {"x": data}, domain="", version=9, bias=bias, lambd=limit))


@pytest.mark.parametrize("is_dynamic", [False, True])
@pytest.mark.parametrize("length", [(2, 5, 1), (1, 3, 4), (3, 2, 4), (0, 3, 4)], ids=str)
def test_indices_may_cover_a_part_of_the_other_axes(length: tuple[int, ...], is_dynamic: bool) -> None:
    data = np.arange(36, dtype=np.float32).reshape(3, 3, 4)
    indices = np.random.default_rng(0).integers(-3, 3, length)
    values = {"data": data, "indices": indices}
    assert_as_onnxruntime(*single("GatherElements", values, domain="", version=13, dynamic=is_dynamic, axis=1))


@pytest.mark.parametrize("is_dynamic", [False, True])
def test_indices_beyond_the_other_axes_are_refused(is_dynamic: bool) -> None:
    values = {"data": np.zeros((3, 3), np.float32), "indices": np.zeros((4, 3), np.int64)}
    proto, feeds = single("GatherElements", values, domain="", version=13, dynamic=is_dynamic, axis=1)
    with pytest.raises(ov.Error, match="differ in a dimension"):
        onnx_backend.run_model(proto, feeds)


def _of_unknown_ranks(node: Any, feeds: dict[str, Any], opset: int) -> Any:
    ports = {name: (helper.np_dtype_to_tensor_dtype(value.dtype), None) for name, value in feeds.items()}
    return model([node], ports, list(node.output), opset=opset)


@pytest.mark.parametrize("opset", [9, 16])
def test_slopes_of_unknown_rank_belong_to_the_last_axis(opset: int) -> None:
    feeds = {"x": -np.ones((2, 4, 4), np.float32), "slope": np.arange(4, dtype=np.float32)}
    assert_as_onnxruntime(_of_unknown_ranks(helper.make_node("PRelu", ["x", "slope"], ["y"]), feeds, opset), feeds)


def test_data_of_unknown_rank_are_quantized() -> None:
    node = helper.make_node("DynamicQuantizeLinear", ["x"], ["y", "scale", "zero"])
    assert_as_onnxruntime(_of_unknown_ranks(node, {"x": X}, 19), {"x": X})


def test_a_function_of_unknown_inputs_says_what_it_needs() -> None:
    feeds = {name: np.zeros((1, 2, 2, 2), np.float32) for name in ("x", "cosines", "sines")}
    node = helper.make_node("RotaryEmbedding", list(feeds), ["y"], "turn")
    with pytest.raises(ov.Error, match=r'"turn" .*the ranks and types of the inputs must be known'):
        ov.Core().read_model(_of_unknown_ranks(node, feeds, 23))


@pytest.mark.parametrize("optimize", [True, False])
def test_texts_are_padded_by_empty_texts(optimize: bool) -> None:
    data = np.array([["a", "b"], ["c", "d"]], object)
    pads = helper.make_node("Pad", ["x", "pads"], ["padded"])
    lower = helper.make_node("Trilu", ["x"], ["lower"], upper=0)
    ports = {"x": (TensorProto.STRING, [2, 2]), "pads": (TensorProto.INT64, [4])}
    proto = model([pads, lower], ports, ["padded", "lower"], opset=21)
    feeds = {"x": data, "pads": np.array([0, 1, 0, 0])}
    padded, lower = onnx_backend.run_model(proto, feeds, config={"OPTIMIZE": optimize})
    assert padded.tolist() == [["", "a", "b"], ["", "c", "d"]]
    assert lower.tolist() == [["a", ""], ["c", "d"]]


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("type", ["ScatterElements", "ScatterND"])
def test_many_elements_of_two_words_are_scattered(type: str, optimize: bool) -> None:
    data = np.arange(4096).reshape(64, 64) + 1j
    indices = np.array([[i % 64] * 64 for i in range(64)]) if type == "ScatterElements" else np.indices((64, 64)).T
    proto, feeds = single(type, {"x": data, "indices": indices, "updates": -data}, domain="", version=18)
    (scattered,) = onnx_backend.run_model(proto, feeds, config={"OPTIMIZE": optimize})
    np.testing.assert_array_equal(scattered, -data if type == "ScatterElements" else -data.T)


@pytest.mark.parametrize("auto_pad", ["NOTSET", "SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize("extra", [[0, 0], [0, 1]])
@pytest.mark.parametrize("optimize", [True, False])
def test_the_larger_pad_of_a_transposed_convolution(auto_pad: str, extra: list[int], optimize: bool) -> None:
    generator = np.random.default_rng(0)
    feeds = {"x": generator.normal(size=(1, 1, 3, 4)).astype(np.float32)}
    weights = generator.normal(size=(1, 2, 3, 4)).astype(np.float32)
    node = helper.make_node(
        "ConvTranspose", ["x", "weights"], ["y"], auto_pad=auto_pad, strides=[1, 2], output_shape=[4, 7]
    )
    node.attribute.append(helper.make_attribute("output_padding", extra))
    proto = model(
        [node], {"x": (TensorProto.FLOAT, [1, 1, "h", "w"])}, ["y"], opset=11, initializers={"weights": weights}
    )
    (ours,) = onnx_backend.run_model(proto, feeds, config={"OPTIMIZE": optimize})
    (theirs,) = by_onnxruntime(proto, feeds)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("lengths", [None, [4, 7], [3, 8]], ids=str)
@pytest.mark.parametrize("auto_pad", ["NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize("dynamic", ["filters", "data", "both"])
@pytest.mark.parametrize("optimize", [True, False])
def test_filters_of_unknown_lengths(auto_pad: str, lengths: list[int] | None, dynamic: str, optimize: bool) -> None:
    generator = np.random.default_rng(0)
    feeds = {
        name: generator.normal(size=(1, 1, *size)).astype(np.float32) for name, size in (("x", (3, 4)), ("w", (2, 5)))
    }
    node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], auto_pad=auto_pad, strides=[1, 2])
    if lengths:
        node.attribute.append(helper.make_attribute("output_shape", lengths))
    unknown = {"filters": "w", "data": "x", "both": "xw"}[dynamic]
    ports: dict[str, Port] = {
        name: (TensorProto.FLOAT, [1, 1, f"{name}0", f"{name}1"] if name in unknown else value.shape)
        for name, value in feeds.items()
    }
    proto = model([node], ports, ["y"], opset=11)
    (ours,) = onnx_backend.run_model(proto, feeds, config={"OPTIMIZE": optimize})
    (theirs,) = by_onnxruntime(proto, feeds)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
