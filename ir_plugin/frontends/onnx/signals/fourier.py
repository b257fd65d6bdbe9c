"""DFT, STFT and MelWeightMatrix."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import (
    Value,
    as_scalar,
    cast,
    extension,
    i64,
    output,
    rank_as_value,
    scalar,
    shape_of,
)
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@translates("DFT", 20)
def dft(node: OnnxNode) -> Value:
    """Return DFT-7, IDFT-7, RDFT-9 or IRDFT-9 along one axis."""
    axis = cast(node.input(2), ElementType.i64) if node.has(2) else i64(-2)
    return _transformed(node, as_scalar(axis))


@translates("DFT", 17)
def dft_17(node: OnnxNode) -> Value:
    """As the newest, but with the axis as an attribute."""
    return _transformed(node, i64(node.attributes.int("axis")))


def _transformed(node: OnnxNode, axis: Output) -> Value:
    data = node.input(0)
    rank, is_real = data.tensor_info.shape.ndim, _is_real(data)
    if axis.tensor_info.value is None and rank is not None:
        last = rank - 2
        swapped = output(ops.transpose(data, _swap(axis, last, rank)))
        return ops.transpose(_along(node, swapped, i64(last), is_real), _swap(axis, last, rank))
    return _along(node, data, axis, is_real)


def _swap(axis: Output, last: int, rank: int) -> Output:
    """Return the order of axes that exchanges an axis known at run time with another."""
    numbers = i64(list(range(rank)))
    moved = ops.floor_mod(axis, i64(rank))
    after = ops.select(ops.equal(numbers, i64(last)), moved, numbers)
    return output(ops.select(ops.equal(numbers, moved), i64(last), after))


def _along(node: OnnxNode, data: Output, axis: Output, is_real: bool) -> Value:
    """Return the transform along an axis; OpenVINO runs it for an axis that is a constant."""
    inverse, onesided = node.attributes.flag("inverse"), node.attributes.flag("onesided")
    axes = ops.unsqueeze(ops.floor_mod(axis, rank_as_value(data)), i64([0]))
    length = ops.reshape(cast(node.input(1), ElementType.i64), i64([1]), special_zero=False) if node.has(1) else None
    if not inverse and onesided and is_real:
        return ops.rdft(ops.squeeze(data, i64([-1])), axes, length)
    pairs = _pairs(data, is_real)
    if inverse and onesided:
        return ops.unsqueeze(ops.irdft(pairs, axes, length), i64([-1]))
    result = (ops.idft if inverse else ops.dft)(pairs, axes, length)
    return _first_half(result, axes) if onesided else result


def _is_real(data: Output) -> bool:
    """Return whether the last axis holds real numbers, not pairs."""
    shape = data.tensor_info.shape
    if shape.ndim is None or not shape[-1].is_static:
        raise OnnxUnsupportedError("the last dimension of the input is unknown; it must be 1 or 2")
    if shape[-1].get_length() not in (1, 2):
        raise OnnxReadError(f"the last dimension of the input is {shape[-1]}; it must be 1 or 2")
    return bool(shape[-1].get_length() == 1)


def _pairs(data: Value, is_real: bool) -> Value:
    """Return numbers as pairs of a real and an imaginary part."""
    if not is_real:
        return data
    return ops.concat([data, ops.multiply(data, scalar(0, output(data)))], -1)


def _first_half(result: Value, axes: Value) -> Value:
    """Return the frequencies up to half of the length."""
    length = ops.gather(shape_of(result), axes, i64(0))
    stop = ops.add(ops.divide(length, i64([2])), i64([1]))
    return ops.slice(result, i64([0]), stop, i64([1]), axes)


@translates("STFT", 17)
def stft(node: OnnxNode) -> Value:
    """Return STFT-15 for real signals, and for complex ones, or both sides, DFT-7 of frames."""
    signal, step = node.input(0), as_scalar(cast(node.input(1), ElementType.i64))
    if node.has(3):
        size = as_scalar(cast(node.input(3), ElementType.i64))
    else:
        of, axis = (node.input(2), 0) if node.has(2) else (signal, 1)
        size = output(ops.gather(shape_of(of), i64(axis), i64(0)))
    length = ops.unsqueeze(size, i64([0]))
    window = node.input(2) if node.has(2) else output(ops.broadcast(scalar(1, signal), length))
    is_real = node.rank(0) == 2 or _is_real(signal)
    onesided = node.attributes.flag("onesided")
    if is_real and onesided:
        flat = signal if node.rank(0) == 2 else ops.squeeze(signal, i64([2]))
        return ops.stft(flat, window, size, step, transpose_frames=False)
    framed = _frames(signal if node.rank(0) == 3 else output(ops.unsqueeze(signal, i64([2]))), size, step)
    weighted = ops.multiply(framed, ops.unsqueeze(window, i64([1])))
    result = ops.dft(_pairs(weighted, is_real), i64([2]))
    return _first_half(result, i64([2])) if onesided else result


def _frames(signal: Output, size: Value, step: Value) -> Value:
    """Return frames [batch, frame, element, part] of a signal [batch, element, part]."""
    rest = ops.subtract(ops.gather(shape_of(signal), i64(1), i64(0)), size)
    count = ops.add(ops.divide(rest, step), i64(1))
    starts = ops.multiply(ops.range(i64(0), count, i64(1), "i64"), step)
    offsets = ops.range(i64(0), size, i64(1), "i64")
    return ops.gather(signal, ops.add(ops.unsqueeze(starts, i64([1])), offsets), i64(1))


@translates("MelWeightMatrix", 17)
def mel_weight_matrix(node: OnnxNode) -> Value:
    """Return the extension's MelWeightMatrix."""
    inputs = [as_scalar(node.input(index)) for index in range(5)]
    element_type = node.attributes.element_type("output_datatype")
    return extension("MelWeightMatrix", inputs, output_type=element_type.name)
