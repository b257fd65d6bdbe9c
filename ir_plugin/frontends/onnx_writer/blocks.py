"""Pads, blocks of elements, and what is generated from indices."""

from __future__ import annotations

from math import prod

import numpy as np

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import MAX_I64, Layer, i64
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.condition.bucketize import Bucketize
from ir_plugin.operations.condition.non_zero import NonZero
from ir_plugin.operations.generation.eye import Eye
from ir_plugin.operations.generation.range import Range
from ir_plugin.operations.movement.batch_to_space import BatchToSpace
from ir_plugin.operations.movement.depth_to_space import DepthToSpace
from ir_plugin.operations.movement.extract_image_patches import ExtractImagePatches
from ir_plugin.operations.movement.pad import Pad
from ir_plugin.operations.movement.shuffle_channels import ShuffleChannels
from ir_plugin.operations.movement.slice_scatter import SliceScatter
from ir_plugin.operations.movement.space_to_batch import SpaceToBatch
from ir_plugin.operations.movement.space_to_depth import SpaceToDepth
from ir_plugin.operations.movement.unique import Unique
from ir_plugin.operations.sequence.one_hot import OneHot
from ir_plugin.operations.sort.search_sorted import SearchSorted
from ir_plugin.operations.sort.top_k import TopK
from ir_plugin.tensors import ElementType

BOOLEAN = ElementType.boolean


@writes(Pad)
def pad(layer: Layer) -> str:
    """Return Pad; pads that crop are slices of what is padded, symmetric pads backward slices of the edges."""
    value, mode = layer.inputs[0], layer.operation.pad_mode
    begins, ends = layer.value(1), layer.value(2)
    if mode == "symmetric":
        return _cropped(layer, _symmetric(layer, value))
    if begins is not None and ends is not None:
        pads = layer.list_of(*layer.integers(1), *layer.integers(2))
    else:
        pads = layer.emit("Concat", *(layer.cast(name, i64) for name in layer.inputs[1:3]), axis=0)
    if mode != "constant":
        if begins is not None and ends is not None and min(*begins, *ends, 0) >= 0:
            return layer.emit("Pad", value, pads, mode=mode)
        longer = layer.emit("Max", pads, layer.list_of(0))
        return _cropped(layer, layer.emit("Pad", value, longer, mode=mode))
    if any(dim == 0 for dim in layer.output_info().shape.dims or ()):
        raise NotExpressibleError("pads that crop all elements are not ONNX's")
    nothing = layer.constant("", ElementType.string) if _is_text(layer) else layer.like(0, value)
    return layer.emit("Pad", value, pads, layer.inputs[3] if layer.has(3) else nothing, mode=mode)


def _is_text(layer: Layer) -> bool:
    return layer.info().element_type is ElementType.string


def _cropped(layer: Layer, value: str) -> str:
    """Return a padded value without the elements that negative pads crop."""
    pads = [layer.value(position) for position in (1, 2)]
    if all(array is not None and (array >= 0).all() for array in pads):
        return value
    starts, ends = (layer.cast(layer.inputs[position], i64) for position in (1, 2))
    zero = layer.list_of(0)
    stops = layer.emit("Add", layer.emit("Shape", value), layer.emit("Min", ends, zero))
    starts = layer.emit("Neg", layer.emit("Min", starts, zero))
    return layer.emit("Slice", value, starts, layer.emit("Max", stops, starts))


def _symmetric(layer: Layer, value: str) -> str:
    """Return a value with mirrored edges, which include the outermost element."""
    for axis, (begin, end) in enumerate(zip(layer.integers(1), layer.integers(2), strict=True)):
        parts = [value]
        if begin > 0:
            parts.insert(0, layer.slice(value, axis, begin - 1, -MAX_I64, -1))
        if end > 0:
            parts.append(layer.slice(value, axis, -1, -end - 1, -1))
        value = layer.emit("Concat", *parts, axis=axis) if len(parts) > 1 else value
    return value


