"""Fourier transforms, attention, and the inverse of the error function."""

from __future__ import annotations

import math

import numpy as np

from ir_plugin.frontends.onnx.types import number_of
from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer, i64
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.movement.col2im import Col2Im
from ir_plugin.operations.movement.col2im_nd import Col2ImND
from ir_plugin.operations.sequence.scaled_dot_product_attention import ScaledDotProductAttention
from ir_plugin.operations.signals.dft import DFT
from ir_plugin.operations.signals.fourier import from_front, full_sizes
from ir_plugin.operations.signals.idft import IDFT
from ir_plugin.operations.signals.irdft import IRDFT
from ir_plugin.operations.signals.mel_weight_matrix import MelWeightMatrix
from ir_plugin.operations.signals.rdft import RDFT
from ir_plugin.operations.signals.stft import STFT
from ir_plugin.tensors import ElementType

BOOLEAN = ElementType.boolean


def _transform(layer: Layer, value: str, axis: int, size: int, inverse: bool = False, onesided: bool = False) -> str:
    """Return the transform along an axis that is truncated or padded to a size."""
    if layer.opset < 20:
        raise NotExpressibleError("ONNX's DFT takes an axis from opset 20 on")
    return layer.emit(
        "DFT", value, layer.constant(np.int64(size)), layer.constant(np.int64(axis)), inverse=int(inverse),
        onesided=int(onesided),
    )  # fmt: skip


def _sizes(layer: Layer, rank: int) -> tuple[list[int], list[int]]:
    """Return the axes and the signal size of each."""
    axes = from_front(layer.constant_values(1), rank)
    sizes = layer.constant_values(2) if layer.has(2) else None
    return axes, full_sizes(layer.lengths(), axes, sizes)


@writes(DFT, IDFT, widens=True)
def dft(layer: Layer) -> str:
    """Return DFT along one axis after the other."""
    value = layer.inputs[0]
    axes, sizes = _sizes(layer, layer.rank() - 1)
    for axis, size in zip(axes, sizes, strict=True):
        value = _transform(layer, value, axis, size, inverse=layer.operation.is_a(IDFT))
    return value


@writes(RDFT, widens=True)
def rdft(layer: Layer) -> str:
    """Return DFT of real numbers along the last of the axes, and along the others."""
    rank = layer.rank()
    axes, sizes = _sizes(layer, rank)
    value = _transform(layer, layer.unsqueeze(layer.inputs[0], rank), axes[-1], sizes[-1], onesided=True)
    for axis, size in zip(axes[:-1], sizes[:-1], strict=True):
        value = _transform(layer, value, axis, size)
    return value


@writes(IRDFT, widens=True)
def irdft(layer: Layer) -> str:
    """Return the real part of the inverse DFT of the whole spectrum, whose second half mirrors the first."""
    shape = layer.lengths()[:-1]
    axes = from_front(layer.constant_values(1), len(shape))
    last = axes[-1]
    shape[last] = max(2 * (shape[last] - 1), 0)
    sizes = full_sizes(shape, axes, layer.constant_values(2) if layer.has(2) else None)
    value = layer.inputs[0]
    for axis, size in zip(axes[:-1], sizes[:-1], strict=True):
        value = _transform(layer, value, axis, size, inverse=True)
    size, half = sizes[-1], sizes[-1] // 2 + 1
    missing = half - layer.lengths()[last]
    if missing < 0:
        value = layer.slice(value, last, 0, half)
    if missing > 0:
        pads = [0] * (2 * layer.rank())
        pads[layer.rank() + last] = missing
        value = layer.emit("Pad", value, layer.list_of(*pads))
    if size - half > 0:
        mirrored = layer.slice(value, last, size - half, 0, -1)
        signs = layer.constant(np.array([1.0, -1.0]), layer.type_of(value))
        value = layer.emit("Concat", value, layer.emit("Mul", mirrored, signs), axis=last)
    whole = _transform(layer, value, last, size, inverse=True)
    return layer.squeeze(layer.slice(whole, layer.rank() - 1, 0, 1), layer.rank() - 1)


