"""Activation functions, Softmax and conversions."""

from __future__ import annotations

import math

import numpy as np

from ir_plugin.frontends.onnx.types import number_of
from ir_plugin.frontends.onnx_writer.arithmetic import real
from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer
from ir_plugin.frontends.onnx_writer.registry import Write, writes
from ir_plugin.frontends.onnx_writer.values import held
from ir_plugin.operations.activation import unary
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.elu import Elu
from ir_plugin.operations.activation.gelu import Gelu
from ir_plugin.operations.activation.hard_sigmoid import HardSigmoid
from ir_plugin.operations.activation.identity import Identity
from ir_plugin.operations.activation.log_softmax import LogSoftmax
from ir_plugin.operations.activation.prelu import PRelu, belongs_to_channels
from ir_plugin.operations.activation.selu import Selu
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.generation.dropout import Dropout
from ir_plugin.operations.type.bit_cast import BitCast
from ir_plugin.operations.type.cast import Cast
from ir_plugin.operations.type.convert import Convert
from ir_plugin.operations.type.convert_like import ConvertLike
from ir_plugin.operations.type.convert_promote_types import ConvertPromoteTypes
from ir_plugin.tensors import ElementType


@writes(Dropout)
def dropout(layer: Layer) -> list[str]:
    """Return Dropout, which may train."""
    operation = layer.operation
    seed = operation.seed if operation.seed >= 0 else None
    return layer.emit_all("Dropout", *layer.inputs, count=2, seed=seed)


@writes(Identity)
def write_identity(layer: Layer) -> str:
    """Return the input."""
    return layer.inputs[0]


@writes(unary.Relu)
def relu(layer: Layer) -> str:
    """Return Relu; unsigned integers are unchanged."""
    value = layer.inputs[0]
    return value if layer.type_of(value).kind in ("uint", "bool") else layer.emit("Relu", value)


@writes(unary.Sigmoid)
def sigmoid(layer: Layer) -> str:
    """Return Sigmoid."""
    return layer.emit("Sigmoid", real(layer))


@writes(unary.SoftPlus, widens=True)
def softplus(layer: Layer) -> str:
    """Return max(x, 0) + log(1 + exp(-|x|)), which does not overflow."""
    return _softplus(layer, real(layer))


def _softplus(layer: Layer, value: str) -> str:
    small = layer.emit("Exp", layer.emit("Neg", layer.emit("Abs", value)))
    log = layer.emit("Log", layer.emit("Add", small, layer.like(1, small)))
    return layer.emit("Add", layer.emit("Relu", value), log)


@writes(unary.SoftSign)
def softsign(layer: Layer) -> str:
    """Return Softsign."""
    return layer.emit("Softsign", real(layer))


@writes(unary.Mish, widens=True)
def mish(layer: Layer) -> str:
    """Return x · tanh(softplus(x))."""
    value = real(layer)
    return layer.emit("Mul", value, layer.emit("Tanh", _softplus(layer, value)))


def _hard(alpha: float, beta: float) -> Write:
    """Return a writer of alpha · x + beta limited to [0, 1]."""

    def write(layer: Layer) -> str:
        return layer.emit("HardSigmoid", real(layer), alpha=alpha, beta=beta)

    return write


writes(unary.HSigmoid)(_hard(1 / 6, 0.5))


@writes(unary.HSwish)
def hard_swish(layer: Layer) -> str:
    """Return HardSwish."""
    return layer.emit("HardSwish", real(layer))


@writes(HardSigmoid)
def hard_sigmoid(layer: Layer) -> str:
    """Return alpha · x + beta limited to [0, 1]."""
    value, alpha, beta = layer.inputs
    if not layer.type_of(value).is_floating:
        raise NotExpressibleError("integers are rounded in a way of its own")
    line = layer.emit("Add", layer.emit("Mul", alpha, value), beta)
    return layer.emit("Clip", line, layer.like(0, line), layer.like(1, line))


@writes(Clamp)
def clamp(layer: Layer) -> str:
    """Return the minimum of max with the maximum of min, as NaN stays; limits of integers are rounded inwards."""
    value, low, high = layer.inputs[0], layer.operation.min, layer.operation.max
    element_type = layer.type_of(value)
    if not element_type.is_floating:
        info = np.iinfo(element_type.dtype)
        low = math.ceil(min(max(low, info.min), info.max))
        high = math.floor(min(max(high, info.min), info.max))
    return layer.emit("Clip", value, layer.like(low, value), layer.like(high, value))


