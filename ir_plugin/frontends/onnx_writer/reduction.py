"""Reductions along axes, and matrix products."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer, i64
from ir_plugin.frontends.onnx_writer.registry import Write, writes
from ir_plugin.operations.matrix.det import Det
from ir_plugin.operations.matrix.einsum import Einsum
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.reduction import reducing
from ir_plugin.tensors import ElementType


@writes(Det, widens=True)
def det(layer: Layer) -> str:
    """Return Det."""
    return layer.emit("Det", layer.inputs[0])


def reduced(layer: Layer, op: str, value: str) -> str:
    """Return a reduction of a value along the axes of the layer's second input."""
    keep = int(layer.operation.keep_dims)
    values = layer.value(1)
    if values is not None:
        rank = layer.rank()
        axes = sorted({int(axis) + (rank if axis < 0 else 0) for axis in values.reshape(-1)}) if rank else []
        return layer.reduce(op, value, axes, bool(keep)) if axes else value
    if layer.opset < 18:
        raise NotExpressibleError(f"the axes are not known, which ONNX's {op} of opset {layer.opset} needs")
    axes_value = layer.reshape(layer.cast(layer.inputs[1], i64), -1)
    return layer.emit(op, value, axes_value, keepdims=keep, noop_with_empty_axes=1)


def _simple(op: str) -> Write:
    """Return a writer of a reduction that ONNX has."""

    def write(layer: Layer) -> str:
        return reduced(layer, op, layer.inputs[0])

    return write


writes(reducing.ReduceSum)(_simple("ReduceSum"))
writes(reducing.ReduceProd)(_simple("ReduceProd"))


@writes(reducing.ReduceMean, widens=True)
def reduce_mean(layer: Layer) -> str:
    """Return ReduceMean; of integers the sum in 64 bits divided towards zero."""
    value = layer.inputs[0]
    if layer.type_of(value).is_floating:
        return reduced(layer, "ReduceMean", value)
    wide = layer.cast(value, i64)
    total = reduced(layer, "ReduceSum", wide)
    ones = layer.emit("Expand", layer.list_of(1), layer.emit("Shape", wide))
    count = layer.emit("Max", reduced(layer, "ReduceSum", ones), layer.constant(1))
    return layer.emit("Div", total, count)


@writes(reducing.ReduceMax)
def reduce_max(layer: Layer) -> str:
    """Return ReduceMax, at least the lowest finite number unless the lowest is infinite."""
    value = layer.inputs[0]
    maximum = reduced(layer, "ReduceMax", value)
    element_type = layer.type_of(value)
    if not element_type.is_floating or layer.operation.lowest == "infinite":
        return maximum
    if element_type.bits < 32:
        return maximum
    return layer.emit("Max", maximum, layer.like(float(np.finfo(element_type.dtype).min), maximum))


@writes(reducing.ReduceMin)
def reduce_min(layer: Layer) -> str:
    """Return ReduceMin."""
    return reduced(layer, "ReduceMin", layer.inputs[0])


@writes(reducing.ReduceL1, widens=True)
def reduce_l1(layer: Layer) -> str:
    """Return the sum of absolute values."""
    return reduced(layer, "ReduceSum", layer.emit("Abs", layer.inputs[0]))


@writes(reducing.ReduceL2, widens=True)
def reduce_l2(layer: Layer) -> str:
    """Return the root of the sum of squares, of integers in f64 and cut."""
    value, element_type = layer.inputs[0], layer.type_of(layer.inputs[0])
    wide = value if element_type.is_floating else layer.cast(value, ElementType.f64)
    root = layer.emit("Sqrt", reduced(layer, "ReduceSum", layer.emit("Mul", wide, wide)))
    return root if element_type.is_floating else layer.cast(root, element_type)


def _logical(op: str) -> Write:
    """Return a writer of a reduction of truth values as numbers."""

    def write(layer: Layer) -> str:
        numbers = layer.cast(layer.inputs[0], ElementType.i32)
        return layer.emit("Greater", reduced(layer, op, numbers), layer.constant(0, ElementType.i32))

    return write


writes(reducing.ReduceLogicalAnd)(_logical("ReduceMin"))
writes(reducing.ReduceLogicalOr)(_logical("ReduceMax"))


@writes(MatMul)
def mat_mul(layer: Layer) -> str:
    """Return MatMul of operands that are transposed first; vectors are not."""
    operation = layer.operation
    a = _transposed(layer, 0) if operation.transpose_a else layer.inputs[0]
    b = _transposed(layer, 1) if operation.transpose_b else layer.inputs[1]
    return layer.emit("MatMul", a, b)


def _transposed(layer: Layer, position: int) -> str:
    rank = layer.rank(position)
    if rank < 2:
        return layer.inputs[position]
    return layer.transpose(layer.inputs[position], [*range(rank - 2), rank - 1, rank - 2])


@writes(Einsum)
def einsum(layer: Layer) -> str:
    """Return Einsum, where the lengths of each letter are equal."""
    terms = layer.operation.equation.replace(" ", "").split("->")[0].split(",")
    lengths: dict[str, set[int]] = {}
    hidden = set()
    for position, term in enumerate(terms):
        letters, shape = term.replace("...", ""), layer.shape(position)
        if "..." in term:
            hidden.add(len(shape) - len(letters))
            continue
        for letter, dim in zip(letters, shape, strict=False):
            if dim.is_static:
                lengths.setdefault(letter, set()).add(dim.get_length())
    if len(hidden) > 1:
        raise NotExpressibleError("an ellipsis stands for different numbers of axes, which ONNX leaves open")
    if any(len(values) > 1 for values in lengths.values()):
        raise NotExpressibleError("a letter has different lengths, of which one is repeated")
    return layer.emit("Einsum", *layer.inputs, equation=layer.operation.equation)