@writes(STFT, widens=True)
def stft(layer: Layer) -> str:
    """Return DFT of the gathered frames times the window, which is padded to the frames' length."""
    (size,), (step,) = layer.integers(2), layer.integers(3)
    signal, window = layer.inputs[:2]
    (length,), signal_length = layer.lengths(1), layer.shape()[-1]
    if signal_length.is_dynamic:
        raise NotExpressibleError("the length of the signal is open")
    starts = np.arange(0, signal_length.get_length() - size + 1, step)
    frames = layer.emit("Gather", signal, layer.constant(starts[:, None] + np.arange(size)), axis=layer.rank() - 1)
    before = (size - length) // 2
    if size > length:
        window = layer.emit("Pad", window, layer.list_of(before, size - length - before))
    product = layer.unsqueeze(layer.emit("Mul", frames, window), layer.rank() + 1)
    transforms = _transform(layer, product, layer.rank(), size, onesided=True)
    if not layer.operation.transpose_frames:
        return transforms
    rank = layer.rank() + 2
    return layer.transpose(transforms, [*range(rank - 3), rank - 2, rank - 3, rank - 1])


@writes(ScaledDotProductAttention, widens=True)
def scaled_dot_product_attention(layer: Layer) -> str:
    """Return Softmax of the scaled products of queries and keys, plus the mask, times the values."""
    query, key, value = layer.inputs[:3]
    rank = layer.rank(1)
    scale = layer.reshape(layer.inputs[4]) if layer.has(4) else _default_scale(layer, query)
    keys = layer.transpose(key, [*range(rank - 2), rank - 1, rank - 2])
    scores = layer.emit("MatMul", layer.emit("Mul", query, scale), keys)
    mask = _mask(layer, scores)
    if mask:
        scores = layer.emit("Add", scores, mask)
    if not layer.has(5):
        return layer.emit("MatMul", layer.emit("Softmax", scores, axis=-1), value)
    shape = layer.slice(layer.emit("Shape", scores), 0, 0, -1)
    sink = layer.emit("Expand", layer.inputs[5], layer.emit("Concat", shape, layer.list_of(1), axis=0))
    weights = layer.emit("Softmax", layer.emit("Concat", scores, sink, axis=-1), axis=-1)
    return layer.emit("MatMul", layer.slice(weights, -1, 0, -1), value)


def _default_scale(layer: Layer, query: str) -> str:
    length = layer.shape()[-1]
    if length.is_static:
        return layer.like(1 / math.sqrt(length.get_length()), query)
    root = layer.emit("Sqrt", layer.cast(layer.reshape(layer.length(query, -1)), layer.type_of(query)))
    return layer.emit("Div", layer.like(1, query), root)


def _mask(layer: Layer, scores: str) -> str:
    """Return what is added to the scores, or an empty text."""
    zero, lowest = layer.like(0, scores), layer.like(-math.inf, scores)
    if layer.operation.causal:
        queries, keys = (layer.reshape(layer.length(layer.inputs[at], layer.rank(at) - 2)) for at in (0, 1))
        row, column = (layer.emit("Range", layer.constant(0), count, layer.constant(1)) for count in (queries, keys))
        sees = layer.emit("LessOrEqual", column, layer.unsqueeze(row, 1))
        return layer.emit("Where", sees, zero, lowest)
    if not layer.has(3) or layer.rank(3) == 0:
        return ""
    mask = layer.inputs[3]
    return layer.emit("Where", mask, zero, lowest) if layer.type_of(mask) is BOOLEAN else mask


@writes(MelWeightMatrix)
def mel_weight_matrix(layer: Layer) -> str:
    """Return MelWeightMatrix."""
    output_type = layer.operation.output_type
    return layer.emit("MelWeightMatrix", *layer.inputs, result=output_type, output_datatype=number_of(output_type))


@writes(Col2ImND)
def col2im_nd(layer: Layer) -> str:
    """Return Col2Im of any number of axes."""
    operation = layer.operation
    sizes = [layer.cast(layer.inputs[position], i64) for position in (1, 2)]
    return layer.emit(
        "Col2Im", layer.inputs[0], *sizes, strides=list(operation.strides), dilations=list(operation.dilations),
        pads=[*operation.pads_begin, *operation.pads_end],
    )  # fmt: skip


@writes(Col2Im)
def col2im(layer: Layer) -> str:
    """Return Col2Im, of blocks without a batch with one of length 1."""
    operation = layer.operation
    strides, dilations, begin, end = operation.checked_lists()
    has_batch = layer.rank() == 3
    data = layer.inputs[0] if has_batch else layer.unsqueeze(layer.inputs[0], 0)
    image = layer.emit(
        "Col2Im", data, layer.cast(layer.inputs[1], i64), layer.cast(layer.inputs[2], i64), strides=list(strides),
        dilations=list(dilations), pads=[*begin, *end],
    )  # fmt: skip
    return image if has_batch else layer.squeeze(image, 0)
