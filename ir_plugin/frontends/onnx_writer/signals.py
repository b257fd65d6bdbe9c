"""Writes Fourier transforms, MelWeightMatrix, Col2Im and ScaledDotProductAttention as ONNX nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ir_plugin.frontends.onnx.types import number_of
from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer, i64
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.movement.col2im import Col2Im
from ir_plugin.operations.movement.col2im_nd import Col2ImND
from ir_plugin.operations.sequence.scaled_dot_product_attention import ScaledDotProductAttention
from ir_plugin.operations.signals.dft import DFT
from ir_plugin.operations.signals.fourier import from_front
from ir_plugin.operations.signals.idft import IDFT
from ir_plugin.operations.signals.irdft import IRDFT
from ir_plugin.operations.signals.mel_weight_matrix import MelWeightMatrix
from ir_plugin.operations.signals.rdft import RDFT
from ir_plugin.operations.signals.stft import STFT
from ir_plugin.tensors import ElementType

BOOLEAN = ElementType.boolean


def _transform(
    layer: Layer, value: str, axis: int, size: int | str, inverse: bool = False, onesided: bool = False
) -> str:
    """Return the transform along an axis that is truncated or padded to a known size, or has the size already."""
    if layer.opset < 20:
        raise NotExpressibleError("ONNX's DFT takes an axis from opset 20 on")
    length = layer.constant(np.int64(size)) if isinstance(size, int) else ""
    return layer.emit(
        "DFT", value, length, layer.constant(np.int64(axis)), inverse=int(inverse), onesided=int(onesided)
    )


def _resized(layer: Layer, value: str, rank: int, axis: int, length: int | str, size: int | str) -> str:
    """Return a value of a rank whose axis of a length is truncated or padded to a size; DFT does it to known sizes.

    onnxruntime takes the output of a DFT to a computed size to be as long as the input.
    """
    if size == length:
        return value
    missing = layer.arithmetic("Max", layer.arithmetic("Sub", size, length), 0)
    value = layer.slice(value, axis, 0, size)
    if missing == 0:
        return value
    after = [missing if at == axis else 0 for at in range(rank)]
    return layer.emit("Pad", value, layer.vector(*[0] * rank, *after))


def _axes(layer: Layer, rank: int) -> list[int]:
    """Return the axes counted from the front."""
    return from_front(layer.constant_values(1), rank)


def _sizes(layer: Layer, lengths: Sequence[int | str]) -> list[int | str]:
    """Return the signal size of each axis, its length in place of -1."""
    values = layer.value(2)
    if not layer.has(2):
        return list(lengths)
    if values is not None:
        sizes = values.reshape(-1).tolist()
        return [length if size == -1 else size for size, length in zip(sizes, lengths, strict=True)]
    chosen, requested = list[int | str](), layer.cast(layer.inputs[2], i64)
    for position, length in enumerate(lengths):
        size = layer.element(requested, position)
        is_length = layer.emit("Equal", size, layer.list_of(-1))
        chosen.append(layer.emit("Where", is_length, layer.vector(length), size))
    return chosen


def _transformed(
    layer: Layer,
    value: str,
    axes: Sequence[int],
    lengths: Sequence[int | str],
    sizes: Sequence[int | str],
    inverse: bool = False,
    is_real: bool = False,
) -> str:
    """Return the transform along axes of these lengths, truncated or padded to these sizes."""
    for axis, length, size in zip(axes, lengths, sizes, strict=True):
        if isinstance(size, str):
            value = _resized(layer, value, layer.rank() + is_real, axis, length, size)
        value = _transform(layer, value, axis, size, inverse)
    return value


@writes(DFT, IDFT, widens=True)
def dft(layer: Layer) -> str:
    """Return DFT along one axis after the other."""
    axes = _axes(layer, layer.rank() - 1)
    lengths = [layer.dim(0, axis) for axis in axes]
    return _transformed(layer, layer.inputs[0], axes, lengths, _sizes(layer, lengths), layer.operation.is_a(IDFT))


@writes(RDFT, widens=True)
def rdft(layer: Layer) -> str:
    """Return DFT of real numbers along the last of the axes, and along the others."""
    rank = layer.rank()
    axes = _axes(layer, rank)
    lengths = [layer.dim(0, axis) for axis in axes]
    *sizes, size = _sizes(layer, lengths)
    value = layer.inputs[0]
    if isinstance(size, str):
        value = _resized(layer, value, rank, axes[-1], lengths[-1], size)
    value = _transform(layer, layer.unsqueeze(value, rank), axes[-1], size, onesided=True)
    return _transformed(layer, value, axes[:-1], lengths[:-1], sizes, is_real=True)


@writes(IRDFT, widens=True)
def irdft(layer: Layer) -> str:
    """Return the real part of the inverse DFT of the whole spectrum, whose second half mirrors the first."""
    *others, last = _axes(layer, layer.rank() - 1)
    *lengths, length = (layer.dim(0, axis) for axis in (*others, last))
    doubled = layer.arithmetic("Max", layer.arithmetic("Mul", layer.arithmetic("Sub", length, 1), 2), 0)
    *sizes, size = _sizes(layer, [*lengths, doubled])
    value = _transformed(layer, layer.inputs[0], others, lengths, sizes, inverse=True)
    whole = _transform(layer, _whole(layer, value, last, length, size), last, size, inverse=True)
    if isinstance(size, str):
        whole = layer.slice(whole, last, 0, size)
    return layer.squeeze(layer.slice(whole, layer.rank() - 1, 0, 1), layer.rank() - 1)


def _whole(layer: Layer, value: str, axis: int, length: int | str, size: int | str) -> str:
    """Return the whole spectrum of real numbers of which a value has a half, truncated or padded, along an axis."""
    half = layer.arithmetic("Add", layer.arithmetic("Div", size, 2), 1)
    value = _resized(layer, value, layer.rank(), axis, length, half)
    mirrored_count = layer.arithmetic("Max", layer.arithmetic("Sub", size, half), 0)
    if mirrored_count == 0:
        return value
    mirrored = layer.slice(value, axis, mirrored_count, 0, -1)
    signs = layer.constant(np.array([1.0, -1.0]), layer.type_of(value))
    return layer.emit("Concat", value, layer.emit("Mul", mirrored, signs), axis=axis)


@writes(STFT, widens=True)
def stft(layer: Layer) -> str:
    """Return DFT of the gathered frames times the window, which is padded to the frames' length."""
    (size,), (step,) = layer.integers(2), layer.integers(3)
    signal, window = layer.inputs[:2]
    (length,), signal_length = layer.lengths(1), layer.dim(0, layer.rank() - 1)
    if isinstance(signal_length, int):
        positions = layer.constant(np.arange(0, signal_length - size + 1, step)[:, None] + np.arange(size))
    else:
        limit = layer.reshape(layer.emit("Sub", signal_length, layer.list_of(size - 1)))
        starts = layer.emit("Range", layer.constant(0), limit, layer.constant(step))
        positions = layer.emit("Add", layer.unsqueeze(starts, 1), layer.constant(np.arange(size)))
    frames = layer.emit("Gather", signal, positions, axis=layer.rank() - 1)
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
    """Return the name of the mask that is added to the scores, or an empty text."""
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
