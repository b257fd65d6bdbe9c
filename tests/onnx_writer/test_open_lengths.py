"""Layers whose lengths, ranks or sizes only a run knows, and what older opsets have for them, run by onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")
pytest.importorskip("onnxruntime", reason="the extra [test]")

import onnx

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin import opset16
from ir_plugin.frontends.onnx_writer.writing import onnx_bytes
from ir_plugin.tensors import Array
from tests.onnx_writer.test_bodies import counting_loop, run

SPATIAL = (1, 2, 3, 4, 5, 7, 8)
RANDOM = np.random.default_rng(5)


def assert_equal(model: ov.Model, inputs: list[Array], opset: int = 21) -> onnx.ModelProto:
    """Compare the results of a written model in onnxruntime with ours, and return the written model."""
    content = onnx_bytes(model, opset)
    proto: onnx.ModelProto = onnx.ModelProto.FromString(content)
    ours = ov.compile_model(model)(inputs).to_tuple()
    feeds = dict(zip((value.name for value in proto.graph.input), inputs, strict=True))
    for left, right in zip(ours, run(content, feeds), strict=True):
        assert left.shape == right.shape
        np.testing.assert_allclose(right, left, rtol=1e-5, atol=1e-5)
    return proto


@pytest.mark.parametrize("rounding", ["floor", "ceil", "ceil_torch"])
@pytest.mark.parametrize("auto_pad", ["explicit", "same_upper", "same_lower"])
@pytest.mark.parametrize(("kernel", "stride", "pads"), [(2, 2, (0, 0)), (3, 2, (1, 1)), (3, 1, (1, 2)), (3, 3, (0, 1))])
@pytest.mark.parametrize("counts_pads", [False, True])
def test_poolings_of_open_lengths(
    rounding: str, auto_pad: str, kernel: int, stride: int, pads: tuple[int, int], counts_pads: bool
) -> None:
    x = ops.parameter([1, 2, -1, -1], ov.Type.f32, "x")
    begin, end = ([pad, 0] if auto_pad == "explicit" else [0, 0] for pad in pads)
    strides, sizes = [stride, 1], [kernel, 2]
    largest = opset16.max_pool(x, strides, [1, 1], begin, end, sizes, rounding, auto_pad)
    mean = opset16.avg_pool(x, strides, begin, end, sizes, not counts_pads, rounding, auto_pad)
    may_begin_in_pads = rounding != "floor" and auto_pad == "explicit" and stride + pads[1] > kernel
    for output in (largest.output(0), mean):
        model = ov.Model([output], [x])
        if may_begin_in_pads and output is mean and counts_pads == (rounding == "ceil_torch"):
            with pytest.raises(ov.UnsupportedError, match="pads"):
                onnx_bytes(model)
            continue
        for length in SPATIAL[kernel - 1 :]:
            assert_equal(model, [RANDOM.standard_normal((1, 2, length, 4)).astype(np.float32)])


def test_a_pooling_that_onnx_has_is_one_node() -> None:
    x = ops.parameter([1, 2, -1, -1], ov.Type.f32, "x")
    mean = ops.avg_pool(x, [2, 2], [0, 0], [0, 0], [2, 2], False, "ceil")
    proto = assert_equal(ov.Model([mean], [x]), [RANDOM.standard_normal((1, 2, 5, 4)).astype(np.float32)])
    assert [node.op_type for node in proto.graph.node] == ["AveragePool"]


@pytest.mark.parametrize("shape", [(1, 3), (2, 1, 3), (1, 1), (1, 0)], ids=str)
@pytest.mark.parametrize("opset", [11, 21])
def test_squeeze_of_an_unknown_rank_drops_axes_of_length_1(shape: tuple[int, ...], opset: int) -> None:
    x = ops.parameter([-1] * len(shape), ov.Type.f32, "x")
    squeezed = ops.squeeze(opset16.squeeze(x), ops.constant([0]))
    kept = ops.reshape(squeezed, ops.constant([-1] if 0 not in shape else [0]), False)
    assert_equal(ov.Model([kept], [x]), [RANDOM.standard_normal(shape).astype(np.float32)], opset)


@pytest.mark.parametrize("lengths", [(4, 6), (5, 3)], ids=str)
def test_fourier_transforms_of_open_lengths(lengths: tuple[int, int]) -> None:
    x = ops.parameter([-1, -1], ov.Type.f32, "x")
    axes, shape = ops.constant([0, 1]), ops.shape_of(x)
    spectrum = ops.rdft(x, axes)
    pairs = ops.concat([ops.unsqueeze(x, ops.constant(2)), ops.unsqueeze(ops.negative(x), ops.constant(2))], 2)
    longer = ops.add(shape, ops.constant([1, 2]))
    outputs = [
        ops.irdft(spectrum, axes), ops.irdft(spectrum, axes, shape), ops.irdft(spectrum, axes, longer),
        ops.irdft(spectrum, axes, ops.constant([3, 5])), ops.irdft(spectrum, ops.constant([1]), ops.constant([-1])),
        ops.dft(pairs, axes), ops.dft(pairs, axes, longer), ops.idft(pairs, ops.constant([1]), ops.constant([2])),
        ops.rdft(x, axes, longer),
    ]  # fmt: skip
    assert_equal(ov.Model(outputs, [x]), [RANDOM.standard_normal(lengths).astype(np.float32)])


@pytest.mark.parametrize("opset", [11, 12, 13])
def test_older_opsets_reshape_to_lengths_of_0(opset: int) -> None:
    x, pattern = ops.parameter([-1, -1], ov.Type.f32, "x"), ops.parameter([3], ov.Type.i64, "pattern")
    model = ov.Model([ops.reshape(x, pattern, False)], [x, pattern])
    for shape, target in (((2, 6), [3, 1, 4]), ((2, 0), [5, 0, 3]), ((2, 6), [3, -1, 2])):
        assert_equal(model, [RANDOM.standard_normal(shape).astype(np.float32), np.array(target)], opset)


@pytest.mark.parametrize("opset", [11, 13, 17, 18])
@pytest.mark.parametrize("mode", ["sizes", "scales"])
def test_older_opsets_resize_all_axes(opset: int, mode: str) -> None:
    x = ops.parameter([1, -1, -1, 2], ov.Type.f32, "x")
    target = ops.constant([6, 9]) if mode == "sizes" else ops.constant(np.array([2, 1.5], np.float32))
    resized = ops.interpolate(
        x, target, "nearest", mode, axes=ops.constant([1, 2]), nearest_mode="floor",
        coordinate_transformation_mode="asymmetric",
    )  # fmt: skip
    assert_equal(ov.Model([resized], [x]), [RANDOM.standard_normal((1, 3, 6, 2)).astype(np.float32)], opset)


@pytest.mark.parametrize("opset", [11, 13])
def test_older_opsets_slice_parts_of_computed_lengths(opset: int) -> None:
    x, lengths = ops.parameter([-1, 2], ov.Type.f32, "x"), ops.parameter([3], ov.Type.i64, "lengths")
    split = ops.variadic_split(x, ops.constant(0), lengths)
    model = ov.Model([split.output(number) for number in range(3)], [x, lengths])
    assert_equal(model, [RANDOM.standard_normal((6, 2)).astype(np.float32), np.array([1, 3, 2])], opset)


@pytest.mark.parametrize("opset", [11, 13])
def test_older_opsets_join_slices_of_a_loop(opset: int) -> None:
    data = np.arange(10, dtype=np.float32).reshape(5, 2)
    assert_equal(counting_loop(-1), [data], opset)
