"""Resize and Upsample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ir_plugin.frontends.onnx.common import Value, all_axes, cast, extension, i64, normalized
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Output
from ir_plugin.operations.image.interpolate import scaled
from ir_plugin.opsets.nodes import built, definition_of
from ir_plugin.tensors import Array, Dimension, ElementType, PartialShape

_MODES = {"nearest": "nearest", "linear": "linear", "cubic": "cubic", "bilinear": "linear"}
_TRANSFORMATIONS = (
    "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
)  # fmt: skip
_ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple")
_POLICIES = ("stretch", "not_larger", "not_smaller")


@dataclass(frozen=True)
class Request:
    """How an image is resized: the attributes of the newest version, with what older ones cannot say at its default."""

    mode: str
    transformation: str
    nearest_mode: str
    antialias: bool = False
    exclude_outside: bool = False
    policy: str = "stretch"
    coefficient: float = -0.75
    extrapolation: float = 0.0


@translates("Resize", 11)
def resize(node: OnnxNode) -> Value:
    """Return Interpolate-11, or the extension's Resize for what it cannot say."""
    attributes = node.attributes
    request = Request(
        _one_of(node, "mode", tuple(_MODES)),
        _one_of(node, "coordinate_transformation_mode", _TRANSFORMATIONS),
        _one_of(node, "nearest_mode", _ROUNDINGS),
        attributes.flag("antialias", 0),
        attributes.flag("exclude_outside"),
        _one_of(node, "keep_aspect_ratio_policy", _POLICIES, "stretch"),
        attributes.float("cubic_coeff_a"),
        attributes.float("extrapolation_value"),
    )
    axes = attributes.ints("axes", None)
    if axes is not None and min(axes, default=0) < 0:
        axes = [normalized(axis, node.known_rank(0), "axes") for axis in axes]
    if node.has(3) and not _is_empty(node.input(3)):
        return _resized(node, request, cast(node.input(3), ElementType.i64), True, axes)
    return _resized(node, request, node.input(2), False, axes)


@translates("Resize", 10)
def resize_10(node: OnnxNode) -> Value:
    """As the newest, but only by scales, with coordinates divided by them."""
    return _by_scales(node, node.input(1))


@translates("Upsample", 9)
def upsample(node: OnnxNode) -> Value:
    """As Resize-10."""
    return _by_scales(node, node.input(1))


@translates("Upsample", 7)
def upsample_7(node: OnnxNode) -> Value:
    """As version 9, but with the scales as an attribute."""
    return _by_scales(node, _scales(node.attributes.floats("scales")))


@translates("Upsample", 1)
def upsample_1(node: OnnxNode) -> Value:
    """As version 7, but with the scales of height and width only."""
    scales = [node.attributes.float(name) for name in ("height_scale", "width_scale")]
    return _by_scales(node, _scales([1.0, 1.0, *scales]))


def _scales(numbers: list[float]) -> Output:
    return constant_of(np.array(numbers, np.float32)).outputs[0]


def _by_scales(node: OnnxNode, scales: Output) -> Value:
    request = Request(_one_of(node, "mode", tuple(_MODES)), "asymmetric", "simple")
    return _resized(node, request, scales, False, None)


def _one_of(node: OnnxNode, name: str, allowed: tuple[str, ...], *default: str) -> str:
    value = str(node.attributes.text(name, *default))
    if value not in allowed:
        raise OnnxReadError(f"the attribute {name!r} is {value!r}; it must be one of {', '.join(allowed)}")
    return value


def _is_empty(value: Output) -> bool:
    shape = value.tensor_info.shape
    return shape.ndim == 1 and shape[0].is_static and shape[0].get_length() == 0


def _resized(node: OnnxNode, request: Request, target: Output, by_sizes: bool, axes: list[int] | None) -> Value:
    """Return the data of a node resized along some axes, or all."""
    count = target.tensor_info.shape
    if axes is not None and count.ndim == 1 and not count[0].contains(len(axes)):
        raise OnnxReadError(f"it has {count[0]} scales or sizes for {len(axes)} axes")
    kind = "sizes" if by_sizes else "scales"
    if _needs_extension(node, request, target, by_sizes, axes):
        return _extended(node, request, target, kind, axes)
    target, axes = _without_unchanged(node, target, by_sizes, axes)
    transformation = request.transformation
    mode = _MODES[request.mode]
    attributes: dict[str, Any] = {
        "mode": "linear_onnx" if mode == "linear" else mode,
        "shape_calculation_mode": kind,
        "coordinate_transformation_mode": "half_pixel" if transformation == "half_pixel_symmetric" else transformation,
        "nearest_mode": request.nearest_mode,
        "antialias": False,
        "pads_begin": [0],
        "pads_end": [0],
        "cube_coeff": request.coefficient,
    }
    if by_sizes and mode == "nearest":
        attributes["coordinates"] = "exact"
    inputs = [node.input(0), target, *([] if axes is None else [i64(axes)])]
    return built(definition_of("Interpolate", "opset11"), inputs, attributes, None)


