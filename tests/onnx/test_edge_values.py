"""Values and layouts that mean something else in ONNX than in IR, held against onnxruntime, optimised and plain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from onnx import TensorProto, helper

import ir_plugin as ov
from tests.onnx.models import Port, model
from tests.onnx.runtime import runs, single

RNG = np.random.default_rng(33)
FLOAT = TensorProto.FLOAT


def assert_same(proto: Any, feeds: Mapping[str, Any], atol: float = 1e-5) -> None:
    """Hold our outputs, optimised and plain, against onnxruntime's."""
    expected = runs(proto, feeds)
    for optimize in (True, False):
        compiled = ov.Core().compile_model(proto, "CPU", {"OPTIMIZE": optimize})
        ours = list(compiled(dict(feeds)).values())
        assert [array.shape for array in ours] == [array.shape for array in expected]
        for own, reference in zip(ours, expected, strict=True):
            np.testing.assert_allclose(own, reference, rtol=1e-5, atol=atol)


def integers(*shape: int, dtype: Any = np.uint8) -> Any:
    """Return random integers near the middle of a type's positive range."""
    return RNG.integers(1, 100, shape).astype(dtype)


@pytest.mark.parametrize("zero_shape", [(), (1,), (5,)], ids=str)
@pytest.mark.parametrize("transpose_right", [0, 1])
@pytest.mark.parametrize("transpose_left", [0, 1])
def test_gemm_of_integers_has_zero_points_of_columns(
    transpose_left: int, transpose_right: int, zero_shape: tuple[int, ...]
) -> None:
    values = {
        "a": integers(*((4, 3) if transpose_left else (3, 4))),
        "a_scale": np.float32(0.02),
        "a_zero": np.uint8(9),
        "b": integers(*((5, 4) if transpose_right else (4, 5)), dtype=np.int8),
        "b_scale": (RNG.random(zero_shape) + 0.01).astype(np.float32),
        "b_zero": integers(*zero_shape, dtype=np.int8),
    }
    constants = ("b", "b_scale", "b_zero")
    assert_same(*single("QGemm", values, 1, constants, transA=transpose_left, transB=transpose_right), atol=1e-3)


