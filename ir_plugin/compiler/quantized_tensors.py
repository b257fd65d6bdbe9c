"""What FakeQuantize and decompressed weights say about levels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from ir_plugin.compiler.folding import folded_constant
from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.matching import producer_of
from ir_plugin.compiler.rewriter import attributes, constant_of
from ir_plugin.compiler.weight_chain import decompression
from ir_plugin.operations.quantization.fake_quantize import FakeQuantize
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.tensors import Array, ElementType

WHOLE = 1e-3
"""How far a zero point may be from a whole number: limits are rounded to f32, or to f16."""

_I8 = ElementType("i8")


@dataclass(frozen=True)
class Quantizer:
    """A FakeQuantize to at most 256 levels: `rint(x * inverse + shift)` from 0 to `high`; `zero` is the level of 0.

    Arrays are scalars, or vary along the second axis.
    """

    inverse: Array
    shift: Array
    high: float
    scale: Array
    zero: int

    @property
    def is_scalar(self) -> bool:
        """Whether there is one set of limits, of the input and of the output."""
        return self.inverse.size == self.scale.size == 1

    @property
    def offset(self) -> float:
        """What level 0 means, if there is one scale."""
        return float(-self.zero * self.scale.reshape(-1)[0].astype(np.float64))

    def numbers(self) -> dict[str, float]:
        """Return the attributes of a QuantizeDequantize, if there is one set of limits."""
        inverse, shift, scale = (float(array.reshape(-1)[0]) for array in (self.inverse, self.shift, self.scale))
        return {
            "inverse": inverse, "shift": shift, "low": 0.0, "high": self.high, "scale": scale, "offset": self.offset,
        }  # fmt: skip


def quantizer_of(op: Op) -> Quantizer | None:
    """Return the levels of a FakeQuantize of f32 whose constant limits vary at most along the channels, else None.

    The limits keep the shape of the data, which is not empty.
    """
    data = op.inputs[0] if op.inputs else None
    if not op.is_a(FakeQuantize) or data is None or not data.shape or op.outputs[0].element_type.name != "f32":
        return None
    operation, limits = attributes(op, FakeQuantize), [folded_constant(value) for value in op.inputs[1:]]
    if operation.auto_broadcast == "none" and any(limit is not None and limit.size > 1 for limit in limits):
        return None
    if not 2 <= operation.levels <= 256 or operation.auto_broadcast == "pdpd" or data.element_type.name != "f32":
        return None
    if data.shape != op.outputs[0].shape or 0 in data.shape:
        return None
    if any(limit is None or not _runs_along_channels(limit, data.shape) for limit in limits):
        return None
    low, high, out_low, out_high = (limit.astype(np.float64) for limit in limits if limit is not None)
    if not (bool((low < high).all()) and bool((out_low < out_high).all())):
        return None
    inverse, scale = (operation.levels - 1) / (high - low), (out_high - out_low) / (operation.levels - 1)
    zero = -out_low / scale
    level = int(np.rint(zero.reshape(-1)[0]))
    if not 0 <= level <= 255 or not bool((np.abs(zero - level) < WHOLE).all()):
        return None
    inverse, shift = np.broadcast_arrays(inverse, -low * inverse)
    arrays = [np.array(array, np.float32) for array in (inverse, shift, scale)]
    return Quantizer(arrays[0], arrays[1], float(operation.levels - 1), arrays[2], level)


def _runs_along_channels(limit: Array, shape: tuple[int, ...]) -> bool:
    if limit.ndim > len(shape):
        return False
    if limit.size == 1:
        return True
    full = (1,) * (len(shape) - limit.ndim) + limit.shape
    return len(full) == len(shape) and len(shape) > 2 and limit.size == full[1] == shape[1]


@dataclass(frozen=True)
class QuantizedWeights:
    """Weights as i8 levels, of which 0 means 0, and a scale for each of the `width` columns of the result."""

    value: Value
    levels: Array
    """The constant of `value`: filters, or [K, N] of a product."""
    scale: Array
    width: int


def quantized_weights(
    value: Value | None, columns: tuple[int, ...], transposed: bool = False
) -> QuantizedWeights | None:
    """Return constant weights as levels, where they are integers times scales, or quantized by a FakeQuantize.

    Scales and zero points broadcast to the shape of the levels, and not beyond it. `columns` are the axes of the
    weights that make up the columns of the result; `transposed` weights of a product, [N, K], are transposed.
    """
    if value is None or value.shape is None:
        return None
    shape, quantized = value.shape, _of_chain(value) or _of_fake_quantize(value)
    if quantized is None:
        return None
    levels, scale, zero = quantized
    scales = _along_columns(scale, levels.shape, shape, columns)
    if scales is None or not bool((np.abs(zero) < 2**15).all()):
        return None
    centred = levels if not zero.any() else levels.astype(np.int32) - zero.astype(np.int32)
    if centred.dtype != np.int8 and (centred.min() < -128 or centred.max() > 127):
        return None
    weights = centred.astype(np.int8, copy=False).reshape(shape)
    weights = weights.T if transposed else weights
    width = int(np.prod([shape[axis] for axis in columns]))
    return QuantizedWeights(constant_of(_I8, weights), weights, scales, width)


def _along_columns(
    scale: Array, levels: tuple[int, ...], shape: tuple[int, ...], columns: tuple[int, ...]
) -> Array | None:
    """Return scales, which broadcast to levels, as a vector of one number, or of one a column of reshaped levels."""
    if scale.size == 1:
        return scale.reshape(-1).astype(np.float64)
    width = int(np.prod([shape[axis] for axis in columns]))
    full = np.broadcast_to(scale, levels).reshape(shape)
    moved = np.moveaxis(full, columns, tuple(range(len(columns)))).reshape(width, -1)
    return moved[:, 0].astype(np.float64) if bool((moved == moved[:, :1]).all()) else None


def _of_chain(weights: Value) -> tuple[Array, Array, Array] | None:
    """Return levels, scale and zero point of bytes that are converted to f32 and scaled."""
    walk = decompression(weights)
    if walk is None or walk.is_half or walk.is_transposed or walk.position is not None or not walk.scales:
        return None
    levels, zero = walk.value.constant, np.zeros(1, np.float32) if walk.zero_point is None else walk.zero_point
    if levels is None or walk.value.element_type.name not in ("i8", "u8") or not bool((zero == np.rint(zero)).all()):
        return None
    return levels, np.asarray(reduce(np.multiply, walk.scales)), zero


def _of_fake_quantize(weights: Value) -> tuple[Array, Array, Array] | None:
    """Return levels, scale and zero point of a FakeQuantize of constant weights, which may be reshaped."""
    reshape = producer_of(weights, Reshape)
    op = producer_of(weights if reshape is None else reshape.inputs[0], FakeQuantize)
    if op is None or attributes(op, FakeQuantize).auto_broadcast != "numpy":
        return None
    operation, arrays = attributes(op, FakeQuantize), [folded_constant(value) for value in op.inputs]
    steps = operation.levels - 1
    if any(array is None for array in arrays) or not 1 <= steps <= 255 or op.inputs[0] is None:
        return None
    if op.inputs[0].shape != op.outputs[0].shape:
        return None
    data, *limits = (array.astype(np.float64) for array in arrays if array is not None)
    low, high, out_low, out_high = operation.fitted(limits, data.ndim)
    if not (bool((low < high).all()) and bool((out_low < out_high).all())):
        return None
    scale = (out_high - out_low) / steps
    zero = np.rint(-out_low / scale)
    if not bool((np.abs(-out_low / scale - zero) < WHOLE).all()):
        return None
    levels = np.clip(np.rint((data - low) / (high - low) * steps), 0, steps).astype(np.int16)
    return levels, scale, zero
