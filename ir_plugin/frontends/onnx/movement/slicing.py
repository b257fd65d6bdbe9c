"""Slice, Split, Concat, Tile, Transpose, Pad and other operators that move blocks."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, as_scalar, cast, i64, scalar, shape_of
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@translates("Concat", 1)
def concat(node: OnnxNode) -> Node:
    """Return Concat-1; the first version has the axis 1 by default."""
    return ops.concat(node.present(), node.attributes.int("axis", *([1] if node.since < 4 else [])))


@translates("Transpose", 1)
def transpose(node: OnnxNode) -> Node:
    """Return Transpose-1; without `perm` all axes are reversed."""
    return ops.transpose(node.input(0), i64(node.attributes.ints("perm", [])))


@translates("Slice", 10)
def slice(node: OnnxNode) -> Node:
    """Return Slice-8."""
    data, starts, ends = node.input(0), node.input(1), node.input(2)
    steps = node.optional(4)
    if steps is None:
        ones = constant_of(np.ones((), starts.tensor_info.element_type.dtype), starts.tensor_info.element_type)
        steps = ops.broadcast(ones, shape_of(starts)).outputs[0]
    axes = node.optional(3)
    return ops.slice(data, starts, ends, steps) if axes is None else ops.slice(data, starts, ends, steps, axes)


@translates("Slice", 1)
def slice_1(node: OnnxNode) -> Node:
    """As the newest, but with attributes and without steps."""
    starts, ends = node.attributes.ints("starts"), node.attributes.ints("ends")
    axes = node.attributes.ints("axes", list(range(len(starts))))
    return ops.slice(node.input(0), i64(starts), i64(ends), i64([1] * len(starts)), i64(axes))


@translates("Split", 18)
def split(node: OnnxNode) -> Node:
    """Return VariadicSplit-1 for lengths; else equal parts, of which the last may be shorter."""
    data, axis = node.input(0), node.attributes.int("axis")
    if node.has(1):
        return ops.variadic_split(data, i64(axis), node.input(1))
    count = node.attributes.int("num_outputs", len(node.outputs))
    if count < 1 or count != len(node.outputs):
        raise OnnxReadError(f"the attribute 'num_outputs' is {count}; the node has {len(node.outputs)} outputs")
    length = ops.gather(shape_of(data), i64([axis]), i64(0))
    constant = length.outputs[0].tensor_info.value
    if constant is not None and int(constant[0]) % count == 0:
        return ops.split(data, i64(axis), count)
    part = ops.divide(ops.add(length, i64([count - 1])), i64([count]))
    rest = ops.subtract(length, ops.multiply(part, i64([count - 1])))
    return ops.variadic_split(data, i64(axis), ops.concat([*[part] * (count - 1), rest], 0))


@translates("Split", 13)
def split_13(node: OnnxNode) -> Node:
    """As the newest, but all parts are equal where no lengths are given."""
    if node.has(1):
        return ops.variadic_split(node.input(0), i64(node.attributes.int("axis")), node.input(1))
    return ops.split(node.input(0), i64(node.attributes.int("axis")), len(node.outputs))


@translates("Split", 1)
def split_1(node: OnnxNode) -> Node:
    """As version 13, but with the lengths as an attribute, or as an input in the first version."""
    lengths = node.attributes.ints("split", None)
    axis = i64(node.attributes.int("axis", 0))
    if lengths:
        return ops.variadic_split(node.input(0), axis, i64(lengths))
    if node.has(1):
        return ops.variadic_split(node.input(0), axis, cast(node.input(1), ElementType.i64))
    return ops.split(node.input(0), axis, len(node.outputs))


@translates("Tile", 6)
def tile(node: OnnxNode) -> Node:
    """Return Tile-1."""
    rank, count = node.rank(0), node.input(1).tensor_info.shape
    if rank is not None and count.ndim == 1 and not count[0].contains(rank):
        raise OnnxReadError(f"there are {count[0]} repeats for {rank} axes")
    repeats = node.constant(1)
    if repeats is not None and (repeats < 0).any():
        raise OnnxReadError(f"the repeats are {repeats.tolist()}; each must be at least 0")
    return ops.tile(node.input(0), node.input(1))


@translates("Tile", 1)
def tile_1(node: OnnxNode) -> Node:
    """As the newest, but along one axis, both of them inputs."""
    inputs = (cast(node.input(index), ElementType.i64) for index in (1, 2))
    count, axis = (ops.reshape(value, i64([1]), special_zero=False) for value in inputs)
    ones = ops.broadcast(i64(1), shape_of(shape_of(node.input(0))))
    repeats = ops.scatter_update(ones, axis, count, i64(0))
    return ops.tile(node.input(0), repeats)


_MODES = {"constant": "constant", "reflect": "reflect", "edge": "edge"}


@translates("Pad", 11)
def pad(node: OnnxNode) -> Node:
    """Return Pad-12; lengths for some axes are zeros for the others, and mode wrap takes from the other end."""
    data, mode = node.input(0), node.attributes.text("mode")
    pads = cast(node.input(1), ElementType.i64)
    if node.has(3):
        pads = _for_all_axes(node, pads)
    begin, end = ops.split(pads, i64(0), 2).outputs
    if mode == "wrap":
        return _wrapped(node, begin, end)
    value = node.optional(2)
    fill = scalar(0, data) if value is None else as_scalar(value)
    return _padded(data, begin, end, mode, fill)


def _padded(data: Value, begin: Value, end: Value, mode: str, fill: Value) -> Node:
    if mode not in _MODES:
        raise OnnxReadError(f"the attribute 'mode' is {mode!r}; it must be {', '.join(_MODES)} or wrap")
    return ops.pad(data, begin, end, mode, fill if mode == "constant" else None)


def _for_all_axes(node: OnnxNode, pads: Output) -> Output:
    """Return the lengths for all axes from those for some."""
    rank = node.known_rank(0)
    axes = cast(node.input(3), ElementType.i64)
    begin, end = ops.split(pads, i64(0), 2).outputs
    full = [ops.scatter_elements_update(i64([0] * rank), axes, part, i64(0)) for part in (begin, end)]
    joined: Output = ops.concat(full, 0).outputs[0]
    return joined


def _wrapped(node: OnnxNode, begin: Value, end: Value) -> Node:
    """Return elements of the data at positions that wrap around after its last one.

    Negative lengths crop the data first.
    """
    rank = node.known_rank(0)
    zeros = i64([0] * rank)
    result: Value = ops.pad(node.input(0), ops.minimum(begin, zeros), ops.minimum(end, zeros), "constant")
    begin, end = ops.maximum(begin, zeros), ops.maximum(end, zeros)
    lengths = shape_of(result)
    for axis in range(rank):
        length, before, after = (ops.gather(part, i64(axis), i64(0)) for part in (lengths, begin, end))
        positions = ops.range(ops.negative(before), ops.add(length, after), i64(1), "i64")
        result = ops.gather(result, ops.floor_mod(positions, length), i64(axis))
    return ops.reshape(result, shape_of(result), special_zero=False) if isinstance(result, Output) else result


@translates("Pad", 1)
def pad_1(node: OnnxNode) -> Node:
    """As the newest, but with lengths and value as attributes."""
    data, attributes = node.input(0), node.attributes
    pads = attributes.ints("pads" if node.since > 1 or "pads" in attributes else "paddings")
    half = len(pads) // 2
    return _padded(
        data, i64(pads[:half]), i64(pads[half:]), attributes.text("mode"), scalar(attributes.float("value"), data)
    )


@translates("ReverseSequence", 10)
def reverse_sequence(node: OnnxNode) -> Node:
    """Return ReverseSequence-1."""
    batch, time = node.attributes.int("batch_axis"), node.attributes.int("time_axis")
    return ops.reverse_sequence(node.input(0), node.input(1), batch, time)


@translates("DepthToSpace", 1)
def depth_to_space(node: OnnxNode) -> Node:
    """Return DepthToSpace-1; mode DCR takes blocks first, CRD depth first."""
    mode = node.attributes.text("mode", "DCR")
    modes = {"DCR": "blocks_first", "CRD": "depth_first"}
    if mode not in modes:
        raise OnnxReadError(f"the attribute 'mode' is {mode!r}; it must be DCR or CRD")
    return ops.depth_to_space(node.input(0), modes[mode], node.attributes.int("blocksize"))


@translates("SpaceToDepth", 1)
def space_to_depth(node: OnnxNode) -> Node:
    """Return SpaceToDepth-1."""
    mode = node.attributes.text("mode", "DCR")
    return ops.space_to_depth(
        node.input(0), "depth_first" if mode == "CRD" else "blocks_first", node.attributes.int("blocksize")
    )
