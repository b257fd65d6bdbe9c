"""Samples of Interpolate-11, Interpolate-4 and Interpolate-1, and what their pages say, one element after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, const, param

Weights = list[tuple[int, float]]


def coordinate(mode: str, x: int, scale: float, length: int, target: int) -> float:
    if mode == "align_corners":
        return x * (length - 1) / (target - 1) if target > 1 else 0.0
    if mode == "asymmetric":
        return x / scale
    if mode == "tf_half_pixel_for_nn":
        return (x + 0.5) / scale
    return 0.0 if mode == "pytorch_half_pixel" and target == 1 else (x + 0.5) / scale - 0.5


def rounded(mode: str, x: float, scale: float) -> int:
    if mode == "simple":
        return math.ceil(x) if scale < 1 else int(x)
    if mode in ("floor", "ceil"):
        return math.floor(x) if mode == "floor" else math.ceil(x)
    nearer = math.floor(x) if x - math.floor(x) < 0.5 else math.ceil(x)
    return math.floor(x) if mode == "round_prefer_floor" and x - math.floor(x) == 0.5 else nearer


def cubic(s: float, a: float) -> list[float]:
    return [
        a * (s - 1) ** 2 * s,
        ((a + 2) * s - (a + 3)) * s * s + 1,
        (((-a - 2) * s + (2 * a + 3)) * s - a) * s,
        -a * s * s * (s - 1),
    ]


def pillow(x: int, length: int, target: int, a: float | None) -> Weights:
    ratio = length / target
    stretch = max(ratio, 1.0)
    centre = (x + 0.5) * ratio
    taps = []
    for i in range(length):
        d = abs(i + 0.5 - centre) / stretch
        if a is None:
            taps.append((i, max(0.0, 1 - d)))
        elif d < 1:
            taps.append((i, ((a + 2) * d - (a + 3)) * d * d + 1))
        elif d < 2:
            taps.append((i, (((d - 5) * d + 8) * d - 4) * a))
    total = sum(w for _, w in taps)
    return [(i, w / total) for i, w in taps]


def weights(how: Mapping[str, object], x: int, scale: float, length: int, target: int, slope: float) -> Weights:
    """Return the input positions of an output position with their weights, by the page's formulas."""
    mode, a = str(how["mode"]), float(str(how.get("cube_coeff", -0.75)))
    if length == target:
        return [(x, 1.0)]
    if mode.endswith("pillow"):
        return pillow(x, length, target, a if mode == "bicubic_pillow" else None)
    at = coordinate(str(how.get("coordinate_transformation_mode", "half_pixel")), x, scale, length, target)
    if mode == "nearest":
        near = rounded(str(how.get("nearest_mode", "round_prefer_floor")), at, scale)
        return [(min(max(near, 0), length - 1), 1.0)]
    if mode == "cubic":
        left = math.floor(at)
        return [(min(max(left + k - 1, 0), length - 1), w) for k, w in enumerate(cubic(at - left, a))]
    if mode == "linear_onnx":
        at = min(max(at, 0.0), length - 1)
        left = int(at)
        return [(left, 1 - (at - left)), (min(left + 1, length - 1), at - left)]
    under = [(i, max(0.0, 1 - abs(slope * (at - i)))) for i in range(length)]
    total = sum(w for _, w in under)
    return [(i, w / total if total else 0.0) for i, w in under]


def naive(how: Mapping[str, object], scales: bool = False, version: int = 11) -> Callable[..., Array]:
    """Return an oracle for these attributes that computes each output element separately."""

    def oracle(data: Array, *rest: Array | None) -> Array:
        targets = rest[(1 if scales else 0) if version == 4 else 0]
        axes = rest[2 if version == 4 else 1] if len(rest) > (2 if version == 4 else 1) else None
        assert targets is not None
        return resized(
            data, how, [float(v) for v in targets], range(data.ndim) if axes is None else axes.tolist(), scales
        )

    return oracle


