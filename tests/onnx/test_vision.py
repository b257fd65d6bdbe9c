"""Operators of images: older versions, attributes that ONNX's cases do not cover, errors, names."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from onnx import helper

import ir_plugin as ov
from ir_plugin import onnx_backend
from ir_plugin.frontends.onnx.types import number_of
from ir_plugin.tensors import ElementType
from tests.onnx.models import model

RANDOM = np.random.RandomState(0)
F32 = np.float32


def normal(*shape: int) -> Any:
    return RANDOM.normal(size=shape).astype(F32)


LINE, PLANE, CUBE = normal(2, 4, 11), normal(2, 4, 9, 8), normal(1, 2, 5, 6, 4)
SQUARE = np.arange(1.0, 17.0, dtype=F32).reshape(1, 1, 4, 4)
CHANNELS = [np.abs(normal(4)) + 0.5 for _ in range(4)]
SCALES = {n: np.array([1, 1, *n], F32) for n in ((2, 2), (0.6, 0.6), (1.5, 2.5), (0.5, 2), (1.3, 0.7), (3, 1))}

Case = tuple[str, int, list[Any], dict[str, Any], int]


def resizing(version: int, mode: str, scales: tuple[float, float], **attributes: Any) -> Case:
    inputs = [PLANE, SCALES[scales]] if version == 10 else [PLANE, np.zeros(0, F32), SCALES[scales]]
    return ("Resize", version, inputs, {"mode": mode} | attributes, 1)


def sized(version: int, mode: str, sizes: list[int], **attributes: Any) -> Case:
    return ("Resize", version, [PLANE, None, None, np.array(sizes)], {"mode": mode} | attributes, 1)


MODES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")

JUDGED: list[Case] = [
    ("Conv", 1, [PLANE, normal(6, 4, 3, 3)], {"pads": [1, 0, 2, 1], "strides": [2, 1]}, 1),
    ("Conv", 11, [PLANE, normal(6, 2, 3, 2), normal(6)], {"group": 2, "dilations": [2, 1]}, 1),
    ("Conv", 11, [PLANE, normal(8, 1, 3, 3), normal(8)], {"group": 4, "auto_pad": "SAME_UPPER", "strides": [2, 2]}, 1),
    ("Conv", 11, [PLANE, normal(3, 4, 2, 3)], {"auto_pad": "SAME_LOWER", "kernel_shape": [2, 3]}, 1),
    ("Conv", 11, [PLANE, normal(3, 4, 2, 3)], {"auto_pad": "VALID", "strides": [2, 3]}, 1),
    ("Conv", 11, [LINE, normal(5, 4, 3), normal(5)], {"pads": [2, 0]}, 1),
    ("Conv", 11, [CUBE, normal(3, 2, 2, 3, 2)], {"pads": [0, 1, 0, 1, 1, 0]}, 1),
    ("ConvTranspose", 1, [PLANE, normal(4, 3, 3, 2), normal(3)], {"strides": [2, 3], "pads": [1, 0, 0, 1]}, 1),
    ("ConvTranspose", 11, [PLANE, normal(4, 3, 3, 3)], {"group": 2, "strides": [2, 2], "output_padding": [1, 1]}, 1),
    ("ConvTranspose", 11, [PLANE, normal(4, 3, 3, 3)], {"strides": [2, 2], "output_shape": [18, 15]}, 1),
    ("ConvTranspose", 11, [PLANE, normal(4, 3, 3, 3)], {"strides": [2, 2], "auto_pad": "SAME_LOWER"}, 1),
    ("ConvTranspose", 11, [PLANE, normal(4, 3, 2, 3)], {"strides": [2, 1], "auto_pad": "SAME_UPPER"}, 1),
    ("ConvTranspose", 11, [LINE, normal(4, 2, 3)], {"dilations": [2]}, 1),
    ("MaxPool", 1, [PLANE], {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]}, 1),
    ("MaxPool", 8, [PLANE], {"kernel_shape": [2, 2], "strides": [2, 2]}, 2),
    ("MaxPool", 8, [PLANE], {"kernel_shape": [2, 3], "strides": [2, 2], "storage_order": 1}, 2),
    ("MaxPool", 12, [CUBE], {"kernel_shape": [2, 2, 2], "storage_order": 1, "pads": [1, 0, 0, 0, 0, 1]}, 2),
    ("MaxPool", 10, [PLANE], {"kernel_shape": [2, 2], "strides": [2, 3], "ceil_mode": 1, "dilations": [2, 1]}, 1),
    ("MaxPool", 12, [PLANE], {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_LOWER"}, 2),
    ("MaxPool", 12, [(PLANE * 50).astype(np.int8)], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}, 1),
    ("MaxPool", 12, [LINE], {"kernel_shape": [3], "strides": [2]}, 2),
    ("AveragePool", 7, [PLANE], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}, 1),
    ("AveragePool", 7, [PLANE], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1}, 1),
    ("AveragePool", 10, [PLANE], {"kernel_shape": [3, 3], "strides": [2, 3], "ceil_mode": 1}, 1),
    ("AveragePool", 11, [PLANE], {"kernel_shape": [2, 2], "auto_pad": "SAME_UPPER", "count_include_pad": 1}, 1),
    ("AveragePool", 19, [PLANE], {"kernel_shape": [3, 2], "dilations": [2, 2], "pads": [1, 1, 1, 1]}, 1),
    ("AveragePool", 11, [CUBE], {"kernel_shape": [2, 3, 2], "strides": [1, 2, 2]}, 1),
    ("LpPool", 2, [PLANE], {"kernel_shape": [3, 2], "p": 1}, 1),
    ("LpPool", 11, [PLANE], {"kernel_shape": [3, 2], "p": 3, "strides": [2, 2], "pads": [1, 1, 1, 1]}, 1),
    ("LpPool", 18, [PLANE], {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"}, 1),
    ("GlobalLpPool", 2, [PLANE], {"p": 1}, 1),
    ("GlobalLpPool", 2, [PLANE], {}, 1),
    ("GlobalAveragePool", 1, [CUBE], {}, 1),
    ("GlobalMaxPool", 1, [LINE], {}, 1),
    (
        "MaxUnpool",
        9,
        [SQUARE[..., :2, :2], np.array([[[[0, 3], [9, 14]]]])],
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        1,
    ),
    ("MaxRoiPool", 1, [PLANE, np.array([[0, 1, 1, 6, 7], [1, 0, 0, 3, 4]], F32)], {"pooled_shape": [2, 3]}, 1),
    ("RoiAlign", 10, [PLANE, np.array([[1, 1, 6, 7], [0, 0, 3, 4]], F32), np.array([1, 0])], {"output_height": 2}, 1),
    (
        "RoiAlign",
        16,
        [PLANE, np.array([[1, 1, 6, 7]], F32), np.array([1])],
        {"output_width": 3, "sampling_ratio": 2},
        1,
    ),
    ("RoiAlign", 10, [PLANE, np.array([[1, 1, 6, 7.5]], F32), np.array([1])], {"mode": "max", "sampling_ratio": 2}, 1),
    ("BatchNormalization", 7, [PLANE, *CHANNELS], {"epsilon": 1e-3}, 1),
    ("BatchNormalization", 9, [CUBE[:, [0, 1, 0, 1]], *CHANNELS], {}, 1),
    ("BatchNormalization", 14, [PLANE, *CHANNELS], {"training_mode": 1, "momentum": 0.8}, 3),
    ("BatchNormalization", 15, [LINE, *CHANNELS], {}, 1),
    ("InstanceNormalization", 6, [PLANE, *CHANNELS[:2]], {"epsilon": 1e-2}, 1),
    ("LayerNormalization", 17, [PLANE, normal(9, 8), normal(9, 8)], {"axis": -2}, 3),
    ("LayerNormalization", 17, [PLANE, normal(8)], {"epsilon": 0.1}, 1),
    ("GroupNormalization", 18, [PLANE, *(part[:2] for part in CHANNELS[:2])], {"num_groups": 2}, 1),
    ("GroupNormalization", 21, [PLANE, *CHANNELS[:2]], {"num_groups": 2, "epsilon": 0.01}, 1),
    ("RMSNormalization", 23, [PLANE, normal(8)], {}, 1),
    ("LRN", 1, [PLANE], {"size": 3, "alpha": 0.3, "bias": 2.0}, 1),
    ("LpNormalization", 1, [PLANE], {"axis": 1, "p": 1}, 1),
    ("LpNormalization", 1, [PLANE], {}, 1),
    ("MeanVarianceNormalization", 9, [PLANE], {}, 1),
    ("MeanVarianceNormalization", 9, [PLANE], {"axes": [1, 2, 3]}, 1),
    ("Upsample", 7, [PLANE], {"mode": "nearest", "scales": [1.0, 1.0, 2.0, 3.0]}, 1),
    ("Upsample", 7, [PLANE], {"mode": "linear", "scales": [1.0, 1.0, 2.0, 1.5]}, 1),
    ("Upsample", 9, [PLANE, SCALES[2, 2]], {"mode": "linear"}, 1),
    ("Upsample", 9, [PLANE, SCALES[1.5, 2.5]], {"mode": "nearest"}, 1),
    *(resizing(10, mode, scales) for mode in ("nearest", "linear") for scales in SCALES),
    *(
        resizing(version, "nearest", scales, coordinate_transformation_mode=transformation, nearest_mode=nearest)
        for version, scales in ((11, (2, 2)), (13, (0.6, 0.6)), (19, (1.3, 0.7)))
        for transformation in MODES
        if transformation != "align_corners" or scales == (2, 2)
        for nearest in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    ),
    *(
        resizing(11, mode, scales, coordinate_transformation_mode=transformation)
        for mode in ("linear", "cubic")
        for scales in ((2, 2), (1.5, 2.5), (0.5, 2))
        for transformation in ("half_pixel", "pytorch_half_pixel", "asymmetric")
    ),
    *(sized(13, mode, [2, 4, 5, 13], coordinate_transformation_mode=t) for mode in ("linear", "cubic") for t in MODES),
    resizing(11, "nearest", (2, 2), coordinate_transformation_mode="tf_half_pixel_for_nn"),
    resizing(13, "cubic", (0.6, 0.6), exclude_outside=1, cubic_coeff_a=-0.5),
    sized(18, "linear", [2, 4, 5, 4], antialias=1),
    sized(18, "nearest", [5, 7], axes=[3, 2]),
    sized(18, "linear", [12, 12], axes=[3, 2], keep_aspect_ratio_policy="not_larger"),
    sized(18, "linear", [12, 12], axes=[2, 3], keep_aspect_ratio_policy="not_smaller"),
    sized(19, "linear", [2, 4, 4, 12], coordinate_transformation_mode="half_pixel_symmetric"),
    (
        "Resize",
        13,
        [SQUARE, np.array([0, 0, 0.4, 0.6, 1, 1, 0.6, 1.2], F32), None, np.array([1, 1, 3, 5])],
        {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 10.0},
        1,
    ),
    ("GridSample", 16, [PLANE, normal(2, 3, 5, 2)], {"mode": "bicubic", "padding_mode": "reflection"}, 1),
    ("GridSample", 16, [PLANE, normal(2, 3, 5, 2)], {"padding_mode": "border", "align_corners": 1}, 1),
    ("GridSample", 20, [PLANE, normal(2, 3, 5, 2)], {"mode": "nearest"}, 1),
    ("GridSample", 20, [CUBE, normal(1, 3, 2, 4, 3)], {"mode": "linear", "padding_mode": "reflection"}, 1),
    ("GridSample", 20, [CUBE, normal(1, 3, 2, 4, 3)], {"mode": "nearest", "padding_mode": "border"}, 1),
    ("AffineGrid", 20, [normal(2, 2, 3), np.array([2, 3, 4, 5])], {}, 1),
    ("AffineGrid", 20, [normal(2, 3, 4), np.array([2, 3, 4, 5, 6])], {"align_corners": 1}, 1),
    ("CenterCropPad", 18, [PLANE, np.array([4, 11])], {"axes": [2, 3]}, 1),
    ("Col2Im", 18, [normal(1, 4, 9), np.array([4, 4]), np.array([2, 2])], {}, 1),
    ("Col2Im", 18, [normal(1, 8, 12), np.array([3, 4, 3]), np.array([2, 2, 2])], {}, 1),
    ("DFT", 17, [normal(2, 6, 1)], {"onesided": 1}, 1),
    ("DFT", 17, [normal(2, 6, 2), np.array(8)], {}, 1),
    ("DFT", 17, [normal(2, 3, 6, 2)], {"axis": 2, "inverse": 1}, 1),
    ("DFT", 17, [normal(2, 6, 1), np.array(5)], {}, 1),
    ("STFT", 17, [normal(1, 32, 1), np.array(4), np.hanning(8).astype(F32), np.array(8)], {}, 1),
    ("STFT", 17, [normal(2, 32, 1), np.array(8), np.hanning(8).astype(F32)], {"onesided": 0}, 1),
    ("STFT", 17, [normal(2, 32, 2), np.array(8), np.hanning(8).astype(F32)], {"onesided": 0}, 1),
    ("HannWindow", 17, [np.array(9)], {}, 1),
    ("HammingWindow", 17, [np.array(9)], {"periodic": 0}, 1),
    ("BlackmanWindow", 17, [np.array(8)], {}, 1),
    ("MelWeightMatrix", 17, [np.array(8), np.array(64), np.array(8192), np.array(0, F32), np.array(4096, F32)], {}, 1),
    ("Einsum", 12, [PLANE, PLANE], {"equation": "b c h w, b d h w -> b c d"}, 1),
    ("Det", 11, [normal(2, 3, 4, 4)], {}, 1),
]


def of_case(case: Case, constants: bool = False) -> Any:
    """Return the model of a case; with `constants` all inputs but the first are initializers."""
    type, opset, inputs, attributes, outputs = case
    names = ["" if value is None else f"i{n}" for n, value in enumerate(inputs)]
    values = {name: value for name, value in zip(names, inputs, strict=True) if name}
    fixed = {name: value for name, value in values.items() if constants and name != "i0"}
    ports = {n: (number_of(ElementType(v.dtype)), v.shape) for n, v in values.items() if n not in fixed}
    results = [f"o{n}" for n in range(outputs)]
    node = helper.make_node(type, names, results, name="node", **attributes)
    return model([node], ports, results, opset, fixed)


def by_onnxruntime(proto: Any, feeds: dict[str, Any]) -> Any:
    onnxruntime = pytest.importorskip("onnxruntime")
    proto.ir_version = 8
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


@pytest.mark.parametrize("constants", [False, True])
@pytest.mark.parametrize("case", JUDGED, ids=lambda case: f"{case[0]}-{case[1]}")
@pytest.mark.filterwarnings("ignore")
def test_as_in_onnxruntime(case: Case, constants: bool) -> None:
    proto = of_case(case, constants)
    inputs = [value for value in case[2] if value is not None][: len(proto.graph.input)]
    expected = by_onnxruntime(proto, {port.name: value for port, value in zip(proto.graph.input, inputs, strict=True)})
    results = onnx_backend.run_model(proto, inputs)
    for ours, theirs in zip(results, expected, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-5)


def by_scales(version: int, mode: str, constants: bool, **attributes: Any) -> Any:
    """Return a model that resizes `x`, of four open lengths, by scales."""
    type, names = ("Upsample", ["x", "scales"]) if version == 9 else ("Resize", ["x", "scales"])
    fixed: dict[str, Any] = {}
    if version > 10:
        names.insert(1, "roi")
        fixed["roi"] = np.zeros(0, F32)
    node = helper.make_node(type, names, ["y"], mode=mode, **attributes)
    number = number_of(ElementType.f32)
    ports = {"x": (number, [None] * 4)} | ({} if constants else {"scales": (number, [4])})
    return lambda scales: model([node], ports, ["y"], version, fixed | ({"scales": scales} if constants else {}))


@pytest.mark.parametrize("constants", [False, True])
@pytest.mark.parametrize(
    ("version", "mode"),
    [(9, "nearest"), (9, "linear"), (10, "nearest"), (10, "linear"), (13, "nearest"), (13, "linear"), (13, "cubic")],
)
@pytest.mark.parametrize("scales", [(1.4, 1.05), (1.05, 1.7), (1.05, 1.1), (2, 1.12), (1, 1.01)], ids=str)
@pytest.mark.filterwarnings("ignore")
def test_a_scale_that_keeps_a_length_moves_its_positions(
    version: int, mode: str, scales: tuple[float, float], constants: bool
) -> None:
    values = np.array([1, 1, *scales], F32)
    proto = by_scales(version, mode, constants)(values)
    feeds = {"x": PLANE} | ({} if constants else {"scales": values})
    ours = onnx_backend.run_model(proto, [*feeds.values()])[0]
    np.testing.assert_allclose(ours, by_onnxruntime(proto, feeds)[0], rtol=2e-4, atol=2e-5)
    fixed = ("Upsample" if version == 9 else "Resize", version, [PLANE, values], {"mode": mode}, 1)
    if version > 10:
        fixed[2].insert(1, np.zeros(0, F32))
    test_as_in_onnxruntime(fixed, constants=True)


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "floor", "ceil"])
@pytest.mark.parametrize("transformation", ["half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"])
@pytest.mark.filterwarnings("ignore")
def test_nearest_by_scales_of_a_run(transformation: str, rounding: str) -> None:
    attributes = {"coordinate_transformation_mode": transformation, "nearest_mode": rounding}
    proto = by_scales(13, "nearest", False, **attributes)(None)
    compiled = ov.Core().compile_model(proto, "CPU")
    for scale in (0.25, 0.6, 0.75, 1.1, 1.2, 1.5, 2.0, 7 / 3):
        for length in (5, 10, 12, 20):
            if transformation == "align_corners" and not (scale * length).is_integer():
                continue
            feeds = {"x": np.arange(2.0 * length, dtype=F32).reshape(1, 1, 2, length)}
            feeds["scales"] = np.array([1, 1, 2, scale], F32)
            np.testing.assert_array_equal(compiled(feeds)[0], by_onnxruntime(proto, feeds)[0], f"{scale} of {length}")


def test_scales_that_keep_no_length_are_interpolate() -> None:
    for scales in ((2, 2), (1.5, 3), (0.5, 0.5), (1, 1.2)):
        read = ov.Core().read_model(by_scales(13, "linear", True)(np.array([1, 1, *scales], F32)))
        assert "Interpolate" in {node.get_type_name() for node in read.get_ops()}, scales


def per_channel(values: Any, rank: int) -> Any:
    return values.reshape(1, -1, *[1] * (rank - 2))


SCALE, BIAS, MEAN, VARIANCE = (per_channel(part, 4) for part in CHANNELS)
INFERRED = (PLANE - MEAN) / np.sqrt(VARIANCE + 1e-5) * SCALE + BIAS
OF_BATCH = (PLANE - PLANE.mean((0, 2, 3), keepdims=True)) / np.sqrt(PLANE.var((0, 2, 3), keepdims=True) + 1e-5)
EACH = [np.abs(normal(4, 9, 8)) + 0.5 for _ in range(4)]
POOLED = SQUARE.reshape(2, 2, 2, 2).transpose(0, 2, 1, 3)
UNPOOLED = np.zeros((1, 1, 5, 5), F32)
UNPOOLED[0, 0, [1, 1, 3, 3], [1, 3, 1, 3]] = [5, 6, 7, 8]

OLDEST: list[tuple[Case, Any]] = [
    (("BatchNormalization", 1, [PLANE, *CHANNELS], {"is_test": 1, "consumed_inputs": [0, 0, 0, 1, 1]}, 1), INFERRED),
    (("BatchNormalization", 6, [PLANE, *CHANNELS], {"is_test": 1}, 1), INFERRED),
    (("BatchNormalization", 6, [PLANE, *CHANNELS], {}, 1), INFERRED),
    (("BatchNormalization", 9, [PLANE, *CHANNELS], {}, 2), [OF_BATCH * SCALE + BIAS, None]),
    (
        ("BatchNormalization", 7, [PLANE, *EACH], {"spatial": 0}, 1),
        (PLANE - EACH[2]) / np.sqrt(EACH[3] + 1e-5) * EACH[0] + EACH[1],
    ),
    (("InstanceNormalization", 1, [PLANE, np.ones(4, F32), np.zeros(4, F32)], {"consumed_inputs": [0]}, 1),
     (PLANE - PLANE.mean((2, 3), keepdims=True)) / np.sqrt(PLANE.var((2, 3), keepdims=True) + 1e-5)),
    (("Upsample", 1, [SQUARE], {"height_scale": 2.0, "width_scale": 1.0, "mode": "nearest"}, 1), SQUARE.repeat(2, 2)),
    (("Upsample", 1, [SQUARE], {"height_scale": 1.0, "width_scale": 3.0, "mode": "nearest"}, 1), SQUARE.repeat(3, 3)),
    (("GlobalLpPool", 1, [PLANE], {"p": 1.0}, 1), np.abs(PLANE).sum((2, 3), keepdims=True)),
    (("LpPool", 1, [SQUARE], {"kernel_shape": [2, 2], "strides": [2, 2], "p": 1.0}, 1), POOLED.sum((2, 3))[None, None]),
    (("LpPool", 18, [SQUARE], {"kernel_shape": [3, 3], "strides": [3, 3], "p": 1, "ceil_mode": 1}, 1),
     np.array([[[[54, 24], [42, 16]]]], F32)),
    (("AveragePool", 1, [SQUARE], {"kernel_shape": [2, 2], "strides": [2, 2]}, 1), POOLED.mean((2, 3))[None, None]),
    (("MaxUnpool", 11, [np.array([[[[5, 6], [7, 8]]]], F32), np.array([[[[5, 7], [13, 15]]]]), np.array([1, 1, 5, 5])],
      {"kernel_shape": [2, 2], "strides": [2, 2]}, 1), UNPOOLED),
    (("ConvTranspose", 1, [SQUARE, np.ones((1, 1, 2, 2), F32)], {"strides": [3, 3], "auto_pad": "SAME_UPPER"}, 1),
     np.kron(SQUARE[0, 0], [[1, 1, 0], [1, 1, 0], [0, 0, 0]])[None, None]),
    (("NonMaxSuppression", 10, [np.array([[[0, 0, 1, 1], [0, 0, 1, 0.9]]], F32), np.array([[[-2, -1]]], F32),
      np.array(3)], {}, 1), np.array([[0, 0, 1]])),
    (("Resize", 13, [SQUARE, None, np.array([1, 1, 0.8, 0.8], F32)],
      {"mode": "linear", "coordinate_transformation_mode": "align_corners"}, 1),
     np.array([[[[1, 2.3636363, 3.7272727], [6.4545455, 7.818182, 9.181818], [11.909091, 13.272727, 14.636364]]]])),
    (("DFT", 20, [np.fft.rfft([1, 2, 3, 4, 5, 6]).view(np.float64).reshape(1, 4, 2), None, np.array(1)],
      {"inverse": 1, "onesided": 1}, 1), np.arange(1.0, 7.0).reshape(1, 6, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("case", "expected"), OLDEST, ids=[f"{case[0]}-{case[1]}" for case, _ in OLDEST])
@pytest.mark.parametrize("constants", [False, True])
def test_what_onnxruntime_lacks(case: Case, expected: Any, constants: bool) -> None:
    proto = of_case(case, constants)
    inputs = [value for value in case[2] if value is not None][: len(proto.graph.input)]
    results = onnx_backend.run_model(proto, inputs)
    for ours, theirs in zip(results, expected if isinstance(expected, list) else [expected], strict=True):
        if theirs is not None:
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)


WRONG: list[tuple[Case, str]] = [
    (("Conv", 11, [PLANE, normal(6, 4, 3, 3)], {"pads": [1, 1]}, 1), "'pads' is .1, 1.; it must have 4 values"),
    (("Conv", 11, [PLANE, normal(6, 4, 3, 3)], {"kernel_shape": [2, 2]}, 1), "'kernel_shape' is .2, 2."),
    (("Conv", 11, [PLANE, normal(6, 2, 3, 3)], {"group": 4}, 1), "'group' is 4; it must divide the 6 filters"),
    (("Conv", 11, [PLANE, normal(6, 4, 3, 3)], {"auto_pad": "SAME"}, 1), "'auto_pad' is 'SAME'"),
    (("MaxPool", 11, [PLANE], {}, 1), "'kernel_shape' .ints. is required"),
    (("Resize", 13, [PLANE, None, SCALES[2, 2]], {"mode": "area"}, 1), "'mode' is 'area'"),
    (("Resize", 18, [PLANE, None, SCALES[2, 2]], {"axes": [2, 3]}, 1), "4 scales or sizes for 2 axes"),
    (("RoiAlign", 16, [PLANE, normal(2, 4), np.array([0, 1])], {"mode": "mean"}, 1), "'mode' is 'mean'"),
    (("GridSample", 16, [PLANE, normal(2, 3, 5, 2)], {"padding_mode": "wrap"}, 1), "'padding_mode' is 'wrap'"),
    (("LpNormalization", 1, [PLANE], {"p": 3}, 1), "'p' is 3; it must be 1 or 2"),
    (("GroupNormalization", 21, [PLANE, *CHANNELS[:2]], {"num_groups": 0}, 1), "'num_groups' is 0"),
    (("DFT", 17, [normal(2, 6, 3)], {}, 1), "last dimension of the input is 3"),
]


@pytest.mark.parametrize(("case", "says"), WRONG, ids=[f"{case[0]}-{case[1]}" for case, _ in WRONG])
def test_wrong_models_are_refused(case: Case, says: str) -> None:
    with pytest.raises(ov.Error, match=f'ONNX node "node" .*{says}'):
        ov.Core().read_model(of_case(case))


@pytest.mark.parametrize("type", ["RandomUniform", "RandomNormal"])
@pytest.mark.parametrize("kind", ["f16", "f32", "f64", "bf16"])
def test_random_numbers_have_their_distribution(type: str, kind: str) -> None:
    attributes = {"shape": [100, 100], "dtype": number_of(ElementType(kind)), "seed": 3.0}
    mean, deviation = 0.5, 12**-0.5
    if type == "RandomNormal":
        attributes |= {"mean": 2.0, "scale": 3.0}
        mean, deviation = 2, 3
    proto = of_case((type, 22, [], attributes, 1))
    first, second = (onnx_backend.run_model(proto, [])[0].astype(np.float64) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert first.shape == (100, 100)
    np.testing.assert_allclose([first.mean(), first.std()], [mean, deviation], rtol=0.05)


def test_drawn_numbers_have_their_probabilities() -> None:
    chances = np.array([[0.1, 0.6, 0.3]], F32)
    proto = of_case(("Multinomial", 22, [np.log(chances)], {"sample_size": 20000, "seed": 1.0}, 1))
    drawn = onnx_backend.run_model(proto, [np.log(chances)])[0]
    assert drawn.dtype == np.int32
    np.testing.assert_allclose(np.bincount(drawn[0]) / 20000, chances[0], atol=0.02)
    many = np.full((100, 200), 0.3, F32)
    tosses = onnx_backend.run_model(of_case(("Bernoulli", 22, [many], {"seed": 1.5}, 1)), [many])[0]
    assert set(np.unique(tosses)) == {0, 1}
    np.testing.assert_allclose(tosses.mean(), 0.3, atol=0.02)


def test_images_of_other_formats_are_decoded_by_pillow_or_its_absence_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = np.frombuffer(b"GIF89a", np.uint8)
    prepared = onnx_backend.prepare(of_case(("ImageDecoder", 20, [encoded], {"pixel_format": "BGR"}, 1)))
    assert prepared.run([encoded])[0].shape == (0, 0, 3)
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ov.Error, match="pip install Pillow"):
        prepared.run([encoded])
