"""Fuses assignments to slices, which converters write as scatters to flat positions, into SliceScatter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.matching import number_of, producer_of
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes, index_constant
from ir_plugin.compiler.shapes.symbolic import rank_of
from ir_plugin.operations.generation.range import Range
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.scatter_nd_update import ScatterNDUpdate
from ir_plugin.operations.movement.slice import Slice
from ir_plugin.operations.movement.slice_scatter import SliceScatter
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.tensors import ElementType, TensorInfo

_END = np.iinfo(np.int64).max


class _Region(NamedTuple):
    """The slices that a chain of Slice and Gather takes, and their shape; axes that a Gather removes have length 1."""

    slices: list[Value]
    """Start, stop, step and axes."""
    shape: tuple[int, ...] | None


@follows("weight_decompression")
class SliceScatterFusion(Pattern):
    """Fuse an assignment to a slice into SliceScatter.

    Converters of PyTorch write it as a ScatterNDUpdate of flattened data, whose indices are the same slice of numbered
    positions: eight bytes of indices for each element. There are as many positions as elements, slices that are known
    or one Slice, at most one of an axis; others may read the positions.
    """

    roots = (ScatterNDUpdate,)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        chain = _position_slices(op)
        positions = None if chain is None else producer_of(chain[0].inputs[0])
        if chain is None or positions is None:
            return
        shaping, region = _shaped_data(op, positions), _region(chain)
        if shaping is not None and region is not None:
            _replace(rewriter, op, shaping, region, positions.inputs[1])


def _position_slices(op: Op) -> list[Op] | None:
    """Return the ops that slice the flat positions of all elements into the indices of a scatter without reduction."""
    if attributes(op, ScatterNDUpdate).reduction != "none":
        return None
    indices = producer_of(op.inputs[1], Reshape)
    if rank_of(op.inputs[0]) != 1 or indices is None or rank_of(indices.outputs[0]) != 2 or not _is_column(indices):
        return None
    chain: list[Op] = []
    moved = producer_of(indices.inputs[0])
    while moved is not None and moved.is_a(Slice, Gather):
        chain.insert(0, moved)
        moved = producer_of(moved.inputs[0])
    if moved is None or not moved.is_a(Reshape) or not chain:
        return None
    positions = producer_of(moved.inputs[0], Range)
    if positions is None or [number_of(positions.inputs[at]) for at in (0, 2)] != [0, 1]:
        return None
    return chain


def _is_column(reshape: Op) -> bool:
    target = reshape.inputs[1]
    return target is not None and target.constant is not None and target.constant.tolist()[1:] == [1]


def _has_shape(data: Value, shape: Value) -> bool:
    """Return whether a value is the shape of data, judged by the ops that produce both."""
    measured, producer = producer_of(shape, ShapeOf), data.producer
    if measured is not None and measured.inputs[0] is data:
        return True
    if shape.constant is not None and data.shape is not None:
        return tuple(shape.constant.tolist()) == data.shape
    if producer is not None and producer.is_a(SliceScatter) and producer.inputs[0] is not None:
        return _has_shape(producer.inputs[0], shape)
    measured_data = None if measured is None else measured.inputs[0]
    return measured_data is not None and data.shape is not None and measured_data.shape == data.shape


def _shaped_data(op: Op, positions: Op) -> tuple[Value, list[Op]] | None:
    """Return the data of a scatter in the shape of the positions, and the ops that reshape them, if any.

    A reader that reshapes the flat output to the same shape shows that there are as many positions as elements.
    """
    flattening, flat, shape = producer_of(op.inputs[0], Reshape), op.inputs[0], positions.inputs[1]
    source = None if flattening is None else flattening.inputs[0]
    if flat is None or shape is None:
        return None
    if source is not None and _has_shape(source, shape):
        return source, []
    if producer_of(shape, ShapeOf) is None or not _reshaping_readers(op, shape):
        return None
    numbered = positions.outputs[0]
    dims = None if numbered.tensor is None else numbered.tensor.shape
    tensor = None if dims is None else TensorInfo(flat.element_type, dims)
    data = Value(flat.element_type, numbered.shape, tensor=tensor)
    return data, [Op(Reshape(special_zero=False), [flat, shape], [data], op.nodes)]


def _reshaping_readers(op: Op, shape: Value | None) -> list[Op]:
    """Return the ops that reshape the flat output of a scatter to this shape."""
    readers = [user for user in op.outputs[0].users if user.is_a(Reshape)]
    return [reader for reader in readers if reader.inputs[0] is op.outputs[0] and reader.inputs[1] is shape]


def _region(chain: list[Op]) -> _Region | None:
    """Return the region that a chain takes from data; None where slices are unknown, or two are along one axis."""
    rank, shape = rank_of(chain[0].inputs[0]), chain[-1].outputs[0].shape
    slices = [value for value in chain[0].inputs[1:] if value is not None]
    if len(chain) == 1 and chain[0].is_a(Slice):
        return _Region(slices, shape)
    left, taken = list(range(rank or 0)), []
    removed: list[int] = []
    for moved in chain:
        bounds = _bounds(moved, len(left))
        if bounds is None:
            return None
        taken += [(left[axis], *rest) for axis, *rest in bounds]
        if moved.is_a(Gather):
            removed.append(left.pop(bounds[0][0]))
    if len({axis for axis, *_ in taken}) < len(taken):
        return None
    axes, starts, stops, steps = ([numbers[at] for numbers in taken] for at in range(4))
    lengths = list(shape or ())
    for axis in sorted(removed):
        lengths.insert(axis, 1)
    return _Region([index_constant(part) for part in (starts, stops, steps, axes)], shape and tuple(lengths))


def _bounds(op: Op, rank: int) -> list[tuple[int, int, int, int]] | None:
    """Return axis, start, stop and step of each slice that an op takes; None unless they are constants."""
    constants = [None if value is None else value.constant for value in op.inputs[1:]]
    arrays = [array for array in constants if array is not None]
    if len(arrays) != len(constants) or rank == 0:
        return None
    if op.is_a(Slice):
        starts, stops, steps = (array.tolist() for array in arrays[:3])
        axes = arrays[3].tolist() if len(arrays) > 3 else range(len(starts))
        return [(axis % rank, *bounds) for axis, *bounds in zip(axes, starts, stops, steps, strict=True)]
    if arrays[0].ndim:
        return None
    index, axis = int(arrays[0]), int(arrays[1].reshape(-1)[0]) % rank
    shape = None if op.inputs[0] is None else op.inputs[0].shape
    if shape is not None and not -shape[axis] <= index < shape[axis]:
        return None
    return [(axis, index, index + 1 if index != -1 else _END, 1)]


def _replace(rewriter: Rewriter, op: Op, shaping: tuple[Value, list[Op]], region: _Region, shape: Value | None) -> None:
    """Replace a scatter by a SliceScatter of data in their own shape, whose output is flattened."""
    (data, ops), flat, nodes = shaping, op.outputs[0], op.nodes
    updates = Value(flat.element_type, region.shape)
    scattered = Value(flat.element_type, data.shape, tensor=data.tensor)
    target, measuring = _target(op, data, region)
    ops = [
        *ops,
        *measuring,
        Op(Reshape(special_zero=False), [op.inputs[2], target], [updates], nodes),
        Op(SliceScatter(), [data, updates, *region.slices], [scattered], nodes),
        Op(Reshape(special_zero=False), [scattered, index_constant([-1])], [flat], nodes),
    ]
    readers = _reshaping_readers(op, shape)
    rewriter.replace(op, ops)
    for reader in readers:
        if not reader.outputs[0].is_result:
            rewriter.bypass(reader, scattered)


def _target(op: Op, data: Value, region: _Region) -> tuple[Value, list[Op]]:
    """Return the shape of a region, and the ops that measure it where lengths are open."""
    if region.shape is not None:
        return index_constant(region.shape), []
    view = Value(data.element_type, None, tensor=data.tensor)
    shape = Value(ElementType.from_dtype(np.dtype(np.int64)), (rank_of(data) or 0,))
    return shape, [
        Op(Slice(), [data, *region.slices], [view], op.nodes),
        Op(ShapeOf(), [view], [shape], op.nodes),
    ]