@writes(DepthToSpace)
def depth_to_space(layer: Layer) -> str:
    """Return DepthToSpace of images, and Reshape and Transpose for other ranks."""
    size, mode, rank = layer.operation.block_size, layer.operation.mode, layer.rank() - 2
    if rank == 2:
        return layer.emit(
            "DepthToSpace", layer.inputs[0], blocksize=size, mode="CRD" if mode == "depth_first" else "DCR"
        )
    batch, channels, *space = (layer.dim(0, axis) for axis in range(rank + 2))
    depth = layer.arithmetic("Div", channels, size**rank)
    inner = [depth, *[size] * rank] if mode == "depth_first" else [*[size] * rank, depth]
    blocks, start = (range(2, 2 + rank), 1) if mode == "depth_first" else (range(1, 1 + rank), 1 + rank)
    order = [0, start]
    for offset, block in enumerate(blocks):
        order += [2 + rank + offset, block]
    moved = layer.transpose(layer.reshape(layer.inputs[0], batch, *inner, *space), order)
    return layer.reshape(moved, batch, depth, *(layer.arithmetic("Mul", length, size) for length in space))


@writes(SpaceToDepth)
def space_to_depth(layer: Layer) -> str:
    """Return SpaceToDepth of images, and Reshape and Transpose for other ranks and orders."""
    size, rank = layer.operation.block_size, layer.rank() - 2
    if rank == 2 and layer.operation.mode != "depth_first":
        return layer.emit("SpaceToDepth", layer.inputs[0], blocksize=size)
    batch, channels, *space = (layer.dim(0, axis) for axis in range(rank + 2))
    parts = [layer.arithmetic("Div", length, size) for length in space]
    blocked = layer.reshape(layer.inputs[0], batch, channels, *(item for part in parts for item in (part, size)))
    blocks, offsets = list(range(3, 3 + 2 * rank, 2)), list(range(2, 2 + 2 * rank, 2))
    order = [0, 1, *blocks, *offsets] if layer.operation.mode == "depth_first" else [0, *blocks, 1, *offsets]
    return layer.reshape(layer.transpose(blocked, order), batch, layer.arithmetic("Mul", channels, size**rank), *parts)


@writes(ShuffleChannels)
def shuffle_channels(layer: Layer) -> str:
    """Return the groups of channels and what is in them in the other order."""
    axis, group, rank = layer.axis(layer.operation.axis), layer.operation.group, layer.rank()
    dims = [layer.dim(0, at) for at in range(rank)]
    grouped = [*dims[:axis], group, layer.arithmetic("Div", dims[axis], group), *dims[axis + 1 :]]
    order = [*range(axis), axis + 1, axis, *range(axis + 2, rank + 1)]
    return layer.reshape(layer.transpose(layer.reshape(layer.inputs[0], *grouped), order), *dims)


@writes(BatchToSpace)
def batch_to_space(layer: Layer) -> str:
    """Return Reshape, Transpose and a Slice that crops."""
    blocks, begins, ends = (layer.integers(position) for position in (1, 2, 3))
    rank = layer.rank()
    batch, *space = (layer.dim(0, axis) for axis in range(rank))
    rest = layer.arithmetic("Div", batch, prod(blocks))
    order = [0, rank] + [axis for i in range(1, rank) for axis in (rank + i, i)]
    blocked = layer.transpose(layer.reshape(layer.inputs[0], *blocks, rest, *space), order)
    lengths = [layer.arithmetic("Mul", n, b) for n, b in zip(space, blocks[1:], strict=True)]
    # the first block is 1, and its axis is joined with the batch
    merged = layer.reshape(blocked, rest, *lengths)
    stops = [layer.arithmetic("Sub", n, e) for n, e in zip([rest, *lengths], ends, strict=True)]
    if not any((*begins, *ends)):
        return merged
    axes = layer.list_of(*range(rank))
    return layer.emit("Slice", merged, layer.list_of(*begins), layer.vector(*stops), axes)


@writes(SpaceToBatch)
def space_to_batch(layer: Layer) -> str:
    """Return Pad, Reshape and Transpose."""
    blocks, begins, ends = (layer.integers(position) for position in (1, 2, 3))
    rank = layer.rank()
    value = layer.inputs[0]
    if any((*begins, *ends)):
        value = layer.emit("Pad", value, layer.list_of(*begins, *ends))
    lengths = [layer.arithmetic("Add", layer.dim(0, at), begins[at] + ends[at]) for at in range(rank)]
    parts = [layer.arithmetic("Div", length, block) for length, block in zip(lengths, blocks, strict=True)]
    blocked = layer.reshape(value, *(item for pair in zip(parts, blocks, strict=True) for item in pair))
    moved = layer.transpose(blocked, [*range(1, 2 * rank, 2), *range(0, 2 * rank, 2)])
    return layer.reshape(moved, layer.arithmetic("Mul", parts[0], prod(blocks)), *parts[1:])