@writes(Elu)
def elu(layer: Layer) -> str:
    """Return Elu."""
    return layer.emit("Elu", real(layer), alpha=float(layer.operation.alpha))


@writes(Gelu, widens=True)
def gelu(layer: Layer) -> str:
    """Return Gelu, in an opset without it a composition."""
    value = real(layer)
    is_exact = layer.operation.approximation_mode == "erf"
    if layer.opset >= 20:
        return layer.emit("Gelu", value, approximate="none" if is_exact else "tanh")
    one, half = layer.like(1, value), layer.like(0.5, value)
    if is_exact:
        inner = layer.emit("Erf", layer.emit("Mul", value, layer.like(math.sqrt(0.5), value)))
    else:
        cube = layer.emit("Mul", layer.emit("Mul", value, value), value)
        line = layer.emit("Add", value, layer.emit("Mul", cube, layer.like(0.044715, value)))
        inner = layer.emit("Tanh", layer.emit("Mul", line, layer.like(math.sqrt(2 / math.pi), value)))
    return layer.emit("Mul", layer.emit("Mul", half, value), layer.emit("Add", one, inner))


@writes(Swish, widens=True)
def swish(layer: Layer) -> str:
    """Return x · sigmoid(beta · x)."""
    value = real(layer)
    scaled = value
    if layer.has(1):
        beta = layer.cast(layer.inputs[1], layer.type_of(value))
        scaled = layer.emit("Mul", value, layer.reshape(beta))
    return layer.emit("Mul", value, layer.emit("Sigmoid", scaled))


@writes(PRelu)
def prelu(layer: Layer) -> str:
    """Return x where it is not negative, and slope · x elsewhere; NaN stays."""
    value, slope = layer.inputs
    data, own = layer.shape(0), layer.shape(1)
    if belongs_to_channels(data, own):
        slope = layer.unsqueeze(slope, *range(1, len(data) - 1))
    elif all(dim == 1 for dim in own):
        slope = layer.reshape(slope)
    elif len(own) > len(data):
        raise NotExpressibleError(f"the slope {own} has more dimensions than the data {data}")
    return layer.emit("Where", layer.emit("Less", value, layer.like(0, value)), layer.emit("Mul", value, slope), value)


@writes(Selu, widens=True)
def selu(layer: Layer) -> str:
    """Return lambda · x, or lambda · alpha · (exp(x) - 1) below zero."""
    value, alpha, factor = real(layer), *(layer.reshape(name) for name in layer.inputs[1:])
    alpha, factor = (layer.cast(name, layer.type_of(value)) for name in (alpha, factor))
    below = layer.emit("Mul", alpha, layer.emit("Elu", value))
    is_positive = layer.emit("Greater", value, layer.like(0, value))
    return layer.emit("Mul", factor, layer.emit("Where", is_positive, value, below))


def _along(layer: Layer, op: str) -> str:
    """Return an operator along one axis; a scalar is given one."""
    value = real(layer)
    if layer.info().shape.ndim == 0:
        return layer.squeeze(layer.emit(op, layer.unsqueeze(value, 0), axis=0), 0)
    return along(layer, op, value, layer.axis(layer.operation.axis), layer.rank())


def along(layer: Layer, op: str, value: str, axis: int, rank: int) -> str:
    """Return Softmax or LogSoftmax along one axis; older opsets join the axes from there on."""
    if layer.opset >= 13:
        return layer.emit(op, value, axis=axis)
    order = [*range(rank)]
    order[axis], order[-1] = rank - 1, axis
    return layer.transpose(layer.emit(op, layer.transpose(value, order), axis=rank - 1), order)


@writes(Softmax)
def softmax(layer: Layer) -> str:
    """Return Softmax along one axis."""
    return _along(layer, "Softmax")


@writes(LogSoftmax)
def log_softmax(layer: Layer) -> str:
    """Return LogSoftmax along one axis."""
    return _along(layer, "LogSoftmax")


@writes(Convert, ConvertLike)
def convert(layer: Layer) -> str:
    """Return Cast, towards integers by the wide type that OpenVINO truncates to."""
    return converted(layer, layer.inputs[0], layer.info(0).element_type, layer.output_info().element_type)


@writes(BitCast)
def bit_cast(layer: Layer) -> str:
    """Return BitCast."""
    target = layer.operation.destination_type
    return layer.emit("BitCast", layer.inputs[0], result=target, to=number_of(target))