def resized(data: Array, how: Mapping[str, object], targets: list[float], axes: Sequence[int], scales: bool) -> Array:
    ends = []
    for name in ("pads_begin", "pads_end"):
        pads = how.get(name, [])
        assert isinstance(pads, list)
        ends.append([*pads, *[0] * (data.ndim - len(pads))])
    padded = np.pad(data.astype(np.float64), list(zip(*ends, strict=True)))
    shape = list(padded.shape)
    factor = dict.fromkeys(range(data.ndim), 1.0)
    for axis, value in zip(axes, targets, strict=True):
        shape[axis] = math.floor(value * shape[axis] + 1e-6) if scales else int(value)
        factor[axis] = value if scales else shape[axis] / padded.shape[axis]
    smaller = bool(how.get("antialias")) and min(factor.values()) < 1
    columns = [
        [weights(how, x, factor[a], n, m, factor[a] if smaller else 1.0) for x in range(m)]
        for a, (n, m) in enumerate(zip(padded.shape, shape, strict=True))
    ]
    result = np.zeros(shape)
    for position in np.ndindex(*shape):
        for taps in product(*(columns[axis][x] for axis, x in enumerate(position))):
            result[position] += padded[tuple(i for i, _ in taps)] * math.prod(w for _, w in taps)
    if data.dtype.kind not in "iu":
        return result
    limits = np.iinfo(data.dtype)
    whole: Array = np.clip(np.rint(result.round(6)), limits.min, limits.max)
    return whole


PADS: dict[str, object] = {"pads_begin": [0, 0, 1, 2], "pads_end": [0, 0, 2]}
RANDOM = np.random.default_rng(4)


def image(*shape: int, type: str = "f32") -> In:
    return param(RANDOM.integers(0, 100, shape) if type[0] in "iu" else RANDOM.standard_normal(shape), type)


def sample(
    data: In, targets: list[int] | list[float], axes: list[int] | None = None, version: int = 11, kind: str = "const",
    openvino: str = "", shapes: Sequence[Sequence[str]] = (), openvino_shapes: str = "", pads: bool = False,
    **how: object,
) -> Sample:  # fmt: skip
    """Return a sample; floats in `targets` are scales."""
    scales = isinstance(targets[0], float)
    attributes = {"mode": "nearest", "shape_calculation_mode": "scales" if scales else "sizes", **how}
    attributes |= PADS if pads else {}
    make = const if kind == "const" else param
    first = make(targets, "f32" if scales else "i64")
    inputs = [data, first]
    if version == 4:
        unused = const([1] * len(targets), "i64" if scales else "f32")
        inputs = [data, unused, first] if scales else [data, first, unused]
    inputs += [] if axes is None else [const(axes)]
    oracle = naive(attributes, scales, version)
    return Sample("Interpolate", version, inputs, attributes, oracle=oracle, openvino=openvino, shapes=shapes,
                  openvino_shapes=openvino_shapes, rtol=1e-4, atol=1e-5)  # fmt: skip


LENGTHS: list[list[int] | list[float]] = [[3, 2], [9, 13], [4, 8], [0.51, 1.9]]
TRANSFORMATIONS = ["half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"]
ROUNDINGS = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"]
ANTIALIAS = "the CPU has other weights where it widens"
CUBE = "the CPU takes -0.5 for every cube_coeff in bicubic_pillow"
AXES = "the CPU does not resize these axes"
PADDED = "the CPU gives the wrong shape where it pads an axis that is not resized"