@writes(ExtractImagePatches)
def extract_image_patches(layer: Layer) -> str:
    """Return the elements at each place of the patches, joined along channels."""
    operation = layer.operation
    sizes, strides, rates = operation.checked_lists()
    batch, depth, *space = layer.lengths()
    counts = [dim.get_length() for dim in layer.output_info().shape[2:]]
    extents = [(size - 1) * rate + 1 for size, rate in zip(sizes, rates, strict=True)]
    totals = [max((n - 1) * s + e - length, 0) for n, s, e, length in zip(counts, strides, extents, space, strict=True)]
    value = layer.inputs[0]
    if operation.auto_pad != "valid" and any(totals):
        begin = [(total + (operation.auto_pad == "same_lower")) // 2 for total in totals]
        end = [total - b for total, b in zip(totals, begin, strict=True)]
        value = layer.emit("Pad", value, layer.list_of(0, 0, *begin, 0, 0, *end))
    if 0 in (batch, depth, *counts):
        raise NotExpressibleError("there are no patches")
    parts = []
    for offsets in np.ndindex(*sizes):
        starts = [at * rate for at, rate in zip(offsets, rates, strict=True)]
        stops = [start + (n - 1) * s + 1 for start, n, s in zip(starts, counts, strides, strict=True)]
        parts.append(layer.emit("Slice", value, *(layer.list_of(*part) for part in (starts, stops, (2, 3), strides))))
    return layer.emit("Concat", *parts, axis=1)


@writes(SliceScatter)
def slice_scatter(layer: Layer) -> str:
    """Return ScatterND of the updates at the elements of the slice."""
    from ir_plugin.operations.movement.slice import slices

    lengths = layer.lengths()
    start, stop, step = (layer.constant_values(position) for position in (2, 3, 4))
    axes = layer.constant_values(5) if layer.has(5) else None
    if layer.info(1).element_type is not layer.info(0).element_type:
        raise NotExpressibleError("updates of another type are rounded in a way of their own")
    positions = np.arange(prod(lengths)).reshape(lengths)[slices(lengths, start, stop, step, axes)]
    flat = layer.reshape(layer.inputs[0], prod(lengths))
    updates = layer.reshape(layer.inputs[1], positions.size)
    indices = layer.constant(positions.reshape(-1, 1).astype(np.int64))
    return layer.reshape(layer.emit("ScatterND", flat, indices, updates), *lengths)


@writes(Unique)
def unique(layer: Layer) -> list[str]:
    """Return Unique, whose outputs are the same."""
    axis = layer.integers(1)[0] if layer.has(1) else None
    return layer.emit_all("Unique", layer.inputs[0], count=4, axis=axis, sorted=int(layer.operation.sorted))


@writes(NonZero)
def non_zero(layer: Layer) -> str:
    """Return NonZero; a scalar counts as a list."""
    value = layer.inputs[0]
    return layer.emit("NonZero", layer.unsqueeze(value, 0) if layer.rank() == 0 else value)


@writes(OneHot)
def one_hot(layer: Layer) -> str:
    """Return a choice between the values where the index along a new axis is the element."""
    indices, depth, on, off = layer.inputs
    if layer.info(0).element_type.name == "u64":
        raise NotExpressibleError("indices of u64 are not ONNX's")
    axis, rank = layer.operation.axis, layer.rank()
    axis += rank + 1 if axis < 0 else 0
    index = layer.unsqueeze(layer.cast(indices, i64), axis)
    count = layer.cast(depth, i64)
    positions = layer.emit("Range", layer.constant(0), count, layer.constant(1))
    positions = layer.unsqueeze(positions, *range(1, rank - axis + 1))
    if layer.operation.negative_indices_mode == "normalize":
        negative = layer.emit("Less", index, layer.constant(0))
        index = layer.emit("Where", negative, layer.emit("Add", index, count), index)
    return layer.emit("Where", layer.emit("Equal", index, positions), on, off)


@writes(Eye)
def eye(layer: Layer) -> str:
    """Return ones where the column is the row plus the diagonal."""
    rows, columns, diagonal = (layer.reshape(layer.cast(name, i64)) for name in layer.inputs[:3])
    zero, one = layer.constant(0), layer.constant(1)
    row = layer.unsqueeze(layer.emit("Range", zero, rows, one), 1)
    column = layer.emit("Range", zero, columns, one)
    limit = layer.emit("Max", layer.emit("Min", diagonal, columns), layer.emit("Neg", rows))
    value = layer.cast(layer.emit("Equal", layer.emit("Add", row, limit), column), layer.output_info().element_type)
    if not layer.has(3):
        return value
    lengths = [layer.unsqueeze(name, 0) for name in (rows, columns)]
    shape = layer.emit("Concat", layer.cast(layer.inputs[3], i64), *lengths, axis=0)
    return layer.emit("Expand", value, shape)


@writes(Range)
def range_(layer: Layer) -> str:
    """Return Range of integers, or the first number plus multiples of the step in f64."""
    target = layer.output_info().element_type
    if target.is_integer:
        if target.name in ("u64",):
            raise NotExpressibleError("ranges of u64 are not ONNX's")
        start, stop, step = (layer.reshape(layer.cast(name, i64)) for name in layer.inputs)
        if layer.info(2).element_type.is_floating:
            is_zero, zero = layer.emit("Equal", step, layer.constant(0)), layer.constant(0)
            start, stop = (layer.emit("Where", is_zero, zero, name) for name in (start, stop))
            step = layer.emit("Where", is_zero, layer.constant(1), step)
        return layer.emit("Range", start, stop, step)
    start, stop, step = (layer.reshape(layer.cast(name, ElementType.f64)) for name in layer.inputs)
    steps = layer.emit("Ceil", layer.emit("Div", layer.emit("Sub", stop, start), step))
    count = layer.cast(layer.emit("Max", steps, layer.constant(0.0, ElementType.f64)), i64)
    numbers = layer.cast(layer.emit("Range", layer.constant(0), count, layer.constant(1)), ElementType.f64)
    return layer.emit("Add", layer.emit("Mul", numbers, step), start)


@writes(Bucketize)
def bucketize(layer: Layer) -> str:
    """Return how many boundaries are below each element."""
    value, buckets = layer.unsqueeze(layer.inputs[0], layer.rank()), layer.inputs[1]
    return _counted(layer, buckets, value, inclusive=not layer.operation.with_right_bound, rank=layer.rank())


def _counted(layer: Layer, row: str, value: str, inclusive: bool, rank: int) -> str:
    """Return how many elements of sorted rows are below each value, or equal to it too; NaN is above all."""
    left, right = layer.type_of(row), layer.type_of(value)
    if left is not right:
        both = ElementType.f64 if left.is_floating or right.is_floating else i64
        if "u64" in (left.name, right.name) or (both is ElementType.f64 and "i64" in (left.name, right.name)):
            raise NotExpressibleError(f"{left.name} and {right.name} have no common type")
        row, value = layer.cast(row, both), layer.cast(value, both)
    if left is BOOLEAN:
        row, value = layer.cast(row, ElementType.i32), layer.cast(value, ElementType.i32)
    below = layer.emit("LessOrEqual" if inclusive else "Less", row, value)
    if layer.type_of(value).is_floating:
        below = layer.emit("Or", below, layer.emit("IsNaN", value))
    return layer.reduce("ReduceSum", layer.cast(below, i64), [rank], keep=False)


@writes(SearchSorted)
def search_sorted(layer: Layer) -> str:
    """Return how many elements of the row are below each value."""
    rank, row_rank = layer.rank(1), layer.rank(0)
    value = layer.unsqueeze(layer.inputs[1], rank)
    row = layer.inputs[0] if row_rank == 1 else layer.unsqueeze(layer.inputs[0], row_rank - 1)
    return _counted(layer, row, value, inclusive=layer.operation.right_mode, rank=rank)


@writes(TopK)
def top_k(layer: Layer) -> list[str]:
    """Return TopK; in the order of indices, these are sorted, and the elements are gathered."""
    operation = layer.operation
    axis = layer.axis(operation.axis)
    count = layer.reshape(layer.cast(layer.inputs[1], i64), 1)
    value = layer.inputs[0]
    values, indices = layer.emit_all(
        "TopK", value, count, axis=axis, largest=int(operation.mode == "max"), sorted=1, count=2
    )
    if operation.sort == "index":
        indices, _ = layer.emit_all("TopK", indices, count, axis=axis, largest=0, sorted=1, count=2)
        values = layer.emit("GatherElements", value, indices, axis=axis)
    return [values, indices]