def looped(trips: int | None, condition: bool | None, is_fed: bool) -> tuple[Any, dict[str, Any]]:
    """Return a Loop that adds 1 to a state and joins its values, and its inputs."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["v", "one"], ["sum"]),
            helper.make_node("Identity", ["sum"], ["step"]),
            helper.make_node("Less", ["sum", "limit"], ["small"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("v", FLOAT, []),
        ],
        [
            helper.make_tensor_value_info("small", TensorProto.BOOL, []),
            helper.make_tensor_value_info("sum", FLOAT, []),
            helper.make_tensor_value_info("step", FLOAT, []),
        ],
    )
    controls: dict[str, Any] = {}
    if trips is not None:
        controls["trips"] = np.array(trips, np.int64)
    if condition is not None:
        controls["go_first"] = np.array(condition)
    names = [name if name in controls else "" for name in ("trips", "go_first")]
    ports: dict[str, Any] = {"trips": (TensorProto.INT64, []), "go_first": (TensorProto.BOOL, []), "v0": (FLOAT, [])}
    proto = model(
        [helper.make_node("Loop", [*names, "v0"], ["last", "steps"], body=body)],
        {name: port for name, port in ports.items() if name == "v0" or (is_fed and name in controls)},
        ["last", "steps"],
        opset=21,
        initializers={"one": np.float32(1), "limit": np.float32(8), **({} if is_fed else controls)},
    )
    return proto, {"v0": np.array(1, np.float32), **(controls if is_fed else {})}


@pytest.mark.parametrize("is_fed", [True, False], ids=["fed", "constant"])
@pytest.mark.parametrize("condition", [None, True, False])
@pytest.mark.parametrize("trips", [None, 3, 0, -1, -7, -(2**63), 2**63 - 1])
def test_a_loop_has_no_iteration_for_negative_trip_counts(
    trips: int | None, condition: bool | None, is_fed: bool
) -> None:
    assert_same(*looped(trips, condition, is_fed))


@pytest.mark.parametrize("shape", [(3,), (1,), (2, 3), (2, 3, 4)], ids=str)
@pytest.mark.parametrize("version", [7, 9, 14, 15])
def test_batch_normalization_of_one_dimension_has_one_channel(version: int, shape: tuple[int, ...]) -> None:
    channels = (*shape, 1)[1] if len(shape) > 1 else 1
    values = {"x": RNG.standard_normal(shape).astype(np.float32)}
    values |= {name: (RNG.random(channels) + 0.5).astype(np.float32) for name in ("scale", "bias", "mean", "variance")}
    assert_same(*single("BatchNormalization", values, 1, (), "", version))


UNREAD = {
    "dead": [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Neg", ["u"], ["z"])],
    "a dead chain": [
        helper.make_node("Neg", ["u"], ["z"]),
        helper.make_node("Add", ["z", "x"], ["w"]),
        helper.make_node("Relu", ["x"], ["y"]),
    ],
    "by nothing": [helper.make_node("Relu", ["x"], ["y"])],
    "as a type": [helper.make_node("CastLike", ["x", "u"], ["y"])],
    "as a shape": [helper.make_node("Shape", ["u"], ["s"]), helper.make_node("Expand", ["x", "s"], ["y"])],
    "in training": [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Dropout", ["r", "u0"], ["y"])],
}


@pytest.mark.parametrize("name", UNREAD)
def test_an_input_that_nothing_needs_stays_one(name: str) -> None:
    other: tuple[str, list[int]] = ("u0", []) if name == "in training" else ("u", [3])
    proto = model(UNREAD[name], {"x": (FLOAT, [3]), other[0]: (FLOAT, other[1])}, ["y"], opset=21)
    read = ov.Core().read_model(proto)
    assert [port.get_any_name() for port in read.inputs] == ["x", other[0]]
    feeds = {"x": RNG.standard_normal(3).astype(np.float32), other[0]: np.full(other[1], 0.5, np.float32)}
    assert_same(proto, feeds)


SCALARS: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("Celu", [np.float32(-0.7)], {"alpha": 2.0}),
    ("QuantizeLinear", [np.float32(3.14), np.float32(0.1), np.uint8(3)], {}),
    ("QuantizeLinear", [np.float32(3.14), np.array([0.1], np.float32), np.array([3], np.uint8)], {}),
    ("DequantizeLinear", [np.uint8(30), np.float32(0.1), np.uint8(3)], {}),
    ("DequantizeLinear", [np.uint8(30), np.array([0.1], np.float32), np.array([3], np.uint8)], {}),
    ("MatMulInteger", [np.array([1, 2], np.uint8), np.array([3, 4], np.uint8)], {}),
    ("MatMulInteger", [np.array([[1, 2]], np.uint8), np.array([3, 4], np.uint8)], {}),
    ("MatMulInteger", [np.array([1, 2], np.uint8), np.array([[3], [4]], np.uint8)], {}),
    ("NonZero", [np.float32(2)], {}),
    ("NonZero", [np.float32(0)], {}),
    ("ReduceSum", [np.float32(2), np.array([], np.int64)], {}),
]


@pytest.mark.parametrize("constant", [False, True], ids=["fed", "constant"])
@pytest.mark.parametrize(
    ("type", "arrays", "attributes"), SCALARS, ids=lambda value: value if value == str(value) else ""
)
def test_scalars(type: str, arrays: list[Any], attributes: dict[str, Any], constant: bool) -> None:
    values = {f"x{position}": array for position, array in enumerate(arrays)}
    proto, feeds = single(type, values, 1, tuple(values)[1:] if constant else (), "", 21, **attributes)
    assert_same(proto, {name: np.asarray(value) for name, value in feeds.items()})


@pytest.mark.parametrize("scale_shape", [(), (1,)], ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2, 3)], ids=str)
def test_quantized_and_back(shape: tuple[int, ...], scale_shape: tuple[int, ...]) -> None:
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["y"]),
    ]
    scale, zero = np.full(scale_shape, 0.1, np.float32), np.full(scale_shape, 3, np.uint8)
    proto = model(nodes, {"x": (FLOAT, list(shape))}, ["y"], opset=21, initializers={"scale": scale, "zero": zero})
    assert_same(proto, {"x": np.full(shape, 3.14, np.float32)})


PADDED: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "a scalar's axes": ("Unsqueeze", [np.float32(2), np.array([], np.int64)], {}),
    "no axes": ("Unsqueeze", [np.ones((2, 3), np.float32), np.array([], np.int64)], {}),
    "crops, then repeats": ("Pad", [np.arange(12.0).reshape(3, 4), np.array([-1, 2, 3, -1])], {"mode": "wrap"}),
    "crops one end": ("Pad", [np.arange(12.0).reshape(3, 4), np.array([0, -2, 0, 3])], {"mode": "wrap"}),
}


@pytest.mark.parametrize("constant", [False, True], ids=["fed", "constant"])
@pytest.mark.parametrize("name", PADDED)
def test_axes_and_lengths_that_are_few_or_negative(name: str, constant: bool) -> None:
    type, arrays, attributes = PADDED[name]
    if type == "Unsqueeze" and not constant:
        arrays = [arrays[0], np.array([-1])]
    values = dict(zip("xy", arrays, strict=True))
    proto, feeds = single(type, values, 1, ("y",) if constant else (), "", 21, **attributes)
    assert_same(proto, {key: np.asarray(value) for key, value in feeds.items()})


@pytest.mark.parametrize("pads", [[0, 0], [1, 0], [0, 1], [1, 1]], ids=str)
@pytest.mark.parametrize("count_include_pad", [0, 1])
@pytest.mark.parametrize("version", [10, 19, 22])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "open"])
def test_windows_of_means_that_reach_beyond_the_pads(
    dynamic: bool, version: int, count_include_pad: int, pads: list[int]
) -> None:
    attributes: dict[str, Any] = {"pads": pads, "ceil_mode": 1, "count_include_pad": count_include_pad}
    for kernel, stride, dilation in ((2, 1, 1), (2, 3, 1), (3, 2, 1), (3, 3, 1), (2, 2, 2), (2, 3, 2)):
        window: dict[str, Any] = {
            "kernel_shape": [kernel],
            "strides": [stride],
            **({"dilations": [dilation]} if version > 10 else {}),
        }
        for length in (3, 5, 6):
            values = {"x": RNG.standard_normal((1, 2, length)).astype(np.float32)}
            assert_same(*single("AveragePool", values, 1, (), "", version, dynamic, **window, **attributes))


@pytest.mark.parametrize("auto_pad", ["VALID", "SAME_UPPER", "SAME_LOWER"])
def test_norms_of_windows_by_automatic_pads_and_rounded_up(auto_pad: str) -> None:
    for kernel, stride, length in ((2, 1, 5), (2, 3, 5), (3, 3, 5), (3, 2, 6), (2, 2, 7)):
        values = {"x": RNG.standard_normal((1, 2, length)).astype(np.float32)}
        window: dict[str, Any] = {"kernel_shape": [kernel], "strides": [stride], "auto_pad": auto_pad, "ceil_mode": 1}
        assert_same(*single("LpPool", values, 1, (), "", 18, **window))


EXTREMES = np.array([np.nan, -3, -1, 0, 1, 5, np.inf, -np.inf])


@pytest.mark.parametrize("constant", [False, True], ids=["fed", "constant"])
@pytest.mark.parametrize("limits", [(None, None), (-1, None), (None, 1), (-1, 1), (1, -1), (-np.inf, np.inf)], ids=str)
@pytest.mark.parametrize(
    ("version", "dtype"), [(11, np.float32), (13, np.float32), (13, np.float16), (13, np.float64)], ids=str
)
def test_clip_limits_infinities_to_finite_numbers(version: int, dtype: Any, limits: Any, constant: bool) -> None:
    values: dict[str, Any] = {"x": EXTREMES.astype(dtype)}
    values |= {
        name: None if limit is None else dtype(limit) for name, limit in zip(("low", "high"), limits, strict=True)
    }
    proto, feeds = single("Clip", values, 1, ("low", "high") if constant else (), "", version)
    assert_same(proto, {name: np.asarray(value) for name, value in feeds.items()})


@pytest.mark.parametrize("limits", [{}, {"min": -1.0}, {"max": 1.0}, {"min": -1.0, "max": 1.0}], ids=str)
def test_clip_of_old_versions_limits_infinities(limits: dict[str, Any]) -> None:
    assert_same(*single("Clip", {"x": EXTREMES.astype(np.float32)}, 1, (), "", 6, **limits))


@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_a_triangle_needs_a_matrix(shape: tuple[int, ...]) -> None:
    proto, _ = single("Trilu", {"x": np.ones(shape, np.float32)}, 1, (), "", 14)
    with pytest.raises(ov.Error, match=f"the data has the rank {len(shape)}; it must be at least 2"):
        ov.Core().read_model(proto)


TRANSFORMATIONS = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")
ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "round_prefer_floor": lambda at: ceil(at - Fraction(1, 2)),
    "round_prefer_ceil": lambda at: floor(at + Fraction(1, 2)),
    "floor": floor,
    "ceil": ceil,
}


def coordinate(x: int, length: int, target: int, transformation: str) -> Fraction:
    """Return the coordinate in the data of an element of the result."""
    if transformation == "align_corners":
        return Fraction(x * (length - 1), max(target - 1, 1))
    if transformation == "asymmetric":
        return Fraction(x * length, target)
    if transformation == "pytorch_half_pixel" and target == 1:
        return Fraction(0)
    return Fraction((2 * x + 1) * length - target, 2 * target)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_nearest_by_sizes_has_exact_coordinates(transformation: str, rounding: str) -> None:
    attributes = {"coordinate_transformation_mode": transformation, "nearest_mode": rounding}
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], mode="nearest", **attributes)
    ports: dict[str, Any] = {"x": (FLOAT, [None]), "sizes": (TensorProto.INT64, [1])}
    proto = model([node], ports, ["y"], opset=19)
    plain = ov.Core().compile_model(proto, "CPU", {"OPTIMIZE": False})
    for length in range(1, 26):
        for target in (1, 2, 3, 5, 6, 7, 9, 14, 15, 20, 21, 24, 33, 40):
            at = [coordinate(x, length, target, transformation) for x in range(target)]
            expected = [min(max(ROUNDINGS[rounding](number), 0), length - 1) for number in at]
            feeds = {"x": np.arange(length, dtype=np.float32), "sizes": np.array([target])}
            assert plain(feeds)[0].tolist() == expected, (length, target)
            if rounding.startswith("round") and length % 5 == 0:
                assert runs(proto, feeds)[0].tolist() == expected, (length, target)


@pytest.mark.parametrize(("length", "target"), [(20, 6), (14, 1), (18, 21), (7, 2), (6, 20)])
@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_nearest_of_known_sizes_by_kernels(transformation: str, length: int, target: int) -> None:
    values = {"x": RNG.random((1, 2, length, length)).astype(np.float32), "roi": None, "scales": None}
    attributes: dict[str, Any] = {"coordinate_transformation_mode": transformation, "nearest_mode": "round_prefer_ceil"}
    sizes = {"sizes": np.array([1, 2, target, target + 1])}
    assert_same(*single("Resize", values | sizes, 1, ("sizes",), "", 19, mode="nearest", **attributes))


@pytest.mark.parametrize("lengths", [(2, 3, 4), (None, None, None)], ids=["static", "open"])
@pytest.mark.parametrize("axis", range(-5, 6))
def test_flatten_refuses_an_axis_outside_the_rank(axis: int, lengths: tuple[int | None, ...]) -> None:
    node = helper.make_node("Flatten", ["x"], ["y"], name="the_flatten", axis=axis)
    proto = model([node], {"x": (FLOAT, list(lengths))}, ["y"], opset=13)
    if -3 <= axis <= 3:
        assert_same(proto, {"x": RNG.random((2, 3, 4), np.float32)})
    else:
        with pytest.raises(ov.Error, match=rf'"the_flatten" \(Flatten-13\).*axis is {axis}; it must be in \[-3, 3\]'):
            ov.Core().read_model(proto)


@pytest.mark.parametrize("length", [2, 3, 5])
@pytest.mark.parametrize("axis", [None, -1, 0, 1])
@pytest.mark.parametrize("lengths", [(3, 3), (None, None)], ids=["static", "open"])
def test_compress_takes_a_condition_of_another_length_than_the_axis(
    lengths: tuple[int | None, ...], axis: int | None, length: int
) -> None:
    attributes: dict[str, Any] = {} if axis is None else {"axis": axis}
    node = helper.make_node("Compress", ["x", "c"], ["y"], **attributes)
    ports: dict[str, Port] = {"x": (FLOAT, list(lengths)), "c": (TensorProto.BOOL, [None])}
    condition = np.arange(length * (3 if axis is None else 1)) % 3 != 1
    assert_same(model([node], ports, ["y"], opset=13), {"x": RNG.random((3, 3), np.float32), "c": condition})


WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "Tile": (np.ones((2, 3), np.float32), {"r": np.array([2])}, "there are 1 repeats for 2 axes"),
    "Tile below 0": (np.ones(2, np.float32), {"r": np.array([-1])}, r"the repeats are \[-1\]"),
    "Unsqueeze": (np.ones(2, np.float32), {"a": np.array([0, -4, 0])}, r"the axes are \[0, -4, 0\]"),
    "EyeLike": (np.ones((2, 2, 2), np.float32), {}, "the input has the rank 3; it must be 2"),
    "OneHot": (np.ones(2, np.int64), {"d": np.array(3), "v": np.ones(3, np.float32)}, "there are 3 values"),
}


@pytest.mark.parametrize("name", WRONG)
def test_inputs_that_an_operator_excludes_are_refused(name: str) -> None:
    data, constants, message = WRONG[name]
    node = helper.make_node(name.split(maxsplit=1)[0], ["x", *constants], ["y"], name="the_node")
    ports = {"x": (helper.np_dtype_to_tensor_dtype(data.dtype), data.shape)}
    proto = model([node], ports, ["y"], opset=13, initializers=constants)
    with pytest.raises(ov.Error, match=f'"the_node" .*{message}'):
        ov.Core().read_model(proto)