SAMPLES = [
    *(
        sample(image(1, 2, 3, 4), [5, 3], [2, 3], nearest_mode=rounding, coordinate_transformation_mode=transformation)
        for rounding, transformation in product(ROUNDINGS, TRANSFORMATIONS)
    ),
    *(
        sample(image(2, 1, 4, 3), [3, 7], [2, 3], version, mode=mode, coordinate_transformation_mode=transformation)
        for mode, version, transformation in product(["linear", "linear_onnx", "cubic"], [4, 11], TRANSFORMATIONS)
    ),
    sample(image(1, 2, 8, 4), [4, 8], [2, 3], 4, mode="linear"),
    sample(image(1, 1, 10, 8), [0.7, 1.5], [2, 3], mode="cubic", shapes=[["1,?,8..10,2.."], ["?,?,?,..4"]]),
    sample(image(1, 1, 10, 8), [0.35, 1.6], [2, 3], 4, mode="linear"),
    sample(image(1, 1, 10, 8), [0.35, 1.6], [2, 3], 4, mode="linear_onnx", cube_coeff=-0.5),
    sample(image(1, 1, 7, 6), [1.05, 1.4], [3, 2], mode="cubic", cube_coeff=-0.5),
    sample(image(7), [3], [0], mode="linear"),
    sample(image(7), [2.5], mode="cubic", coordinate_transformation_mode="asymmetric"),
    sample(image(5, 4), [3, 6], mode="linear_onnx"),
    sample(image(5, 4, 3), [3, 6, 2], mode="linear_onnx"),
    sample(image(1, 2, 5, 4, 3), [3, 6, 2], [2, 3, 4], mode="linear_onnx"),
    sample(image(1, 2, 5, 4, 3), [3, 6, 2], [2, 3, 4], mode="linear"),
    sample(image(1, 2, 3, 2, 3), [2, 4, 3], [4, 2, 3], mode="nearest", nearest_mode="ceil"),
    sample(image(2, 3, 2, 2), [3, 2, 4], [0, 2, 1], mode="cubic", openvino=AXES),
    sample(image(3, 1), [6, 0], [0, 1]),
    sample(image(1, 1, 9, 8), [4, 3], [2, 3], mode="linear", antialias=True, openvino=ANTIALIAS),
    sample(image(1, 1, 4, 8), [7, 3], [2, 3], mode="linear", antialias=True, openvino=ANTIALIAS),
    sample(image(1, 1, 4, 5), [7, 7], [2, 3], mode="linear", antialias=True),
    sample(image(1, 1, 4, 3), [9, 4], [2, 3], mode="nearest", pads=True),
    sample(image(1, 1, 4, 3), [9, 4], [2, 3], mode="linear", pads=True),
    sample(image(1, 1, 4, 3), [1.5, 0.9], [2, 3], 4, mode="cubic", pads=True),
    sample(image(2, 3), [5], [0], pads_begin=[1, 1], pads_end=[0, 2], openvino=PADDED),
    *(
        sample(image(1, 2, 6, 5), targets, [2, 3], mode=mode, cube_coeff=-0.5)
        for mode, targets in product(["bilinear_pillow", "bicubic_pillow"], LENGTHS)
    ),
    sample(image(2, 6, 5, 3), [3, 8], [1, 2], mode="bilinear_pillow"),
    sample(image(1, 1, 6, 5), [9, 3], [2, 3], mode="bicubic_pillow", cube_coeff=-0.75, openvino=CUBE),
    sample(image(1, 1, 6, 5), [9, 4], [2, 3], mode="bilinear_pillow", pads=True),
    sample(image(1, 2, 3, 4), [5, 3], [2, 3], kind="param",
    shapes=[["...", "2"], ["?,?,?,?", "?"], ["1,2,..4,3..", "2"]]),
    sample(image(1, 2, 3, 4), [1.7, 0.8], [2, 3], kind="param", mode="linear"),
    *(
        sample(image(1, 2, 5, 4, type=type), [7, 3], [2, 3], mode=mode)
        for type, mode in product(["f16", "bf16", "f64"], ["nearest", "linear", "cubic"])
    ),
    *(sample(image(1, 2, 5, 4, type=type), [7, 3], [2, 3]) for type in ("u8", "i8", "i32", "i64")),
    *(
        sample(image(1, 2, 5, 4, type=type), [8, 6], [2, 3], mode=mode, openvino="rounding is the runtime's choice")
        for type, mode in [*product(["u8", "i32"], ["linear", "linear_onnx", "cubic"]), ("i32", "bilinear_pillow")]
    ),
]  # fmt: skip