def _extended(node: OnnxNode, request: Request, target: Output, kind: str, axes: list[int] | None) -> Value:
    chosen = all_axes(node.input(0)) if axes is None else i64(axes)
    inputs: list[Value] = [node.input(0), target, chosen]
    if request.transformation == "tf_crop_and_resize":
        inputs.append(cast(node.input(1), ElementType.f32))
    return extension(
        "Resize",
        inputs,
        mode=_MODES[request.mode],
        shape_calculation_mode=kind,
        coordinate_transformation_mode=request.transformation,
        nearest_mode=request.nearest_mode,
        antialias=request.antialias,
        cube_coeff=request.coefficient,
        exclude_outside=request.exclude_outside,
        extrapolation_value=request.extrapolation,
        keep_aspect_ratio_policy=request.policy,
    )


def _needs_extension(node: OnnxNode, request: Request, target: Output, by_sizes: bool, axes: list[int] | None) -> bool:
    """Return whether Interpolate-11 gives other values, or may."""
    mode = _MODES[request.mode]
    if request.transformation == "tf_crop_and_resize" or (by_sizes and request.policy != "stretch"):
        return True
    if request.exclude_outside and mode == "cubic":
        return True
    if request.antialias and mode != "nearest" and not _grows(node, target, by_sizes, axes):
        return True
    if not by_sizes and _may_keep_one_length(node, target, axes):
        return True
    exact = request.transformation in ("align_corners", "half_pixel_symmetric")
    return exact and not by_sizes and not _keeps_lengths_whole(node, target, axes)


def _lengths(node: OnnxNode, axes: list[int] | None) -> list[int] | None:
    """Return the lengths of the axes, None unless all are known."""
    shape = node.input(0).tensor_info.shape
    if shape.ndim is None:
        return None
    dims = [shape[axis] for axis in (range(shape.ndim) if axes is None else axes)]
    return [dim.get_length() for dim in dims] if all(dim.is_static for dim in dims) else None


def _grows(node: OnnxNode, target: Output, by_sizes: bool, axes: list[int] | None) -> bool:
    """Return whether no axis shrinks."""
    value, lengths = target.tensor_info.value, _lengths(node, axes)
    if value is None:
        return False
    if not by_sizes:
        return bool((value >= 1).all())
    return lengths is not None and all(size >= length for size, length in zip(value, lengths, strict=False))


def _may_keep_one_length(node: OnnxNode, scales: Output, axes: list[int] | None) -> bool:
    """Return whether a scale other than 1 may keep the length of an axis while another changes, when ONNX resizes both.

    Interpolate-11 leaves the first axis alone. On an axis of one element all positions are the same.
    """
    value, rank = scales.tensor_info.value, node.rank(0)
    if value is None:
        return scales.tensor_info.shape != PartialShape([1])
    shape = [Dimension()] * value.size if rank is None else node.input(0).tensor_info.shape
    dims = [shape[axis] for axis in (range(len(shape)) if axes is None or rank is None else axes)]
    resized = [(float(scale), dim) for scale, dim in zip(value.reshape(-1), dims, strict=False) if scale != 1]
    stays = [scaled(max(dim.lower, 2), scale) == max(dim.lower, 2) for scale, dim in resized]
    return any(stays) and len(stays) > 1 and not (all(stays) and all(dim.is_static for _, dim in resized))


def _keeps_lengths_whole(node: OnnxNode, scales: Output, axes: list[int] | None) -> bool:
    """Return whether the lengths times the scales are whole numbers."""
    value, lengths = scales.tensor_info.value, _lengths(node, axes)
    if value is None:
        return False
    if bool((value == np.round(value)).all()):
        return True
    return lengths is not None and all((float(s) * n).is_integer() for s, n in zip(value, lengths, strict=False))


def _without_unchanged(
    node: OnnxNode, target: Output, by_sizes: bool, axes: list[int] | None
) -> tuple[Output, list[int] | None]:
    """Return scales or sizes and axes without the axes that keep their length."""
    value: Array | None = target.tensor_info.value
    rank = node.rank(0)
    if value is None or rank is None or value.ndim != 1:
        return target, axes
    chosen = list(range(rank)) if axes is None else axes
    lengths = node.input(0).tensor_info.shape
    if len(chosen) != value.size:
        raise OnnxReadError(f"it has {value.size} scales or sizes for {len(chosen)} axes")
    is_unchanged = [lengths[a] == v if by_sizes else v == 1 for a, v in zip(chosen, value.tolist(), strict=True)]
    changed = [position for position, skipped in enumerate(is_unchanged) if not skipped]
    if not changed or len(changed) == len(is_unchanged):
        return target, axes
    factors = constant_of(value[changed], target.tensor_info.element_type).outputs[0]
    return factors, [chosen[position] for position in changed]