@writes(Cast)
def cast(layer: Layer) -> str:
    """Return Cast from and to texts, and to powers of two."""
    operation = layer.operation
    target = held(operation.destination_type, layer.opset)
    is_power = target is ElementType.f8e8m0
    return layer.emit(
        "Cast", layer.inputs[0], result=target, to=number_of(target),
        saturate=int(operation.saturate) if is_power else None, round_mode=operation.round_mode if is_power else None,
    )  # fmt: skip


@writes(ConvertPromoteTypes)
def convert_promote_types(layer: Layer) -> list[str]:
    """Return both inputs in the common type."""
    target = layer.output_info().element_type
    return [converted(layer, layer.inputs[at], layer.info(at).element_type, target) for at in (0, 1)]


def converted(layer: Layer, value: str, source: ElementType, target: ElementType) -> str:
    """Return a value in another type as Convert gives it."""
    if source is target:
        return value
    if target is ElementType.f4e2m1:
        return layer.cast(_in_four_bits(layer, value), held(target, layer.opset))
    if target.name in ("u1", "u3", "u6", "nf4", "f8e8m0"):
        raise NotExpressibleError(f"conversions to {target.name} round and wrap in a way of their own")
    if target.is_integer and target.is_low_bit:
        return _wrapped(layer, converted(layer, value, source, ElementType.i32), target)
    if target.bits == 8 and target.is_floating:
        return _to_small_float(layer, value, target)
    if not source.is_floating or target.is_floating or target is ElementType.boolean:
        return layer.cast(value, target)
    inner = ElementType.i32 if target is ElementType.i32 or target.bits <= 16 else ElementType.i64
    low = float(np.iinfo(inner.dtype).min)
    wide = layer.cast(value, ElementType.f64)
    inside = layer.emit(
        "And",
        layer.emit("Greater", wide, layer.constant(low - (inner.bits == 32), ElementType.f64)),
        layer.emit("Less", wide, layer.constant(-low, ElementType.f64)),
    )
    cut = layer.emit("Where", inside, wide, layer.constant(low, ElementType.f64))
    whole = layer.cast(layer.cast(cut, inner), target)
    return _with_highest_bit(layer, wide, whole) if target.name == "u64" else whole


def _with_highest_bit(layer: Layer, wide: str, whole: str) -> str:
    """Return u64 with the numbers from 2^63 on, which i64 cannot hold."""
    half = layer.constant(2.0**63, ElementType.f64)
    is_high = layer.emit(
        "And", layer.emit("GreaterOrEqual", wide, half), layer.emit("Less", wide, layer.emit("Add", half, half))
    )
    rest = layer.emit("Where", is_high, layer.emit("Sub", wide, half), layer.constant(0.0, ElementType.f64))
    low_bits = layer.cast(layer.cast(rest, ElementType.i64), ElementType.u64)
    return layer.emit("Where", is_high, layer.emit("Add", low_bits, layer.constant(2**63, ElementType.u64)), whole)


def _wrapped(layer: Layer, value: str, target: ElementType) -> str:
    """Return integers of 32 bits modulo the range of a type of fewer than eight bits."""
    if held(target, layer.opset) is not target:
        raise NotExpressibleError(f"ONNX of opset {layer.opset} lacks the element type {target.name}")
    low = layer.emit("BitwiseAnd", value, layer.constant(2**target.bits - 1, ElementType.i32))
    if target.has_sign:
        sign = layer.constant(2 ** (target.bits - 1), ElementType.i32)
        low = layer.emit("Sub", layer.emit("BitwiseXor", low, sign), sign)
    return layer.cast(low, target)


def _in_four_bits(layer: Layer, value: str) -> str:
    """Return numbers rounded to f4e2m1, halves to even; larger ones are cut to 6, and NaN is 6."""
    real = layer.cast(value, ElementType.f32)
    real = layer.emit("Where", layer.emit("IsNaN", real), layer.constant(6.0), real)
    real = layer.emit("Clip", real, layer.constant(-6.0), layer.constant(6.0))
    size, two, four = layer.emit("Abs", real), layer.constant(2.0), layer.constant(4.0)
    step = layer.emit("Where", layer.emit("Greater", size, four), two, layer.constant(1.0))
    step = layer.emit("Where", layer.emit("Less", size, two), layer.constant(0.5), step)
    return layer.emit("Mul", layer.emit("Round", layer.emit("Div", real, step)), step)


def _to_small_float(layer: Layer, value: str, target: ElementType) -> str:
    """Return floats of eight bits; numbers out of range are infinite, or NaN where the type has no infinity."""
    wide = value if layer.type_of(value).name in ("f32", "f64") else layer.cast(value, ElementType.f32)
    return layer.emit("Cast", wide, result=held(target, layer.opset), to=number_of(target), saturate=0)
