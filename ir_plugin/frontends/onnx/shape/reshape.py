"""Reshape, Flatten, Squeeze, Unsqueeze, Shape, Size and Expand."""

from __future__ import annotations

from ir_plugin.frontends.onnx.common import Value, axes_of, i64, normalized, shape_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.opsets import opset13
from ir_plugin.opsets import opset16 as ops


@translates("Reshape", 5)
def reshape(node: OnnxNode) -> Node:
    """Return Reshape-1; a length of 0 keeps the input's length unless `allowzero` is set."""
    return ops.reshape(node.input(0), node.input(1), special_zero=not node.attributes.flag("allowzero", 0))


@translates("Reshape", 1)
def reshape_1(node: OnnxNode) -> Node:
    """As the newest, but with the shape as an attribute."""
    return ops.reshape(node.input(0), i64(node.attributes.ints("shape", [])), special_zero=True)


@translates("Flatten", 1)
def flatten(node: OnnxNode) -> Node:
    """Return a matrix whose rows are the axes before `axis`."""
    data, axis, rank = node.input(0), node.attributes.int("axis"), node.rank(0)
    if rank is not None:
        axis = normalized(axis, rank, extra=1)
    if axis == 0:
        return ops.reshape(data, i64([1, -1]), special_zero=False)
    if axis == 1:
        return ops.reshape(data, i64([0, -1]), special_zero=True)
    lengths = shape_of(data)
    before = ops.slice(lengths, i64([0]), i64([axis]), i64([1]))
    after = ops.slice(lengths, i64([axis]), i64([2**63 - 1]), i64([1]))
    shape = ops.concat([ops.reduce_prod(part, i64([0]), keep_dims=True) for part in (before, after)], 0)
    return ops.reshape(data, shape, special_zero=False)


@translates("Squeeze", 1)
def squeeze(node: OnnxNode) -> Node:
    """Return Squeeze-1; without axes all of length 1 go, and an axis of another length is an error."""
    data, axes = node.input(0), axes_of(node, 1)
    if axes is None:
        return ops.squeeze(data)
    rank, constant = node.rank(0), axes.tensor_info.value
    for axis in () if rank is None or constant is None else constant.reshape(-1).tolist():
        dim = data.tensor_info.shape[normalized(axis, rank or 0, "an axis")]
        if not dim.contains(1):
            raise OnnxReadError(
                f"the axis {axis} of {data.tensor_info.shape} has the length {dim}; only 1 can be squeezed"
            )
    return opset13.squeeze(data, axes)


@translates("Unsqueeze", 1)
def unsqueeze(node: OnnxNode) -> Value:
    """Return Unsqueeze-1, or the data where there are no axes."""
    axes = axes_of(node, 1)
    if axes is None:
        raise OnnxReadError("the axes are required and absent")
    rank, constant = node.rank(0), axes.tensor_info.value
    if rank is not None and constant is not None:
        positions = [normalized(axis, rank + constant.size, "an axis") for axis in constant.reshape(-1).tolist()]
        if len({*positions}) < len(positions):
            raise OnnxReadError(f"the axes are {constant.reshape(-1).tolist()}; each axis must be there once")
    return node.input(0) if axes.tensor_info.shape.size == 0 else ops.unsqueeze(node.input(0), axes)


@translates("Shape", 15)
def shape(node: OnnxNode) -> Value:
    """Return the lengths of the axes from `start` up to `end`."""
    lengths = shape_of(node.input(0))
    start, end = node.attributes.int("start"), node.attributes.int("end", 2**63 - 1)
    if (start, end) == (0, 2**63 - 1):
        return lengths
    return ops.slice(lengths, i64([start]), i64([end]), i64([1]))


@translates("Shape", 1)
def shape_1(node: OnnxNode) -> Value:
    """As the newest, but of all axes."""
    return shape_of(node.input(0))


@translates("Size", 1)
def size(node: OnnxNode) -> Node:
    """Return the number of elements."""
    return ops.reduce_prod(shape_of(node.input(0)), i64([0]), keep_dims=False)


@translates("Expand", 8)
def expand(node: OnnxNode) -> Node:
    """Return a bidirectional Broadcast-3: where `shape` has the length 1, the input's length stays."""
    return ops.broadcast(node.input(0), node.input(1), broadcast_spec="BIDIRECTIONAL")
