"""Normalizations, and floats of 8 bits."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.normalization.batch_norm_inference import BatchNormInference
from ir_plugin.operations.normalization.grn import GRN
from ir_plugin.operations.normalization.group_normalization import GroupNormalization
from ir_plugin.operations.normalization.lrn import LRN
from ir_plugin.operations.normalization.mvn import MVN, MVN2
from ir_plugin.operations.normalization.normalize_l2 import NormalizeL2
from ir_plugin.operations.quantization.fake_convert import FakeConvert
from ir_plugin.tensors import ElementType


@writes(BatchNormInference, widens=True)
def batch_norm_inference(layer: Layer) -> str:
    """Return BatchNormalization; the old definition has the data third."""
    data, gamma, beta, mean, variance = layer.inputs
    if layer.info(0).shape.ndim == 1:
        data, gamma, beta = beta, data, gamma
    return layer.emit("BatchNormalization", data, gamma, beta, mean, variance, epsilon=float(layer.operation.epsilon))


@writes(GRN, widens=True)
def grn(layer: Layer) -> str:
    """Return the data divided by the root of the sum of squares over channels plus `bias`."""
    value = layer.inputs[0]
    total = layer.reduce("ReduceSum", layer.emit("Mul", value, value), [1])
    root = layer.emit("Sqrt", layer.emit("Add", total, layer.like(layer.operation.bias, total)))
    return layer.emit("Div", value, root)


@writes(GroupNormalization, widens=True)
def group_normalization(layer: Layer) -> str:
    """Return the data normalized in groups of channels, times `scale`, plus `bias`."""
    value, rank = layer.inputs[0], layer.rank()
    batch = layer.dim(0, 0)
    grouped = layer.reshape(value, batch, layer.operation.num_groups, -1)
    normal = normalized(layer, grouped, [2], True, layer.operation.epsilon, True)
    normal = layer.emit("Reshape", normal, layer.emit("Shape", value))
    axes = range(1, rank - 1)
    scale, bias = (layer.unsqueeze(layer.cast(name, layer.type_of(value)), *axes) for name in layer.inputs[1:])
    return layer.emit("Add", layer.emit("Mul", normal, scale), bias)


def normalized(layer: Layer, value: str, axes: Sequence[int], variance: bool, eps: float, inside: bool) -> str:
    """Return a value minus its mean along axes, divided by the root of its variance."""
    mean = layer.reduce("ReduceMean", value, axes) if axes else value
    centred = layer.emit("Sub", value, mean)
    if not variance:
        return centred
    square = layer.emit("Mul", centred, centred)
    mean_square = layer.reduce("ReduceMean", square, axes) if axes else square
    small = layer.like(eps, value)
    if inside:
        return layer.emit("Div", centred, layer.emit("Sqrt", layer.emit("Add", mean_square, small)))
    return layer.emit("Div", centred, layer.emit("Add", layer.emit("Sqrt", mean_square), small))


@writes(MVN, widens=True)
def mvn(layer: Layer) -> str:
    """Return the data minus its mean, divided by its standard deviation."""
    operation = layer.operation
    if isinstance(operation, MVN2):
        rank = layer.rank()
        axes = [layer.axis(axis) for axis in operation.reduction_axes]
        axes = axes or list(range(1 if operation.across_channels else 2, rank))
        return normalized(layer, layer.inputs[0], axes, operation.normalize_variance, operation.eps, True)
    axes = _axes(layer)
    inside = operation.eps_mode.lower() == "inside_sqrt"
    return normalized(layer, layer.inputs[0], axes, operation.normalize_variance, operation.eps, inside)


def _axes(layer: Layer) -> list[int]:
    """Return the axes of the second input, each once."""
    return list(dict.fromkeys(axis % layer.rank() for axis in layer.integers(1)))


@writes(NormalizeL2, widens=True)
def normalize_l2(layer: Layer) -> str:
    """Return the data divided by its norm along axes."""
    value, operation = layer.inputs[0], layer.operation
    axes = _axes(layer)
    if not axes:
        zero = layer.like(0, value)
        is_zero = layer.emit("Equal", value, zero)
        return layer.emit("Where", is_zero, zero, layer.like(1, value))
    total = layer.reduce("ReduceSum", layer.emit("Mul", value, value), axes)
    op = "Add" if operation.eps_mode == "add" else "Max"
    return layer.emit("Div", value, layer.emit("Sqrt", layer.emit(op, total, layer.like(operation.eps, total))))


@writes(LRN, widens=True)
def lrn(layer: Layer) -> str:
    """Return LRN along the channels of images, or a composition along other axes."""
    operation, value = layer.operation, layer.inputs[0]
    axes, reach = _axes(layer), layer.operation.reach
    if axes == [1] and layer.rank() == 4 and operation.size == 2 * reach + 1 and layer.info().element_type.bits >= 32:
        return layer.emit(
            "LRN", value, alpha=float(operation.alpha), beta=float(operation.beta), bias=float(operation.bias),
            size=operation.size,
        )  # fmt: skip
    total = layer.emit("Mul", value, value)
    for axis in axes:
        if reach:
            total = _window_sums(layer, total, axis, reach)
    scale = layer.like(operation.alpha / operation.size ** len(axes), total)
    base = layer.emit("Add", layer.like(operation.bias, total), layer.emit("Mul", scale, total))
    return layer.emit("Div", value, layer.emit("Pow", base, layer.like(operation.beta, base)))


def _window_sums(layer: Layer, value: str, axis: int, reach: int) -> str:
    """Return sums of up to `reach` elements before and after each one, as a product with a band of ones."""
    length = layer.dim(0, axis)
    width = 2 * reach + 1
    pads = [0] * (2 * layer.rank())
    pads[axis] = pads[axis + layer.rank()] = reach
    padded = layer.emit("Pad", value, layer.list_of(*pads))
    total = ""
    for offset in range(width):
        stop = layer.arithmetic("Add", length, offset)
        part = layer.slice(padded, axis, offset, stop)
        total = layer.emit("Add", total, part) if total else part
    return total


@writes(FakeConvert, widens=True)
def fake_convert(layer: Layer) -> str:
    """Return Cast to an 8-bit float and back, between a scale and a shift."""
    value, scale = layer.inputs[:2]
    target = ElementType.from_name(layer.operation.destination_type)
    limit = {"f8e4m3": 448.0, "f8e5m2": 57344.0}.get(layer.operation.destination_type)
    if target is None or limit is None:
        raise NotExpressibleError(f"the type {layer.operation.destination_type} has no limits")
    scaled = layer.emit("Mul", value, scale)
    if layer.has(2):
        scaled = layer.emit("Sub", scaled, layer.inputs[2])
    limited = layer.emit("Clip", scaled, layer.like(-limit, scaled), layer.like(limit, scaled))
    rounded = layer.cast(layer.cast(limited, target), ElementType.f32)
    if layer.has(2):
        rounded = layer.emit("Add", rounded, layer.inputs[2])
    return layer.emit("Div", rounded, scale)
