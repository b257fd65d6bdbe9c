"""Compress, NonZero, OneHot and Trilu."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, as_scalar, cast, i64, output, scalar, shape_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@translates("NonZero", 9)
def non_zero(node: OnnxNode) -> Node:
    """Return NonZero-3."""
    return ops.non_zero(node.input(0), "i64")


@translates("Compress", 9)
def compress(node: OnnxNode) -> Node:
    """Return the slices along an axis, or the elements of the flat data, where the condition is true.

    A condition may be longer than the axis; its rest selects nothing.
    """
    data: Value = node.input(0)
    axis = node.attributes.int("axis", None)
    if axis is None:
        data, axis = ops.reshape(data, i64([-1]), special_zero=False), 0
    length = ops.gather(shape_of(data), i64([axis]), i64(0))
    condition = ops.slice(node.input(1), i64([0]), length, i64([1]))
    positions = ops.squeeze(ops.non_zero(condition, "i64"), i64([0]))
    return ops.gather(data, positions, i64(axis))


@translates("OneHot", 9)
def one_hot(node: OnnxNode) -> Node:
    """Return OneHot-1 of indices that are wrapped; an index out of range gives the off value everywhere."""
    values = node.input(2).tensor_info.shape
    if values.ndim == 1 and not values[0].contains(2):
        raise OnnxReadError(f"there are {values[0]} values; there must be 2, off and on")
    indices = cast(node.input(0), ElementType.i64)
    depth = as_scalar(cast(node.input(1), ElementType.i64))
    off, on = (ops.gather(node.input(2), i64(index), i64(0)) for index in (0, 1))
    wrapped = ops.select(ops.less(indices, i64(0)), ops.add(indices, depth), indices)
    return ops.one_hot(wrapped, depth, on, off, node.attributes.int("axis"))


@translates("Trilu", 14)
def trilu(node: OnnxNode) -> Node:
    """Return the triangle above or below a diagonal of each matrix, zeros elsewhere."""
    data, rank = node.input(0), node.rank(0)
    if rank is not None and rank < 2:
        raise OnnxReadError(f"the data has the rank {rank}; it must be at least 2")
    diagonal = i64(0) if not node.has(1) else as_scalar(node.input(1))
    lengths = shape_of(data)
    rows, columns = (ops.range(i64(0), ops.gather(lengths, i64(axis), i64(0)), i64(1), "i64") for axis in (-2, -1))
    offsets = ops.subtract(columns, ops.unsqueeze(rows, i64([1])))
    compare = ops.greater_equal if node.attributes.flag("upper") else ops.less_equal
    return ops.select(output(compare(offsets, diagonal)), data, scalar(0, data))
