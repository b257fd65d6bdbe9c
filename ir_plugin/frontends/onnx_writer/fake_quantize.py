"""FakeQuantize: QuantizeLinear and DequantizeLinear where an integer type has its levels, else its formula."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_plugin.frontends.onnx.quantization.scales import RANGES
from ir_plugin.frontends.onnx_writer.arithmetic import aligned
from ir_plugin.frontends.onnx_writer.layer import Layer
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.quantization.fake_quantize import FakeQuantize
from ir_plugin.tensors import Array, ElementType

_LEVELS = 256
_AXIS_SINCE = 13
"""The opset from which on QuantizeLinear takes scales along an axis."""


_ROUNDING = 2**-22
"""How far limits may be from multiples of the scale, as a part of their distance."""


class _Grid(NamedTuple):
    """Scales and zero points of QuantizeLinear, one for all or one for each index of an axis."""

    scales: Array
    zero_points: Array
    element_type: ElementType
    axis: int | None


@writes(FakeQuantize, widens=True)
def fake_quantize(layer: Layer) -> str:
    """Return QuantizeLinear and DequantizeLinear, or the page's formula with the output limits beyond the input's."""
    grid = _grid(layer)
    if grid is None:
        return _formula(layer)
    scale, point = layer.constant(grid.scales), layer.constant(grid.zero_points, grid.element_type)
    quantized = layer.emit("QuantizeLinear", layer.inputs[0], scale, point, axis=grid.axis)
    return layer.emit("DequantizeLinear", quantized, scale, point, axis=grid.axis, result=ElementType.f32)


def _grid(layer: Layer) -> _Grid | None:
    """Return scales and zero points of which the layer's limits are the ends, None where there are none.

    A number in the middle between two steps goes to the even one; that is the same step for both if zero is an even
    number of steps above the lower limit. QuantizeLinear divides by the rounded scale, so that a number within rounding
    of the middle may go to the other step.
    """
    operation = layer.operation
    limits = [layer.value(position) for position in range(1, 5)]
    if operation.levels != _LEVELS or any(limit is None for limit in limits) or layer.info().shape.dims is None:
        return None
    if any(layer.info(position).element_type is not ElementType.f32 for position in range(5)):
        return None
    low, high, out_low, out_high = np.broadcast_arrays(
        *operation.fitted([limit for limit in limits if limit is not None], layer.rank())
    )
    own = [axis for axis, length in enumerate(low.shape) if length != 1]
    if not (np.array_equal(low, out_low) and np.array_equal(high, out_high)) or len(own) > 1:
        return None
    axis = layer.rank() - low.ndim + own[0] if own else None
    if axis is not None and layer.opset < _AXIS_SINCE:
        return None
    shape = () if axis is None else (-1,)
    return _with_steps(low.reshape(shape), high.reshape(shape), axis)


def _with_steps(low: Array, high: Array, axis: int | None) -> _Grid | None:
    """Return the grid with these ends; zero is an even number of steps above the lower one."""
    if not (np.isfinite(low) & np.isfinite(high) & (low <= 0) & (high >= 0) & (low < high)).all():
        return None
    below = np.rint(-low.astype(np.float64) * (_LEVELS - 1) / (high.astype(np.float64) - low))
    element_type = ElementType.i8 if (below == -RANGES["i8"][0]).all() else ElementType.u8
    scales = _scales(low, high, below)
    if scales is None or (below % 2).any():
        return None
    return _Grid(scales, (below + RANGES[element_type.name][0]).astype(element_type.dtype), element_type, axis)


def _scales(low: Array, high: Array, below: Array) -> Array | None:
    """Return f32 scales of which the given multiples below and above zero are the limits within rounding."""
    above = _LEVELS - 1 - below
    with np.errstate(divide="ignore", invalid="ignore"):
        begin = np.where(above > below, high / above, low / -below).astype(np.float32)
    candidates = np.stack([begin, np.nextafter(begin, np.float32(0)), np.nextafter(begin, np.float32(np.inf))])
    ends = ((-below).astype(np.float32) * candidates, low), (above.astype(np.float32) * candidates, high)
    errors = sum(np.abs(multiple - limit) for multiple, limit in ends)
    best = np.expand_dims(np.argmin(errors, axis=0), 0)
    scales: Array = np.take_along_axis(candidates, best, 0)[0]
    is_near = (np.take_along_axis(errors, best, 0)[0] <= (high - low) * np.float32(_ROUNDING)).all()
    return scales if is_near and (scales >= np.finfo(np.float32).tiny).all() else None


def _formula(layer: Layer) -> str:
    """Return the page's formula: levels between the limits, and the output limits beyond them."""
    value, rank = layer.inputs[0], layer.rank()
    limits = aligned(layer, (0, 1, 2, 3, 4))[1:]
    for position, limit in enumerate(limits):
        own = layer.rank(position + 1)
        if own > rank and layer.operation.auto_broadcast != "pdpd":
            limits[position] = layer.squeeze(limit, *range(own - rank))
    low, high, out_low, out_high = limits
    steps = layer.like(float(layer.operation.steps), value)
    share = layer.emit("Div", layer.emit("Sub", value, low), layer.emit("Sub", high, low))
    level = layer.emit("Div", layer.emit("Round", layer.emit("Mul", share, steps)), steps)
    inside = layer.emit("Add", layer.emit("Mul", level, layer.emit("Sub", out_high, out_low)), out_low)
    is_low = layer.emit("LessOrEqual", value, layer.emit("Min", low, high))
    is_high = layer.emit("Greater", value, layer.emit("Max", low, high))
    return layer.emit("Where", is_high, out_high, layer.emit("Where", is_low, out_low, inside))
