"""Quantization of ONNX with random attributes against onnxruntime, and how it is expressed."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from onnx import TensorProto, helper

import ir_plugin as ov
from ir_plugin import onnx_backend
from ir_plugin.frontends.onnx.quantization.scales import RANGES
from tests.onnx.judged import by_onnxruntime
from tests.onnx.models import Port, model
from tests.onnx.runtime import assert_as_onnxruntime, runs, single

TYPES = (np.uint8, np.int8, np.uint16, np.int16, ml_dtypes.uint4, ml_dtypes.int4)
ALONG = ("tensor", "axis", "blocks")


def integers(rng: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return random numbers of the whole range of a type."""
    low, high = RANGES[{"uint": "u", "int": "i"}[dtype.__name__.rstrip("0123456789")] + dtype.__name__.lstrip("uint")]
    return rng.integers(low, high, shape, endpoint=True).astype(dtype)


def parameters(rng: Any, along: str, shape: tuple[int, ...], axis: int, dtype: Any) -> tuple[Any, Any]:
    """Return scales and zero points of a tensor, of an axis, or of blocks of two along it."""
    lengths = {"tensor": (), "axis": (shape[axis],)}.get(along, (*shape[:axis], shape[axis] // 2, *shape[axis + 1 :]))
    zero = integers(rng, lengths, dtype)
    return (rng.random(lengths) * 0.3 + 0.02).astype(np.float32), zero


def attributes_of(along: str, axis: int) -> dict[str, Any]:
    return {"axis": axis, "block_size": 2} if along == "blocks" else {"axis": axis}


@pytest.mark.parametrize("along", ALONG)
@pytest.mark.parametrize("dtype", TYPES[:4], ids=lambda dtype: dtype.__name__)
def test_quantize(dtype: Any, along: str) -> None:
    rng = np.random.default_rng(3)
    scale, zero = parameters(rng, along, (3, 4, 5), 1, dtype)
    values = {"x": rng.standard_normal((3, 4, 5)).astype(np.float32) * 9, "s": scale, "z": zero}
    assert_as_onnxruntime(*single("QuantizeLinear", values, 1, ("s", "z"), "", 21, **attributes_of(along, 1)))


CONSTANTS = ("x", "s", "z")
FED = TYPES[:-2]
"""Types of inputs that onnxruntime takes of NumPy: none of 4 bits."""


@pytest.mark.parametrize(
    ("dtype", "constants"),
    [*((dtype, CONSTANTS) for dtype in TYPES), *((dtype, ()) for dtype in FED)],
    ids=lambda value: getattr(value, "__name__", "constant" if value else "fed"),
)
@pytest.mark.parametrize("along", ALONG)
def test_dequantize(dtype: Any, along: str, constants: tuple[str, ...]) -> None:
    rng = np.random.default_rng(4)
    scale, zero = parameters(rng, along, (3, 4, 5), 1, dtype)
    values = {"x": integers(rng, (3, 4, 5), dtype), "s": scale, "z": zero}
    assert_as_onnxruntime(*single("DequantizeLinear", values, 1, constants, "", 21, **attributes_of(along, 1)))


@pytest.mark.parametrize("length", [7, 300])
def test_a_product_of_integers_is_exact(length: int) -> None:
    rng = np.random.default_rng(5)
    values = {"a": np.full((2, length), 255, np.uint8), "b": rng.integers(0, 256, (length, 3)).astype(np.uint8)}
    values["a"][:, ::3] -= 1
    for constants in ((), ("b",)):
        proto, feeds = single("MatMulInteger", values, 1, constants, "", 21)
        expected = values["a"].astype(np.int64) @ values["b"].astype(np.int64)
        np.testing.assert_array_equal(ov.Core().compile_model(proto)(feeds)[0], expected)


def test_weights_in_blocks_are_decompressed_as_openvinos_are() -> None:
    rng = np.random.default_rng(6)
    scale, zero = parameters(rng, "blocks", (6, 5), 0, ml_dtypes.int4)
    values = {"x": rng.integers(-8, 8, (6, 5)).astype(ml_dtypes.int4), "s": scale, "z": zero}
    proto, _ = single("DequantizeLinear", values, 1, ("x", "s", "z"), "", 21, axis=0, block_size=2)
    read = ov.Core().read_model(proto)
    types = [node.get_type_name() for node in read.get_ordered_ops() if node.get_type_name() != "Constant"]
    assert [type for type in types if type in ("Subtract", "Multiply", "Reshape")] == [
        "Subtract",
        "Multiply",
        "Reshape",
    ]
    shapes = [tuple(node.shape) for node in read.get_ordered_ops() if node.get_type_name() == "Constant"]
    assert (3, 2, 5) in shapes
    assert (3, 1, 5) in shapes


@pytest.mark.parametrize("shape", [(2, 3), (4,)])
def test_dynamic_quantization(shape: tuple[int, ...]) -> None:
    data = np.random.default_rng(8).standard_normal(shape).astype(np.float32)
    assert_as_onnxruntime(*single("DynamicQuantizeLinear", {"x": data}, 3, (), "", 21))


@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("per_filter", [False, True])
def test_convolutions_of_integers(group: int, per_filter: bool) -> None:
    rng = np.random.default_rng(9)
    filters = rng.integers(0, 256, (4, 4 // group, 3, 3)).astype(np.uint8)
    zero = rng.integers(0, 256, 4 if per_filter else ()).astype(np.uint8)
    values: dict[str, Any] = {"x": rng.integers(0, 256, (1, 4, 6, 6)).astype(np.uint8), "w": filters}
    values |= {"xz": np.uint8(7), "wz": zero}
    proto, feeds = single("ConvInteger", values, 1, ("w", "wz"), "", 21, group=group, pads=[1, 0, 1, 0], strides=[2, 1])
    if not per_filter:
        assert_as_onnxruntime(proto, feeds)
    else:
        wide = {name: value.astype(np.float32) for name, value in values.items()}
        real = {"x": wide["x"] - wide["xz"], "w": wide["w"] - wide["wz"].reshape(-1, 1, 1, 1)}
        expected = runs(*single("Conv", real, 1, (), "", 21, group=group, pads=[1, 0, 1, 0], strides=[2, 1]))[0]
        np.testing.assert_array_equal(ov.Core().compile_model(proto)(feeds)[0], expected)


def pair(dtype: Any, per_channel: bool, second: float = 1.0) -> Any:
    """Return a model of QuantizeLinear and DequantizeLinear, whose scale may be another."""
    rng = np.random.default_rng(11)
    scale, zero = parameters(rng, "axis" if per_channel else "tensor", (3, 4, 5), 1, dtype)
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], axis=1),
        helper.make_node("DequantizeLinear", ["q", "t", "z"], ["y"], axis=1),
    ]
    constants = {"s": scale, "t": np.asarray(scale * np.float32(second)), "z": zero}
    return model(nodes, {"x": (1, [3, 4, 5])}, ["y"], 21, constants)


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("dtype", [TYPES[0], TYPES[1], TYPES[4], TYPES[5]], ids=lambda dtype: dtype.__name__)
def test_a_pair_is_fake_quantize(dtype: Any, per_channel: bool) -> None:
    proto = pair(dtype, per_channel)
    nodes = {node.get_type_name() for node in ov.Core().read_model(proto).get_ordered_ops()}
    assert "FakeQuantize" in nodes
    assert "Round" not in nodes
    assert_as_onnxruntime(proto, {"x": np.random.default_rng(12).standard_normal((3, 4, 5)).astype(np.float32) * 3})


@pytest.mark.parametrize(("dtype", "second"), [(np.uint8, 2.0), (np.uint16, 1.0)])
def test_another_scale_or_sixteen_bits_are_no_pair(dtype: Any, second: float) -> None:
    proto = pair(dtype, per_channel=False, second=second)
    assert "FakeQuantize" not in {node.get_type_name() for node in ov.Core().read_model(proto).get_ordered_ops()}
    assert_as_onnxruntime(proto, {"x": np.random.default_rng(13).standard_normal((3, 4, 5)).astype(np.float32) * 3})


@pytest.mark.parametrize("optimize", [True, False])
def test_integer_convolutions_of_many_channels_are_exact(optimize: bool) -> None:
    generator = np.random.default_rng(0)
    weights = generator.integers(-20, 20, (48, 48, 3, 3)).astype(np.int8)
    node = helper.make_node("ConvInteger", ["x", "w", "zero"], ["y"], pads=[1, 1, 1, 1])
    feeds = {"x": generator.integers(0, 256, (1, 48, 28, 28)).astype(np.uint8), "zero": np.array(101, np.uint8)}
    ports: dict[str, Port] = {"x": (TensorProto.UINT8, [1, 48, 28, 28]), "zero": (TensorProto.UINT8, [])}
    proto = model([node], ports, ["y"], opset=13, initializers={"w": weights})
    (ours,) = onnx_backend.run_model(proto, feeds, config={"OPTIMIZE": optimize})
    np.testing.assert_array_equal(ours, by_onnxruntime(proto, feeds)[0])