def old(mode: str, lengths: list[int], axes: list[int], data: In, expected: Mapping[str, object], openvino: str = "",
        sorts: bool = False, **how: object) -> Sample:  # fmt: skip
    """Return a sample of Interpolate-1 with the attributes of Interpolate-11 that mean the same."""

    def oracle(array: Array, sizes: Array) -> Array:
        return resized(array, expected, [float(size) for size in sizes], axes, scales=False)

    reason = "OpenVINO sorts the axes" if sorts else ""
    return Sample("Interpolate", 1, [data, const(lengths)], {"mode": mode, "axes": axes, **how}, oracle=oracle,
                  openvino=openvino or reason, openvino_shapes=reason, rtol=1e-4, atol=1e-5)  # fmt: skip


def as_new(mode: str, transformation: str, **more: object) -> dict[str, object]:
    return {"mode": mode, "coordinate_transformation_mode": transformation, "nearest_mode": "simple", **more}


BOX = np.arange(12, dtype=np.float32).reshape(1, 1, 2, 6)

SAMPLES += [
    old("nearest", [5, 9], [2, 3], image(1, 2, 3, 4), as_new("nearest", "align_corners")),
    old("nearest", [2, 9], [2, 3], image(1, 2, 3, 4), as_new("nearest", "asymmetric"), align_corners=False),
    old("linear", [5, 3], [2, 3], image(1, 2, 3, 4), as_new("linear_onnx", "align_corners"), align_corners=True),
    old("linear", [5, 3], [2, 3], image(1, 2, 3, 4), as_new("linear_onnx", "asymmetric"), align_corners=False),
    old("linear", [5, 3], [1, 2], image(1, 2, 3, 4), as_new("linear_onnx", "half_pixel"), align_corners=False),
    old("linear", [5, 3, 2], [2, 3, 4], image(1, 2, 3, 4, 5), as_new("linear", "half_pixel"), align_corners=False),
    old("linear", [5], [0], image(3), as_new("linear", "half_pixel"), align_corners=False),
    old("cubic", [5, 3], [2, 3], image(1, 2, 3, 4), as_new("cubic", "asymmetric"), align_corners=False),
    old("cubic", [5, 3], [2, 3], image(1, 2, 3, 4, type="f16"), as_new("cubic", "align_corners")),
    old("linear", [3, 7], [3, 2], image(1, 2, 3, 4), as_new("linear_onnx", "asymmetric"), align_corners=False,
    sorts=True),
    old("linear", [2, 3], [2, 3], image(1, 2, 5, 9), as_new("linear", "asymmetric", antialias=True),
    align_corners=False,
        antialias=True, openvino="the CPU takes no notice of antialias"),
    old("linear", [7, 5], [2, 3], image(1, 1, 3, 4),
    as_new("linear_onnx", "asymmetric", pads_begin=[0, 0, 1, 1], pads_end=[0, 0, 1, 1]),
        align_corners=False, pads_begin=[1], pads_end=[1], openvino="the CPU pads the first dimension instead"),
    old("nearest", [7, 5], [2, 3], image(1, 1, 3, 4),
    as_new("nearest", "asymmetric", pads_begin=[0, 0, 0, 1], pads_end=[0, 0, 2, 1]),
        align_corners=False, pads_begin=[0, 0, 0, 1], pads_end=[0, 0, 2, 1]),
    Sample("Interpolate", 1, [param(BOX), const([1, 4])], {"mode": "area", "axes": [2, 3]},
        openvino="the CPU has no area mode",
           expected=[[[[10 / 3, 14 / 3, 19 / 3, 23 / 3]]]]),
    Sample("Interpolate", 1, [param(BOX), param([2, 9])], {"mode": "area", "axes": [2, 3]},
        openvino="the CPU has no area mode",
           expected=[[[[0, 0.5, 1, 2, 2.5, 3, 4, 4.5, 5], [6, 6.5, 7, 8, 8.5, 9, 10, 10.5, 11]]]]),
]  # fmt: skip

