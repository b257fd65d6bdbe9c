"""Scales of Resize that give the layer's lengths in ONNX, and how it rounds coordinates by them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer, f32
from ir_plugin.operations.image.interpolate import INVERSE_TOLERANCE
from ir_plugin.tensors import ElementType

f64 = ElementType.f64
_PLAIN_DENOMINATOR = 8
"""The largest denominator of scales that need no correction on axes of fewer than 100,000 elements."""
_ROUNDED_UP = 1 + 2**-22
"""The factor that keeps a quotient above the exact one after it is rounded to f32."""


def exact_scales(layer: Layer, position: int, axes: Sequence[int], keeps: bool = False) -> str:
    """Return the scales of an input, a little larger where ONNX would give an axis an element less.

    The layer takes scales that are 1e-6 too small for the next length, which ONNX rounds down. A layer that `keeps`
    axes whose lengths stay as they are has the scale 1 for them, where ONNX interpolates by a scale above 1.
    """
    scales, values = layer.cast(layer.inputs[position], f32), layer.value(position)
    if values is not None and all(_is_plain(float(scale), keeps) for scale in values.reshape(-1)):
        return scales
    shape = layer.emit("Shape", layer.inputs[0])
    lengths = layer.cast(layer.emit("Gather", shape, layer.list_of(*axes), axis=0), f64)
    wide = layer.cast(scales, f64)
    tolerant = layer.emit("Add", wide, layer.constant(1 / INVERSE_TOLERANCE, f64))
    ours = layer.emit("Floor", layer.emit("Mul", lengths, tolerant))
    theirs = layer.emit("Floor", layer.emit("Mul", lengths, wide))
    larger = layer.emit("Div", layer.emit("Mul", ours, layer.constant(_ROUNDED_UP, f64)), lengths)
    same = layer.emit("Or", layer.emit("Equal", ours, theirs), layer.emit("Equal", wide, layer.constant(1.0, f64)))
    corrected = layer.emit("Where", same, scales, layer.cast(larger, f32))
    if not keeps:
        return corrected
    return layer.emit("Where", layer.emit("Equal", ours, lengths), layer.constant(1.0, f32), corrected)


def rounding_of(layer: Layer, position: int) -> str:
    """Return the `nearest_mode` of a layer with its scales at an input; for simple, the one that these scales have.

    Simple takes the floor where an axis grows, and the ceiling where it shrinks; ONNX has it up to opset 10 only.
    """
    operation, scales = layer.operation, layer.value(position)
    if operation.nearest_mode != "simple":
        return str(operation.nearest_mode)
    is_plain = operation.shape_calculation_mode == "scales" and operation.coordinate_transformation_mode == "asymmetric"
    if is_plain and scales is not None and not ((scales > 1).any() and (scales < 1).any()):
        return "ceil" if (scales < 1).any() else "floor"
    raise NotExpressibleError(f"ONNX's Resize of opset {layer.opset} does not round by the direction of each axis")


def _is_plain(scale: float, keeps: bool) -> bool:
    return (
        bool(np.isfinite(scale)) and not (keeps and 1 < scale < 2) and scale.as_integer_ratio()[1] <= _PLAIN_DENOMINATOR
    )
