"""Shapes, and elements that move along them."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import MAX_I64, Layer, i64
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.movement.broadcast import Broadcast
from ir_plugin.operations.movement.concat import Concat
from ir_plugin.operations.movement.reverse import Reverse
from ir_plugin.operations.movement.reverse_sequence import ReverseSequence
from ir_plugin.operations.movement.roll import Roll
from ir_plugin.operations.movement.slice import Slice
from ir_plugin.operations.movement.split import Split
from ir_plugin.operations.movement.strided_slice import Step, StridedSlice
from ir_plugin.operations.movement.tile import Tile
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.movement.variadic_split import VariadicSplit
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.tensors import ElementType


@writes(Reshape)
def reshape(layer: Layer) -> str:
    """Return Reshape; without elements -1 stands for what is inferred."""
    data, pattern = layer.inputs
    values, shape = layer.value(1), layer.output_info().shape
    if values is not None and shape.dims is not None and shape.is_static and 0 in [dim.get_length() for dim in shape]:
        return layer.reshape(data, *(dim.get_length() for dim in shape))
    if not layer.operation.special_zero and values is not None and -1 in values and 0 in values:
        raise NotExpressibleError("a length of -1 beside one of 0 is 1 where the data has open lengths")
    is_plain = layer.operation.special_zero or (values is not None and 0 not in values)
    return layer.emit("Reshape", data, layer.cast(pattern, i64), allowzero=None if is_plain else 1)


@writes(ShapeOf)
def shape_of(layer: Layer) -> str:
    """Return Shape."""
    return layer.emit("Shape", layer.inputs[0])


@writes(Squeeze)
def squeeze(layer: Layer) -> str:
    """Return a Reshape or Squeeze without the axes of length 1."""
    if layer.info().shape.rank == 0:
        return layer.inputs[0]
    values, output = layer.value(1), layer.output_info().shape
    if not layer.has(1) or (values is not None and not values.size):
        return _squeezed_everywhere(layer)
    if values is None or layer.info().shape.dims is None:
        return _squeezed_where_one(layer)
    data, axes = layer.shape(), sorted(set(map(layer.axis, layer.integers(1))))
    if any(data[axis].is_dynamic for axis in axes) and (output.dims is None or len(output) != len(data) - len(axes)):
        return _squeezed_where_one(layer)
    return layer.squeeze(layer.inputs[0], *(axis for axis in axes if data[axis].contains(1)))


def _squeezed_everywhere(layer: Layer) -> str:
    """Return a Squeeze of all axes of length 1, by their numbers where these are known."""
    data = layer.info().shape
    if data.dims is None or any(dim.is_dynamic and dim.contains(1) for dim in data):
        return layer.emit("Squeeze", layer.inputs[0])
    return layer.squeeze(layer.inputs[0], *(axis for axis, dim in enumerate(data) if dim == 1))


def _squeezed_where_one(layer: Layer) -> str:
    """Return a Reshape that drops the named axes of length 1, where axes or lengths are not known."""
    if 0 in layer.lengths(1):
        raise NotExpressibleError("without axes all of length 1 are dropped")
    axes, shape = layer.reshape(layer.cast(layer.inputs[1], i64), -1), layer.emit("Shape", layer.inputs[0])
    rank = layer.emit("Size", shape)
    positions = layer.unsqueeze(layer.emit("Range", layer.constant(0), rank, layer.constant(1)), 1)
    from_end = layer.emit("Equal", layer.emit("Sub", positions, rank), axes)
    matches = layer.cast(layer.emit("Or", layer.emit("Equal", positions, axes), from_end), ElementType.i32)
    named = layer.cast(layer.reduce("ReduceMax", matches, [1], keep=False), ElementType.boolean)
    remaining = layer.emit("Not", layer.emit("And", named, layer.emit("Equal", shape, layer.list_of(1))))
    dims = layer.info().shape.dims
    allowzero = 1 if dims is None or any(dim.contains(0) for dim in dims) else None
    return layer.emit("Reshape", layer.inputs[0], layer.emit("Compress", shape, remaining, axis=0), allowzero=allowzero)


@writes(Unsqueeze)
def unsqueeze(layer: Layer) -> str:
    """Return Unsqueeze; an axis counts in the rank with all new axes."""
    if layer.value(1) is None:
        return layer.emit("Unsqueeze", layer.inputs[0], layer.reshape(layer.inputs[1], -1))
    axes, data, output = layer.integers(1), layer.info().shape, layer.output_info().shape
    if data.dims is not None and output.dims is not None:
        axes = sorted({axis + len(output) if axis < 0 else axis for axis in axes})
        if len(axes) != len(output) - len(data):
            return _with_output_shape(layer)
    return layer.unsqueeze(layer.inputs[0], *axes)


def _with_output_shape(layer: Layer) -> str:
    """Return the first input in the inferred shape of the output, which has at most one open length."""
    dims = [dim.get_length() if dim.is_static else -1 for dim in layer.output_info().shape]
    if dims.count(-1) > 1 or (-1 in dims and 0 in dims):
        raise NotExpressibleError("axes that are named twice move with open lengths")
    return layer.reshape(layer.inputs[0], *dims)


@writes(Transpose)
def transpose(layer: Layer) -> str:
    """Return Transpose; an empty order reverses the axes."""
    order = layer.integers(1)
    if not order:
        return layer.emit("Transpose", layer.inputs[0])
    return layer.emit("Transpose", layer.inputs[0], perm=order)


@writes(Concat)
def concat(layer: Layer) -> str:
    """Return Concat."""
    return layer.emit("Concat", *layer.inputs, axis=layer.operation.axis)


@writes(Split)
def split(layer: Layer) -> list[str]:
    """Return Split into parts of equal length."""
    (axis,) = layer.integers(1)
    count = len(layer.node.outputs)
    return layer.emit_all(
        "Split", layer.inputs[0], axis=axis, count=count, num_outputs=count if layer.opset >= 18 else None
    )


@writes(VariadicSplit)
def variadic_split(layer: Layer) -> list[str]:
    """Return Split; a length of -1 is the rest of the axis."""
    (axis,) = layer.integers(1)
    lengths = layer.value(2)
    if lengths is None:
        parts = _with_rest(layer, axis)
        if layer.opset < 13:
            lengths_of_parts = (layer.element(parts, at) for at in range(len(layer.node.outputs)))
            return layer.split(layer.inputs[0], axis, *lengths_of_parts)
        return layer.emit_all("Split", layer.inputs[0], parts, axis=axis, count=len(layer.node.outputs))
    values: list[int | str] = [int(length) for length in lengths.reshape(-1)]
    if -1 in values:
        rest = layer.arithmetic("Sub", layer.dim(0, axis), sum(int(value) for value in values) + 1)
        values[values.index(-1)] = rest
    return layer.split(layer.inputs[0], axis, *values)


def _with_rest(layer: Layer, axis: int) -> str:
    """Return the lengths of parts that are not known, where one of -1 is the rest of the axis."""
    lengths = layer.cast(layer.inputs[2], i64)
    others = layer.emit("Add", layer.reduce("ReduceSum", lengths, [0]), layer.list_of(1))
    whole = layer.vector(layer.dim(0, axis))
    is_rest = layer.emit("Equal", lengths, layer.list_of(-1))
    return layer.emit("Where", is_rest, layer.emit("Sub", whole, others), lengths)


@writes(Slice)
def slice_(layer: Layer) -> str:
    """Return Slice; a backward one that begins before the first element begins with it."""
    data, start, stop, step = layer.inputs[:4]
    axes = layer.inputs[4] if layer.has(4) else layer.list_of(*range(layer.lengths(3)[0]))
    start, stop, step, axes = (layer.cast(value, i64) for value in (start, stop, step, axes))
    steps = layer.value(3)
    if steps is None or (steps < 0).any():
        start = _clamped_start(layer, start, axes, step)
    return layer.emit("Slice", data, start, stop, axes, step)


def _clamped_start(layer: Layer, start: str, axes: str, step: str) -> str:
    """Return the starts, for backward steps not before the first element."""
    lengths = layer.emit("Gather", layer.emit("Shape", layer.inputs[0]), axes, axis=0)
    least = layer.emit("Max", start, layer.emit("Neg", lengths))
    return layer.emit("Where", layer.emit("Less", step, layer.list_of(0)), least, start)


@writes(StridedSlice)
def strided_slice(layer: Layer) -> str:
    """Return Slice, and Squeeze and Unsqueeze where masks drop and insert axes."""
    data, begin, end = layer.inputs[:3]
    count = layer.lengths(1)[0]
    steps = layer.integers(3) if layer.has(3) else [1] * count
    parts = list(layer.operation.steps(layer.rank(), count))
    rows = [part for part in parts if part.kind in ("slice", "shrink")]
    value = data
    if rows:
        starts, stops, strides = _ends(layer, rows, begin, end, steps)
        value = layer.emit(
            "Slice", data, starts, stops, layer.list_of(*(row.axis for row in rows)), layer.list_of(*strides)
        )
    value = layer.squeeze(value, *(row.axis for row in rows if row.kind == "shrink"))
    remaining = [part for part in parts if part.kind != "shrink"]
    return layer.unsqueeze(value, *(at for at, part in enumerate(remaining) if part.kind == "new"))


def _ends(layer: Layer, rows: Sequence[Step], begin: str, end: str, steps: Sequence[int]) -> tuple[str, str, list[int]]:
    """Return starts, stops and strides of the sliced axes."""
    operation = layer.operation
    strides = [1 if row.kind == "shrink" else steps[row.position] for row in rows]
    ends: list[list[int | str]] = [[], []]
    for row, stride in zip(rows, strides, strict=True):
        at = row.position
        start = _element(layer, 1, begin, at)
        if _masks(operation.begin_mask, at):
            start = 0 if stride > 0 else MAX_I64
        elif stride < 0:
            start = _not_before(layer, start, row.axis)
        stop: int | str
        if row.kind == "shrink":
            stop = _after(layer, start)
        elif _masks(operation.end_mask, at):
            stop = MAX_I64 if stride > 0 else -MAX_I64
        else:
            stop = _element(layer, 2, end, at)
        ends[0].append(start)
        ends[1].append(stop)
    return layer.vector(*ends[0]), layer.vector(*ends[1]), strides


def _masks(mask: tuple[int, ...], at: int) -> bool:
    return at < len(mask) and mask[at] == 1


def _element(layer: Layer, position: int, value: str, at: int) -> int | str:
    """Return an element of a list of indices: a number where it is values."""
    values = layer.value(position)
    if values is not None:
        return int(values.reshape(-1)[at])
    return layer.element(layer.cast(value, i64), at)


def _not_before(layer: Layer, start: int | str, axis: int) -> int | str:
    """Return a start of a backward slice that is not before the first element."""
    length = layer.dim(0, axis)
    if isinstance(start, int) and (start >= 0 or isinstance(length, int)):
        return start if start >= 0 or isinstance(length, str) else max(start, -length)
    least = layer.arithmetic("Sub", 0, length)
    return layer.emit("Max", layer.vector(start), layer.vector(least))


def _after(layer: Layer, start: int | str) -> int | str:
    """Return the stop of a slice of one element."""
    if isinstance(start, int):
        return start + 1 if start != -1 else MAX_I64
    is_last = layer.emit("Equal", start, layer.list_of(-1))
    return layer.emit("Where", is_last, layer.list_of(MAX_I64), layer.emit("Add", start, layer.list_of(1)))


@writes(Tile)
def tile(layer: Layer) -> str:
    """Return Tile of a value and repeats of one rank; negative repeats count as 0."""
    data, repeats = layer.inputs
    rank, count = layer.rank(), layer.lengths(1)[0]
    repeats = layer.emit("Max", layer.cast(repeats, i64), layer.list_of(0))
    data = layer.unsqueeze(data, *range(max(count - rank, 0)))
    if rank > count:
        repeats = layer.emit("Concat", layer.list_of(*[1] * (rank - count)), repeats, axis=0)
    return layer.emit("Tile", data, repeats)


@writes(Broadcast)
def broadcast(layer: Layer) -> str:
    """Return Expand of a value whose axes are where they belong."""
    data, target, operation = layer.inputs[0], layer.inputs[1], layer.operation
    shape = layer.cast(target, i64)
    if layer.has(2) and operation.mode in ("explicit", "none"):
        rank, mapping = layer.lengths(1)[0], layer.integers(2)
        return layer.emit(
            "Expand", layer.unsqueeze(data, *(axis for axis in range(rank) if axis not in mapping)), shape
        )
    if operation.mode == "pdpd":
        axis = operation.first_axis()
        if axis != -1:
            own, rank = layer.shape(), layer.lengths(1)[0]
            count = len(own)
            while count and own[count - 1] == 1:
                count -= 1
            data = layer.squeeze(data, *range(count, len(own)))
            data = layer.unsqueeze(data, *range(count, rank - axis))
    return layer.emit("Expand", data, shape)


@writes(Reverse)
def reverse(layer: Layer) -> str:
    """Return a backward Slice along the axes."""
    if not layer.has(1):
        return layer.inputs[0]
    values = layer.constant_values(1).reshape(-1)
    is_mask = layer.operation.mode == "mask"
    axes = [at for at, flag in enumerate(values) if flag] if is_mask else sorted({layer.axis(int(v)) for v in values})
    value = layer.inputs[0]
    return reversed_along(layer, value, axes)


def reversed_along(layer: Layer, value: str, axes: list[int]) -> str:
    """Return a value backward along axes."""
    count = len(axes)
    if not count:
        return value
    starts, stops = layer.list_of(*[-1] * count), layer.list_of(*[-MAX_I64] * count)
    return layer.emit("Slice", value, starts, stops, layer.list_of(*axes), layer.list_of(*[-1] * count))


@writes(ReverseSequence)
def reverse_sequence(layer: Layer) -> str:
    """Return ReverseSequence, whose batch and sequence axes are the first two, between Transposes elsewhere."""
    data, lengths = layer.inputs
    batch, sequence = layer.axis(layer.operation.batch_axis), layer.axis(layer.operation.seq_axis)
    lengths = layer.cast(lengths, i64)
    if {batch, sequence} == {0, 1}:
        return layer.emit("ReverseSequence", data, lengths, batch_axis=batch, time_axis=sequence)
    order = [batch, sequence, *(axis for axis in range(layer.rank()) if axis not in (batch, sequence))]
    moved = layer.emit("ReverseSequence", layer.transpose(data, order), lengths, batch_axis=0, time_axis=1)
    return layer.transpose(moved, [order.index(axis) for axis in range(len(order))])


@writes(Roll)
def roll(layer: Layer) -> str:
    """Return the two parts of each axis in the other order."""
    value = layer.inputs[0]
    if layer.rank() == 0:
        return value
    shifts, axes = layer.integers(1), [layer.axis(axis) for axis in layer.integers(2)]
    shifts = shifts * len(axes) if len(shifts) == 1 else shifts
    for axis, shift in zip(axes, shifts, strict=True):
        length = layer.dim(0, axis)
        if isinstance(length, int):
            start: int | str = -shift % length if length else 0
        else:
            start = layer.emit("Mod", layer.list_of(-shift), length)
        first, last = layer.slice(value, axis, start, MAX_I64), layer.slice(value, axis, 0, start)
        value = layer.emit("Concat", first, last, axis=axis)
    return value