SIZES = {"mode": "nearest", "shape_calculation_mode": "sizes"}
SCALES = {"mode": "nearest", "shape_calculation_mode": "scales"}

SAMPLES += [
    Sample("Interpolate", 4, [image(1, 1, 2, 4), const(sizes), const(scales), const(axes)], {**by, "mode": mode})
    for mode in ("nearest", "linear", "linear_onnx", "cubic")
    for by in (SIZES, SCALES)
    for axes, sizes, scales in [
        ([2, 3, 2], [4, 4, 5], [2.0, 1.0, 1.5]),
        ([3, 3], [5, 6], [1.5, 2.0]),
        ([2, 2, 3], [4, 4, 2], [2.0, 1.0, 0.5]),
    ]
    if mode != "linear" or by is SIZES  # OpenVINO's CPU and its reference differ for repeated scales of linear
]

ERRORS = [
    ErrorSample("Interpolate", 11, ["f32[2,3]", const([4, 5]), const([0, 2])], SIZES, part="axes", says="[-2, 1]"),
    ErrorSample("Interpolate", 11, ["f32[2,3]", const([4, 5]), const([0, -1])], SIZES, part="axes", says="negative"),
    ErrorSample("Interpolate", 11, ["f32[2,3]", const([4, 5]), const([1.0, 2.0])], SIZES, part="axes", says="f32"),
    ErrorSample("Interpolate", 11, ["f32[2,3]", const([4]), const([[1]])], SIZES, part="axes", says="rank 2"),
    ErrorSample("Interpolate", 11, ["f32[2,3]", const([4]), const([0, 1])], SIZES, part="scales_or_sizes",
        says="1 elements"),
    ErrorSample("Interpolate", 11, ["f32[2,3]", const(4), const([0])], SIZES, part="scales_or_sizes", says="rank 0"),
    ErrorSample("Interpolate", 11, ["f32[2,3]", const([-4]), const([0])], SIZES, part="scales_or_sizes", says="-4"),
    ErrorSample("Interpolate", 11, ["f32[2,3]", const([4.0]), const([0])], SIZES, part="scales_or_sizes", says="f32"),
    ErrorSample("Interpolate", 11, ["f32[2,3]", const([4]), const([0])], SCALES, part="scales_or_sizes", says="i64"),
    ErrorSample("Interpolate", 11, ["f32[2,3]", const([-0.5]), const([0])], SCALES, part="scales_or_sizes",
        says="-0.5"),
    ErrorSample("Interpolate", 11, ["string[2,3]", const([4]), const([0])], SIZES, part="image", says="string"),
    ErrorSample("Interpolate", 11, [image(2, 0), param([4, 5])], SIZES, code="IR701", says="[2, 0]"),
    ErrorSample("Interpolate", 4, ["boolean[2]", const([4]), const([1.0])], SIZES, part="data", says="boolean"),
    ErrorSample("Interpolate", 4, ["f32[2]", const([4.0]), const([1.0])], SIZES, part="sizes", says="f32"),
    ErrorSample("Interpolate", 4, ["f32[2]", const([4]), const([1])], SIZES, part="scales", says="i64"),
    ErrorSample("Interpolate", 4, ["f32[2]", const([4]), const([1.0, 2.0])], SCALES, part="scales", says="2 elements"),
    ErrorSample("Interpolate", 1, ["f32[2,3]", const([4, 5])], {"mode": "nearest", "axes": [1, 2]}, part="axes",
        says="2"),
    ErrorSample("Interpolate", 1, ["f32[2,3]", const([4])], {"mode": "nearest", "axes": [0, 1]},
        part="target_spatial_shape"),
    ErrorSample("Interpolate", 1, ["f32[2]", const([4])], {"mode": "nearest", "axes": [0], "pads_begin": [-1]},
        part="pads_begin"),
]  # fmt: skip
